// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/error.h"

namespace engine {

// The file is secret; who else may read it is worth a warning, not a refusal.
void warn_if_readable_by_all(const std::string& file, base::Problems& warnings);

}  // namespace engine
