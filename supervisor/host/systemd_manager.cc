// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/systemd_manager.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

namespace host {
namespace {

constexpr base::Duration kTimerLimit = std::chrono::seconds(10);

struct BusError {
  sd_bus_error error = SD_BUS_ERROR_NULL;
  ~BusError() { sd_bus_error_free(&error); }
};

base::Problem problem_of(const std::string& what, const BusError& error, int result) {
  if (error.error.name == nullptr && result == -EACCES) {
    return bus_problem(what, ".AccessDenied", nullptr);
  }
  return bus_problem(what, error.error.name,
                     error.error.message == nullptr ? ::strerror(-result) : error.error.message);
}

JobResult result_of(std::string_view word) {
  if (word == "done" || word == "skipped") return JobResult::kDone;
  if (word == "timeout") return JobResult::kTimedOut;
  if (word == "canceled") return JobResult::kCancelled;
  return JobResult::kFailed;  // failed, dependency, invalid, assert, unsupported, collected, once
}

JobOutcome outcome_of(const std::string& word) {
  JobOutcome outcome{result_of(word), {}};
  if (outcome.result != JobResult::kDone) outcome.message = "systemd's job ended with: " + word;
  return outcome;
}

// Manager.Version is "252.39-1~deb12u2" or "v252"; the first number counts.
int major_version(std::string_view text) {
  const auto digit = text.find_first_of("0123456789");
  if (digit == std::string_view::npos) return 0;
  return std::atoi(std::string(text.substr(digit)).c_str());
}

}  // namespace

base::Result<std::unique_ptr<SystemdManager>> SystemdManager::connect() {
  auto bus = open_bus(::geteuid() == 0);
  if (!bus) return bus.error();
  return std::unique_ptr<SystemdManager>(new SystemdManager(std::move(bus).value()));
}

SystemdManager::SystemdManager(UniqueBus bus) : bus_(std::move(bus)) {
  BusError error;
  char* version = nullptr;
  if (sd_bus_get_property_string(bus_.get(), kSystemdName, kManagerPath, kManagerInterface,
                                 "Version", &error.error, &version) >= 0) {
    version_ = major_version(version);
    ::free(version);
  }
  sd_bus_match_signal(bus_.get(), nullptr, kSystemdName, kManagerPath, kManagerInterface,
                      "JobRemoved", on_job_removed, this);
  // Without Subscribe the manager sends no signals to the bus.
  sd_bus_call_method(bus_.get(), kSystemdName, kManagerPath, kManagerInterface, "Subscribe",
                     nullptr, nullptr, nullptr);
}

SystemdManager::~SystemdManager() = default;

base::Result<std::string> SystemdManager::unit_path(const std::string& unit) {
  BusError error;
  sd_bus_message* raw = nullptr;
  const int result = sd_bus_call_method(bus_.get(), kSystemdName, kManagerPath, kManagerInterface,
                                        "LoadUnit", &error.error, &raw, "s", unit.c_str());
  const UniqueMessage reply(raw);
  const char* path = nullptr;
  if (result < 0 || sd_bus_message_read(raw, "o", &path) < 0) {
    return problem_of("look at " + unit, error, result);
  }
  return std::string(path);
}

base::Result<UnitStatus> SystemdManager::status(const std::string& unit) {
  const auto path = unit_path(unit);
  if (!path) return path.error();
  UnitStatus status;
  status.unit = unit;
  for (const char* interface :
       {"org.freedesktop.systemd1.Unit", "org.freedesktop.systemd1.Service"}) {
    BusError error;
    sd_bus_message* raw = nullptr;
    const int result = sd_bus_call_method(bus_.get(), kSystemdName, path->c_str(),
                                          "org.freedesktop.DBus.Properties", "GetAll", &error.error,
                                          &raw, "s", interface);
    const UniqueMessage reply(raw);
    // A unit that is no service (a target) has no second set.
    if (result < 0 && !unit.ends_with(".service")) continue;
    if (result < 0) return problem_of("look at " + unit, error, result);
    if (!read_unit_properties(raw, status)) {
      return base::Problem{{}, "systemd's answer about " + unit + " is not understood", {}};
    }
  }
  return status;
}

base::Result<std::vector<std::string>> SystemdManager::instances(
    const std::string& template_prefix) {
  BusError error;
  sd_bus_message* raw = nullptr;
  const std::string pattern = template_prefix + "*";
  const int result =
      sd_bus_call_method(bus_.get(), kSystemdName, kManagerPath, kManagerInterface,
                         "ListUnitsByPatterns", &error.error, &raw, "asas", 0, 1, pattern.c_str());
  const UniqueMessage reply(raw);
  if (result < 0) return problem_of("list units", error, result);
  std::vector<std::string> names;
  if (sd_bus_message_enter_container(raw, 'a', "(ssssssouso)") < 0) return names;
  const char* name = nullptr;
  while (sd_bus_message_enter_container(raw, 'r', "ssssssouso") > 0) {
    if (sd_bus_message_read(raw, "s", &name) < 0) break;
    names.push_back(name);
    if (sd_bus_message_skip(raw, "sssssouso") < 0 || sd_bus_message_exit_container(raw) < 0) break;
  }
  std::sort(names.begin(), names.end());
  return names;
}

int SystemdManager::on_job_removed(sd_bus_message* message, void* self, sd_bus_error*) {
  std::uint32_t id = 0;
  const char *job = nullptr, *unit = nullptr, *result = nullptr;
  if (sd_bus_message_read(message, "uoss", &id, &job, &unit, &result) >= 0) {
    static_cast<SystemdManager*>(self)->finished_jobs_[job] = result;
  }
  return 0;
}

int SystemdManager::on_properties_changed(sd_bus_message*, void* self, sd_bus_error*) {
  static_cast<SystemdManager*>(self)->properties_changed_ = true;
  return 0;
}

void SystemdManager::watch_unit(const std::string& unit) {
  const auto path = unit_path(unit);
  if (!path || *path == watched_path_) return;
  watched_path_ = *path;
  sd_bus_match_signal(bus_.get(), nullptr, kSystemdName, watched_path_.c_str(),
                      "org.freedesktop.DBus.Properties", "PropertiesChanged", on_properties_changed,
                      this);
}

void SystemdManager::tell_progress(const std::string& unit, const Progress& progress) {
  properties_changed_ = false;
  const auto now = status(unit);
  if (now) progress(*now);
}

base::Result<JobOutcome> SystemdManager::wait_for_job(const std::string& job,
                                                      const std::string& unit, base::Duration limit,
                                                      const Progress& progress) {
  const base::TimePoint end = base::monotonic_now() + limit;
  for (;;) {
    int result = sd_bus_process(bus_.get(), nullptr);
    if (result < 0) return problem_of("wait for " + unit, {}, result);
    if (const auto found = finished_jobs_.find(job); found != finished_jobs_.end()) {
      const JobOutcome outcome = outcome_of(found->second);
      finished_jobs_.erase(found);
      return outcome;
    }
    if (result > 0) continue;
    if (properties_changed_ && progress) tell_progress(unit, progress);
    const base::Duration left = end - base::monotonic_now();
    if (left <= base::Duration::zero()) {
      return JobOutcome{JobResult::kTimedOut, "not done in time; it goes on in the background"};
    }
    const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(left).count();
    result = sd_bus_wait(bus_.get(), static_cast<std::uint64_t>(microseconds));
    if (result < 0 && result != -EINTR) return problem_of("wait for " + unit, {}, result);
  }
}

base::Result<JobOutcome> SystemdManager::run_job(const char* method, const std::string& what,
                                                 const std::string& unit, base::Duration limit,
                                                 const Progress& progress) {
  finished_jobs_.clear();
  if (progress) watch_unit(unit);
  BusError error;
  sd_bus_message* raw = nullptr;
  const int result = sd_bus_call_method(bus_.get(), kSystemdName, kManagerPath, kManagerInterface,
                                        method, &error.error, &raw, "ss", unit.c_str(), "replace");
  const UniqueMessage reply(raw);
  const char* job = nullptr;
  if (result < 0 || sd_bus_message_read(raw, "o", &job) < 0) {
    return problem_of(what + " " + unit, error, result);
  }
  return wait_for_job(job, unit, limit, progress);
}

base::Result<JobOutcome> SystemdManager::start(const std::string& unit, base::Duration limit,
                                               const Progress& progress) {
  return run_job("StartUnit", "start", unit, limit, progress);
}

base::Result<JobOutcome> SystemdManager::stop(const std::string& unit, base::Duration limit) {
  return run_job("StopUnit", "stop", unit, limit, {});
}

base::Result<JobOutcome> SystemdManager::restart(const std::string& unit, base::Duration limit,
                                                 const Progress& progress) {
  return run_job("RestartUnit", "restart", unit, limit, progress);
}

base::Result<JobOutcome> SystemdManager::reload(const std::string& unit, base::Duration limit) {
  return run_job("ReloadUnit", "reload", unit, limit, {});
}

base::Result<JobOutcome> SystemdManager::change_unit_files(const char* method,
                                                           const std::string& what,
                                                           const std::vector<std::string>& units) {
  sd_bus_message* raw = nullptr;
  int result = sd_bus_message_new_method_call(bus_.get(), &raw, kSystemdName, kManagerPath,
                                              kManagerInterface, method);
  const UniqueMessage call(raw);
  std::vector<char*> names;
  for (const auto& unit : units) names.push_back(const_cast<char*>(unit.c_str()));
  names.push_back(nullptr);
  if (result >= 0) result = sd_bus_message_append_strv(raw, names.data());
  // runtime: no (it shall last over a reboot); force (where something is made): no.
  const std::string_view makes = method;
  if (result >= 0) result = sd_bus_message_append(raw, "b", 0);
  if (result >= 0 && (makes == "EnableUnitFiles" || makes == "MaskUnitFiles")) {
    result = sd_bus_message_append(raw, "b", 0);
  }
  BusError error;
  sd_bus_message* answer = nullptr;
  if (result >= 0) result = sd_bus_call(bus_.get(), raw, 0, &error.error, &answer);
  const UniqueMessage reply(answer);
  if (result < 0) return problem_of(what, error, result);
  return daemon_reload();
}

base::Result<JobOutcome> SystemdManager::enable(const std::vector<std::string>& units) {
  return change_unit_files("EnableUnitFiles", fmt::format("enable {}", fmt::join(units, " ")),
                           units);
}

base::Result<JobOutcome> SystemdManager::disable(const std::vector<std::string>& units) {
  return change_unit_files("DisableUnitFiles", fmt::format("disable {}", fmt::join(units, " ")),
                           units);
}

base::Result<JobOutcome> SystemdManager::mask(const std::vector<std::string>& units) {
  return change_unit_files("MaskUnitFiles", fmt::format("mask {}", fmt::join(units, " ")), units);
}

base::Result<JobOutcome> SystemdManager::unmask(const std::vector<std::string>& units) {
  return change_unit_files("UnmaskUnitFiles", fmt::format("unmask {}", fmt::join(units, " ")),
                           units);
}

base::Result<JobOutcome> SystemdManager::run_later(const std::string& name, base::Duration delay,
                                                   const std::vector<std::string>& command) {
  // An earlier one that failed may be waiting for its next try: this one takes its place.
  const auto before = status(name + ".service");
  if (before && before->sub_state.starts_with("auto-restart")) {
    static_cast<void>(stop(name + ".service", kTimerLimit));  // in vain: the start below says why
  }
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(delay).count();
  // systemd forgets a unit that has just ended with its next turn, and refuses the same until then.
  constexpr int kTries = 20;
  constexpr auto kPause = std::chrono::milliseconds(100);
  finished_jobs_.clear();
  for (int tries = 1;; ++tries) {
    sd_bus_message* raw = nullptr;
    int result = sd_bus_message_new_method_call(bus_.get(), &raw, kSystemdName, kManagerPath,
                                                kManagerInterface, "StartTransientUnit");
    const UniqueMessage call(raw);
    if (result >= 0) {
      result = append_later(raw, name, static_cast<std::uint64_t>(microseconds), command);
    }
    BusError error;
    sd_bus_message* answer = nullptr;
    if (result >= 0) result = sd_bus_call(bus_.get(), raw, 0, &error.error, &answer);
    const UniqueMessage reply(answer);
    const char* job = nullptr;
    if (result >= 0 && sd_bus_message_read(answer, "o", &job) >= 0) {
      return wait_for_job(job, name + ".timer", kTimerLimit, {});
    }
    const bool there = sd_bus_error_has_name(&error.error, "org.freedesktop.systemd1.UnitExists");
    if (!there || tries == kTries) return problem_of("start " + name + ".timer", error, result);
    std::this_thread::sleep_for(kPause);
  }
}

base::Result<JobOutcome> SystemdManager::daemon_reload() {
  BusError error;
  const int result = sd_bus_call_method(bus_.get(), kSystemdName, kManagerPath, kManagerInterface,
                                        "Reload", &error.error, nullptr, nullptr);
  if (result < 0) return problem_of("reload systemd's unit files", error, result);
  return JobOutcome{};
}

base::Result<JobOutcome> SystemdManager::reset_failed(const std::string& unit) {
  BusError error;
  const int result =
      sd_bus_call_method(bus_.get(), kSystemdName, kManagerPath, kManagerInterface,
                         "ResetFailedUnit", &error.error, nullptr, "s", unit.c_str());
  if (result < 0) return problem_of("reset " + unit, error, result);
  return JobOutcome{};
}

}  // namespace host
