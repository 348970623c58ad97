// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "supervisor/cli/context.h"

namespace cli {

// Runs one command line (without argv[0]) and returns the exit status. Prints usage and help
// itself. A FatalError goes through to main.
int run_command(World& world, std::vector<std::string> arguments);

}  // namespace cli
