// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/unit_record.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "supervisor/host/disk_file_store.h"

namespace host {
namespace {

constexpr std::string_view kPrefix = "tunctl@", kSuffix = ".service";
constexpr std::string_view kRecordEnd = ".unit.json";

base::Problem no_systemd() {
  return {{}, std::string(kNoSystemd), "use `tunctl run NAME` in the foreground"};
}

}  // namespace

std::string format_unit_record(const UnitStatus& status) {
  const nlohmann::ordered_json json = {{"schema", "tunctl.unit/1"},
                                       {"unit", status.unit},
                                       {"active-state", status.active_state},
                                       {"sub-state", status.sub_state},
                                       {"result", status.result},
                                       {"status-text", status.status_text},
                                       {"main-pid", status.main_pid},
                                       {"exit-code", status.exit_code},
                                       {"exit-status", status.exit_status},
                                       {"restarts", status.restarts},
                                       {"active-since", status.active_since},
                                       {"watchdog-usec", status.watchdog_usec}};
  // A STATUS line is bytes from an engine; what is no UTF-8 must not stop the record.
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::optional<UnitStatus> parse_unit_record(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    UnitStatus status;
    status.loaded = true;
    json.at("unit").get_to(status.unit);
    json.at("active-state").get_to(status.active_state);
    json.at("sub-state").get_to(status.sub_state);
    json.at("result").get_to(status.result);
    json.at("status-text").get_to(status.status_text);
    json.at("main-pid").get_to(status.main_pid);
    json.at("exit-code").get_to(status.exit_code);
    json.at("exit-status").get_to(status.exit_status);
    json.at("restarts").get_to(status.restarts);
    json.at("active-since").get_to(status.active_since);
    json.at("watchdog-usec").get_to(status.watchdog_usec);
    return status;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

std::string unit_record_path(const std::string& run_folder, const std::string& site) {
  return run_folder + "/" + site + std::string(kRecordEnd);
}

base::UniqueFd lock_site(const std::string& run_folder, const std::string& site) {
  const std::string path = run_folder + "/" + site + ".lock";
  for (;;) {
    base::UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!fd || ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return base::UniqueFd{};
    // Its holder may have taken the file away between our open and our lock.
    struct stat held {
    }, named{};
    if (::fstat(fd.get(), &held) == 0 && ::stat(path.c_str(), &named) == 0 &&
        held.st_ino == named.st_ino) {
      const std::string pid = std::to_string(::getpid()) + "\n";
      // Without it nobody can be told who; the lock holds all the same.
      [[maybe_unused]] const bool told =
          ::ftruncate(fd.get(), 0) == 0 && ::pwrite(fd.get(), pid.data(), pid.size(), 0) > 0;
      return fd;
    }
  }
}

void unlock_site(const std::string& run_folder, const std::string& site, base::UniqueFd lock) {
  if (lock) ::unlink((run_folder + "/" + site + ".lock").c_str());
}

bool is_site_locked(const std::string& run_folder, const std::string& site) {
  const std::string path = run_folder + "/" + site + ".lock";
  const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return fd && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0;
}

int site_holder(const std::string& run_folder, const std::string& site) {
  if (!is_site_locked(run_folder, site)) return 0;
  const auto text = base::read_file(run_folder + "/" + site + ".lock");
  return text ? base::parse_number<int>(base::trim(*text)).value_or(-1) : -1;
}

std::string site_of_unit(const std::string& unit) {
  if (!unit.starts_with(kPrefix) || !unit.ends_with(kSuffix)) return unit;
  return unit.substr(kPrefix.size(), unit.size() - kPrefix.size() - kSuffix.size());
}

std::string unit_of_site(const std::string& site) {
  return std::string(kPrefix) + site + std::string(kSuffix);
}

base::Result<UnitStatus> RecordedManager::status(const std::string& unit) {
  const std::string site = site_of_unit(unit);
  UnitStatus dead;
  dead.unit = unit;
  dead.loaded = true;
  dead.active_state = "inactive";
  dead.sub_state = "dead";
  const auto text = base::read_file(unit_record_path(run_folder_, site));
  if (!text) return dead;
  auto status = parse_unit_record(*text);
  if (!status) return dead;
  // A record whose writer was killed says what was, not what is.
  if (!is_site_locked(run_folder_, site) && status->active_state != "failed") return dead;
  return *status;
}

base::Result<std::vector<std::string>> RecordedManager::instances(
    const std::string& template_prefix) {
  std::vector<std::string> units;
  for (const auto& name : DiskFileStore().list(run_folder_)) {
    if (!name.ends_with(kRecordEnd)) continue;
    const auto unit = unit_of_site(name.substr(0, name.size() - kRecordEnd.size()));
    if (unit.starts_with(template_prefix)) units.push_back(unit);
  }
  return units;
}

base::Result<JobOutcome> RecordedManager::start(const std::string&, base::Duration,
                                                const Progress&) {
  return no_systemd();
}
base::Result<JobOutcome> RecordedManager::stop(const std::string&, base::Duration) {
  return no_systemd();
}
base::Result<JobOutcome> RecordedManager::restart(const std::string&, base::Duration,
                                                  const Progress&) {
  return no_systemd();
}
base::Result<JobOutcome> RecordedManager::reload(const std::string&, base::Duration) {
  return no_systemd();
}
base::Result<JobOutcome> RecordedManager::enable(const std::vector<std::string>&) {
  return no_systemd();
}
base::Result<JobOutcome> RecordedManager::disable(const std::vector<std::string>&) {
  return no_systemd();
}
base::Result<JobOutcome> RecordedManager::mask(const std::vector<std::string>&) {
  return no_systemd();
}
base::Result<JobOutcome> RecordedManager::unmask(const std::vector<std::string>&) {
  return no_systemd();
}
base::Result<JobOutcome> RecordedManager::run_later(const std::string&, base::Duration,
                                                    const std::vector<std::string>&) {
  return no_systemd();
}
base::Result<JobOutcome> RecordedManager::daemon_reload() { return no_systemd(); }
base::Result<JobOutcome> RecordedManager::reset_failed(const std::string&) { return no_systemd(); }

}  // namespace host
