// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace engine {

// Where a tunnel keeps the file `name` from run to run: in `state_dir` if given; else, for a tunnel
// started by hand, under /var/lib/tunctl/.fastpath or /run/tunctl-fastpath, whichever can be made,
// with a name made from `identity`. Empty if there is no such place.
std::string state_file(const std::string& state_dir, const std::string& identity,
                       const std::string& name);

}  // namespace engine
