// SPDX-License-Identifier: Apache-2.0
// Whoever starts, stops and restarts tunnels: systemd, or our own manager where there is none.
// Nobody else restarts anything.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"

namespace host {

// A unit's properties as systemd names them, in our types.
struct UnitStatus {
  std::string unit;             // "tunctl@site-a.service"
  bool loaded = false;          // the unit file exists
  std::string active_state;     // active, activating, deactivating, inactive, failed
  std::string sub_state;        // running, auto-restart, start, …
  std::string result;           // success, exit-code, signal, watchdog, timeout, …
  std::string unit_file_state;  // enabled, disabled, static, …
  std::string status_text;      // STATUS= of the service, see ovpn/status_line.h
  int main_pid = 0;
  int exit_code = 0, exit_status = 0;  // of the last main process (CLD_* and its value)
  std::uint32_t restarts = 0;          // NRestarts
  std::vector<int> cpu_affinity;       // the unit's CPUAffinity; empty: none asked
  base::UnixSeconds active_since = 0;  // 0: not active
  std::uint64_t watchdog_usec = 0;
  bool needs_reload = false;  // unit files changed since they were loaded
  // Of its first ExecStart=, specifiers filled in; variables are not. And WorkingDirectory=.
  std::vector<std::string> command;
  std::string working_folder;
};

enum class JobResult { kDone, kFailed, kTimedOut, kRefused, kCancelled };

struct JobOutcome {
  JobResult result = JobResult::kDone;
  std::string message;  // the manager's own words when not done
};

// How a Problem of this room begins when the caller lacks a right, and when nobody here manages
// services: the two that a command answers with an exit status of their own.
inline constexpr std::string_view kNotPermitted = "not permitted";
inline constexpr std::string_view kNoSystemd = "systemd is not running here";
inline bool is_not_permitted(const base::Problem& problem) {
  return problem.message.starts_with(kNotPermitted);
}
inline bool is_no_systemd(const base::Problem& problem) {
  return problem.message.starts_with(kNoSystemd);
}

// Used by one thread. Calls that need privileges return a Problem saying so, with the remedy.
class ServiceManager {
 public:
  virtual ~ServiceManager() = default;

  virtual base::Result<UnitStatus> status(const std::string& unit) = 0;
  virtual base::Result<std::vector<std::string>> instances(
      const std::string& template_prefix) = 0;  // loaded "tunctl@*"
  // Each waits until the job is done or `limit` has passed; `progress` gets the unit's status text
  // as it changes and may be empty.
  using Progress = std::function<void(const UnitStatus&)>;
  virtual base::Result<JobOutcome> start(const std::string& unit, base::Duration limit,
                                         const Progress& progress) = 0;
  virtual base::Result<JobOutcome> stop(const std::string& unit, base::Duration limit) = 0;
  virtual base::Result<JobOutcome> restart(const std::string& unit, base::Duration limit,
                                           const Progress& progress) = 0;
  virtual base::Result<JobOutcome> reload(const std::string& unit, base::Duration limit) = 0;
  virtual base::Result<JobOutcome> enable(const std::vector<std::string>& units) = 0;
  virtual base::Result<JobOutcome> disable(const std::vector<std::string>& units) = 0;
  // Keeps units from being started by anything at all, and lets them again.
  virtual base::Result<JobOutcome> mask(const std::vector<std::string>& units) = 0;
  virtual base::Result<JobOutcome> unmask(const std::vector<std::string>& units) = 0;
  // Has the manager itself run `command` as root after `delay`, and again every few seconds until
  // it ends well: by units of its own, `name`.timer and `name`.service, which need nobody to live
  // and are gone with the machine's next boot. Stopping the timer calls it off.
  virtual base::Result<JobOutcome> run_later(const std::string& name, base::Duration delay,
                                             const std::vector<std::string>& command) = 0;
  virtual base::Result<JobOutcome> daemon_reload() = 0;
  virtual base::Result<JobOutcome> reset_failed(const std::string& unit) = 0;
  virtual int version() const = 0;  // systemd's major version; 0: no systemd
};

}  // namespace host
