// SPDX-License-Identifier: Apache-2.0
// Running a user's script the way OpenVPN does: no shell, an environment of its own.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace hostnet {

using Environment = std::vector<std::pair<std::string, std::string>>;

// The command line's words (OpenVPN's quoting), or a Problem.
base::Result<std::vector<std::string>> split_command(const std::string& command);

// Why `command` can never run: its program is not there, or is not executable. Nothing if it can.
std::optional<base::Problem> why_not_runnable(const std::string& command);

// Runs `command` with `arguments` behind its own and waits for it. Nothing on exit status 0, else
// what went wrong. Descriptors of ours are all close-on-exec; signals are set back to their
// defaults. Of two entries of one name the later wins. A PATH is added where there is none.
[[nodiscard]] std::optional<base::Problem> run_script(const std::string& command,
                                                      const std::vector<std::string>& arguments,
                                                      const Environment& environment);

}  // namespace hostnet
