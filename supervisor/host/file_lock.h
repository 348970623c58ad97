// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/time.h"
#include "base/unique_fd.h"

namespace host {

// An exclusive lock on a file that is made if it is not there (0600, so that nobody else can keep
// us out); waits for `limit` at the most. Held as long as the descriptor is open, however its
// process ends. No descriptor: it could not be had.
base::UniqueFd lock_file(const std::string& path, base::Duration limit);

}  // namespace host
