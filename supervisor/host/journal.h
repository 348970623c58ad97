// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace host {

// The newest line of priority "err" or worse that `unit` wrote since this boot. Empty: none, no
// journal here, or not ours to read.
std::string last_error_line(const std::string& unit);

}  // namespace host
