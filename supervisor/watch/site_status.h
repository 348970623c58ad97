// SPDX-License-Identifier: Apache-2.0
// How a tunnel fares, as a value, and the rules that judge it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "ovpn/status_line.h"
#include "supervisor/host/process_facts.h"
#include "supervisor/host/service_manager.h"

namespace watch {

// What launch.json says of the engine that runs (or ran last).
struct EngineFacts {
  bool fastpath = true;
  std::string reason;          // why stock
  std::string program;         // as installed
  std::string interface;       // empty: none
  std::vector<int> cpus;       // asked for; empty: none asked
  std::string cpus_word = {};  // by this word, and decided at its start; empty: by their list
  std::vector<std::string> cpus_reasons = {};  // then also why so
};

// Everything that was looked up about one site.
struct Observation {
  std::string site;
  host::UnitStatus unit;
  std::optional<EngineFacts> engine;        // nothing: not prepared, or not ours to read
  host::ProcessFacts main;                  // of unit.main_pid: the fast path, or stock's guard
  std::optional<host::ProcessFacts> stock;  // the guard's child
  int stock_pid = 0;                        // likewise
  bool drop_in_differs = false;             // the drop-in is not what the site file asks for
  // Site file, config, keys or logins say another thing than when it was started; false also where
  // that cannot be known.
  bool site_differs = false;
  // The journal's newest error of this unit; of one that runs, the newest of before its start. May
  // be empty.
  std::string last_error;
  base::UnixSeconds now = 0;
};

enum class Health {
  kUp,        // the peer is heard
  kDegraded,  // it is, and something is wrong all the same
  kDown,
};
std::string_view to_string(Health health);  // "up", "degraded", "down"

struct SiteStatus {
  std::string site;
  Health health = Health::kDown;
  std::string cause;     // one clause; empty when up
  bool running = false;  // the unit is active: down then means that the peer is not heard
  host::UnitStatus unit;
  std::optional<ovpn::StatusLine> line;  // the engine's own words
  std::optional<EngineFacts> engine;
  int engine_pid = 0;  // that carries the packets: the main one, or stock's below its guard
  std::vector<host::ThreadFacts> threads;  // of the engine, affinities as the kernel holds them
  std::string last_failure;                // why it last ended without being asked; may be empty
  // What a person should look at although the verdict does not depend on it: an older program, CPUs
  // that differ, a drop-in that no longer fits, units to be loaded anew, failed authentications.
  std::vector<std::string> warnings;
};

SiteStatus judge(const Observation& observation);

// "exit status 78 (a restart cannot mend it)", "killed by signal 9", "watchdog": from the unit's
// result and its last process. Empty if nothing has failed.
std::string failure_words(const host::UnitStatus& unit);

}  // namespace watch
