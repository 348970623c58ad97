// SPDX-License-Identifier: Apache-2.0
// What the command of a unit of stock OpenVPN says, as values. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "ovpn/directive.h"

namespace cli {

struct OldCommand {
  std::string config;                    // absolute
  std::string folder;                    // where the config's relative paths begin
  std::vector<ovpn::Directive> before;   // options that stand in front of --config: it goes on
  std::vector<ovpn::Directive> behind;   // and behind it: they win over its lines
  std::vector<int> cpus;                 // of a taskset in front of the program; empty: none
  std::vector<std::string> left_behind;  // other programs in front of it, such as nice
};

// `command`: program and arguments, as systemd has them; `folder`: where it is started. The Problem
// has no place: it is no OpenVPN, a shell's script, or names no config. What a unit does for its
// engine is not among the options: pid and status files, the log, going to the background.
base::Result<OldCommand> read_old_command(const std::vector<std::string>& command,
                                          const std::string& folder, int cpu_count);

}  // namespace cli
