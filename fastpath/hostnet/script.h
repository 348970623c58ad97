// SPDX-License-Identifier: Apache-2.0
// Running a user's script the way OpenVPN does: no shell, an environment of its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "fastpath/hostnet/child.h"

namespace hostnet {

// The command line's words (OpenVPN's quoting), or a Problem.
base::Result<std::vector<std::string>> split_command(const std::string& command);

// Why `command` can never run: its program is not there, or is not executable. Nothing if it can.
std::optional<base::Problem> why_not_runnable(const std::string& command);

// Runs `command` with `arguments` behind its own as run_child() does. Nothing on exit status 0,
// else what went wrong.
[[nodiscard]] std::optional<base::Problem> run_script(const std::string& command,
                                                      const std::vector<std::string>& arguments,
                                                      const Environment& environment,
                                                      const WhileRunning& meanwhile = {});

}  // namespace hostnet
