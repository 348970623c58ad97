// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "supervisor/host/bus.h"
#include "supervisor/host/service_manager.h"

namespace host {

// systemd over sd-bus: jobs, unit properties, enablement. Resource: one connection, one thread.
class SystemdManager : public ServiceManager {
 public:
  // Problem: kNoSystemd, or no way to reach it.
  static base::Result<std::unique_ptr<SystemdManager>> connect();
  ~SystemdManager() override;
  SystemdManager(const SystemdManager&) = delete;
  SystemdManager& operator=(const SystemdManager&) = delete;

  base::Result<UnitStatus> status(const std::string& unit) override;
  base::Result<std::vector<std::string>> instances(const std::string& template_prefix) override;
  base::Result<JobOutcome> start(const std::string& unit, base::Duration limit,
                                 const Progress& progress) override;
  base::Result<JobOutcome> stop(const std::string& unit, base::Duration limit) override;
  base::Result<JobOutcome> restart(const std::string& unit, base::Duration limit,
                                   const Progress& progress) override;
  base::Result<JobOutcome> reload(const std::string& unit, base::Duration limit) override;
  base::Result<JobOutcome> enable(const std::vector<std::string>& units) override;
  base::Result<JobOutcome> disable(const std::vector<std::string>& units) override;
  base::Result<JobOutcome> mask(const std::vector<std::string>& units) override;
  base::Result<JobOutcome> unmask(const std::vector<std::string>& units) override;
  base::Result<JobOutcome> run_later(const std::string& name, base::Duration delay,
                                     const std::vector<std::string>& command) override;
  base::Result<JobOutcome> daemon_reload() override;
  base::Result<JobOutcome> reset_failed(const std::string& unit) override;
  int version() const override { return version_; }

 private:
  explicit SystemdManager(UniqueBus bus);

  base::Result<std::string> unit_path(const std::string& unit);
  base::Result<JobOutcome> run_job(const char* method, const std::string& what,
                                   const std::string& unit, base::Duration limit,
                                   const Progress& progress);
  base::Result<JobOutcome> wait_for_job(const std::string& job, const std::string& unit,
                                        base::Duration limit, const Progress& progress);
  base::Result<JobOutcome> change_unit_files(const char* method, const std::string& what,
                                             const std::vector<std::string>& units);
  void watch_unit(const std::string& unit);
  void tell_progress(const std::string& unit, const Progress& progress);
  static int on_job_removed(sd_bus_message* message, void* self, sd_bus_error* error);
  static int on_properties_changed(sd_bus_message* message, void* self, sd_bus_error* error);

  UniqueBus bus_;
  int version_ = 0;
  std::map<std::string, std::string> finished_jobs_;  // path -> result, until somebody asked
  std::string watched_path_;                          // of the unit PropertiesChanged is asked for
  bool properties_changed_ = false;
};

}  // namespace host
