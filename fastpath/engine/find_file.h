// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fastpath/crypto/find_file.h"

namespace engine {

// Asks the kernel, with the rights this process has now.
crypto::FileFound find_file(const std::string& path);

}  // namespace engine
