// SPDX-License-Identifier: Apache-2.0
// A service manager in memory: units with the states a test gives them, and a list of what it was
// asked to do.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "supervisor/host/service_manager.h"

namespace support {

class FakeServiceManager : public host::ServiceManager {
 public:
  std::map<std::string, host::UnitStatus> units;
  std::vector<std::string> calls;  // "start tunctl@a.service"
  int systemd_version = 252;
  host::JobOutcome next_job;        // what start, stop and restart answer
  std::string started_status_text;  // STATUS= of a unit once it was started
  bool permitted = true;
  int asked = 0;                     // changes so far
  std::optional<int> fail_at;        // the number of the one that fails
  std::set<std::string> never_come;  // units whose job fails: "tunctl@a.service"

  base::Result<host::UnitStatus> status(const std::string& unit) override {
    const auto found = units.find(unit);
    if (found != units.end()) return found->second;
    host::UnitStatus status;
    status.unit = unit;
    status.active_state = "inactive";
    return status;
  }
  base::Result<std::vector<std::string>> instances(const std::string& prefix) override {
    std::vector<std::string> names;
    for (const auto& [unit, status] : units) {
      if (unit.starts_with(prefix)) names.push_back(unit);
    }
    return names;
  }
  base::Result<host::JobOutcome> start(const std::string& unit, base::Duration,
                                       const Progress& progress) override {
    return run("start", unit, "active", progress);
  }
  base::Result<host::JobOutcome> stop(const std::string& unit, base::Duration) override {
    return run("stop", unit, "inactive", {});
  }
  base::Result<host::JobOutcome> restart(const std::string& unit, base::Duration,
                                         const Progress& progress) override {
    return run("restart", unit, "active", progress);
  }
  base::Result<host::JobOutcome> reload(const std::string& unit, base::Duration) override {
    return run("reload", unit, "active", {});
  }
  base::Result<host::JobOutcome> enable(const std::vector<std::string>& names) override {
    return change_files("enable", names, "enabled");
  }
  base::Result<host::JobOutcome> disable(const std::vector<std::string>& names) override {
    return change_files("disable", names, "disabled");
  }
  base::Result<host::JobOutcome> mask(const std::vector<std::string>& names) override {
    return change_files("mask", names, "masked");
  }
  base::Result<host::JobOutcome> unmask(const std::vector<std::string>& names) override {
    return change_files("unmask", names, "enabled-runtime");
  }
  base::Result<host::JobOutcome> run_later(const std::string& name, base::Duration delay,
                                           const std::vector<std::string>& command) override {
    if (!permitted) return refusal();
    if (fails()) return base::Problem{{}, "no such thing", {}};
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(delay).count();
    std::string call = "in " + std::to_string(seconds) + "s, as " + name + ":";
    for (const std::string& word : command) call += " " + word;
    calls.push_back(call);
    units[name + ".timer"].active_state = "active";
    return host::JobOutcome{};
  }
  base::Result<host::JobOutcome> daemon_reload() override {
    if (!permitted) return refusal();
    calls.push_back("daemon-reload");
    return host::JobOutcome{};
  }
  base::Result<host::JobOutcome> reset_failed(const std::string& unit) override {
    if (!permitted) return refusal();
    calls.push_back("reset-failed " + unit);
    return host::JobOutcome{};
  }
  int version() const override { return systemd_version; }

 private:
  static base::Problem refusal() {
    return {{}, std::string(host::kNotPermitted) + ": Access denied", "run this as root"};
  }
  base::Result<host::JobOutcome> run(const std::string& what, const std::string& unit,
                                     const char* state, const Progress& progress) {
    if (!permitted) return refusal();
    if (fails()) return base::Problem{{}, "cannot " + what + " " + unit + ": no", {}};
    calls.push_back(what + " " + unit);
    host::UnitStatus& status = units[unit];
    status.unit = unit;
    status.loaded = true;
    host::JobOutcome outcome = next_job;
    if (never_come.contains(unit) && std::string(state) == "active") {
      status.active_state = "failed";
      outcome = {host::JobResult::kFailed, "the job failed"};
    }
    if (outcome.result == host::JobResult::kDone) {
      status.active_state = state;
      if (std::string(state) == "active") status.status_text = started_status_text;
    }
    if (progress) progress(status);
    return outcome;
  }
  bool fails() { return asked++ == fail_at; }
  base::Result<host::JobOutcome> change_files(const std::string& what,
                                              const std::vector<std::string>& names,
                                              const char* state) {
    if (!permitted) return refusal();
    if (fails()) return base::Problem{{}, "cannot " + what + " " + names.front() + ": no", {}};
    for (const std::string& unit : names) {
      calls.push_back(what + " " + unit);
      units[unit].unit = unit;
      units[unit].unit_file_state = state;
      if (units[unit].active_state.empty()) units[unit].active_state = "inactive";
    }
    return host::JobOutcome{};
  }
};

}  // namespace support
