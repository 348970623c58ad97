// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/unique_fd.h"
#include "supervisor/host/notify.h"
#include "supervisor/host/service_manager.h"
#include "supervisor/host/site_processes.h"

namespace host {

// Runs sites as our own children where there is no systemd, by the unit's rules. Resource; one
// thread, which must be the one that lives longest (children die with it). While it lives SIGCHLD,
// SIGTERM, SIGINT and SIGHUP are blocked and read by it.
class LocalManager : public ServiceManager {
 public:
  LocalManager(LocalSettings settings, base::Log log);
  ~LocalManager() override;  // kills what still runs
  LocalManager(const LocalManager&) = delete;
  LocalManager& operator=(const LocalManager&) = delete;

  // Takes hold of `site` (its lock and its record). Empty, or why not: somebody else runs it.
  [[nodiscard]] std::string adopt(const std::string& site);
  // The loop of `tunctl run`: starts every adopted site, tells the manager above (sd_notify), and
  // returns when SIGTERM or SIGINT has come and all have stopped, or when every one has failed for
  // good. True: it was asked to end.
  bool run();
  void run_for(base::Duration time);  // the loop alone, without start or end

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
  int version() const override { return 0; }

 private:
  struct Slot;

  Slot* slot_of(const std::string& unit);
  void turn(base::Duration longest);  // one round of the loop
  void read_signals();
  void read_notifications();
  void read_output(Slot& slot, bool last);
  void reap();
  void stop_all();
  void reload_all();
  void write_records(bool now);
  void tell_manager_above();
  int milliseconds_to_wait(base::Duration longest) const;

  const LocalSettings settings_;
  const base::Log log_;
  const std::string run_folder_;
  NotifySocket notify_;
  base::UniqueFd signals_;
  std::vector<std::unique_ptr<Slot>> slots_;
  bool ending_ = false;
  bool said_ready_ = false;
  std::string last_status_;
};

}  // namespace host
