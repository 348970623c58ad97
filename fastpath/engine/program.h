// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace engine {

// The whole program behind main(): load, become what the config asks, run tunnels until the end.
// Returns the exit status (exit_status.h). Throws base::FatalError only
// before there is a log to tell it to.
int run_program(const std::vector<std::string>& arguments);

}  // namespace engine
