// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/time.h"

namespace host {

// The newest line of priority "err" or worse that `unit` wrote since this boot, not before `from`
// and not after `until` (both in seconds; 0: no such limit). Empty: none, no journal here, or not
// ours to read.
std::string last_error_line(const std::string& unit, base::UnixSeconds from,
                            base::UnixSeconds until);

}  // namespace host
