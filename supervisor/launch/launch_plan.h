// SPDX-License-Identifier: Apache-2.0
// What `tunctl prepare` (root) leaves for `tunctl exec` (unprivileged) in
// /run/tunctl/NAME/launch.json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace launch {

struct LaunchPlan {
  std::string site;
  bool fastpath = true;
  std::string reason;             // why stock; empty for the fast path
  std::string program;            // absolute path of the engine
  std::vector<std::string> argv;  // without argv[0]
  std::vector<int> cpus;          // empty: leave the affinity as it is
  std::string cpus_word;          // "auto": they were decided at this start; empty: a list, or none
  std::vector<std::string> cpus_reasons;  // why so, a sentence each
  bool ready_connected = false;
  int ready_timeout_seconds = 90;
  int watchdog_seconds = 10;
  int nice = 0;  // of the engine; 0: as the manager gives it
  // Stock only: what its version needs beside argv (render::stock_arguments).
  std::vector<std::string> stock_26, stock_27;
  // Stock only: after this long without a word from the peer the link has run dry and nothing is
  // sent any more, so the guard starts the try anew; 0: this config goes on by itself.
  int dry_after_seconds = 0;
  std::string interface;       // as the engine will call it; empty: none (dev null)
  std::string runtime_folder;  // /run/tunctl/NAME
  std::string state_folder;    // /var/lib/tunctl/NAME, or the runtime folder

  friend bool operator==(const LaunchPlan&, const LaunchPlan&) = default;
};

inline constexpr const char* kLaunchFile = "launch.json";
inline constexpr const char* kAskSocket = "ask";  // where the engine asks a person, likewise there

std::string format_launch_plan(const LaunchPlan& plan);  // JSON, stable key order
base::Result<LaunchPlan> parse_launch_plan(std::string_view file, std::string_view text);

}  // namespace launch
