// SPDX-License-Identifier: Apache-2.0
// How `tunctl status` learns of tunnels that `tunctl run` holds: a file beside the runtime folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "supervisor/host/service_manager.h"

namespace host {

std::string format_unit_record(const UnitStatus& status);  // JSON
std::optional<UnitStatus> parse_unit_record(std::string_view text);

// /run/tunctl/NAME.unit.json and /run/tunctl/NAME.lock. A site's name has no dot, so neither can be
// another site's runtime folder. `run_folder` is /run/tunctl below --root.
std::string unit_record_path(const std::string& run_folder, const std::string& site);

// Held as long as the site is run here; the kernel lets go of it when the holder dies. Empty fd:
// somebody else runs it (or the file cannot be made: see errno).
base::UniqueFd lock_site(const std::string& run_folder, const std::string& site);
// Lets go of it and takes its file away.
void unlock_site(const std::string& run_folder, const std::string& site, base::UniqueFd lock);
bool is_site_locked(const std::string& run_folder, const std::string& site);
// The process that holds it: a `tunctl run`. 0: none.
int site_holder(const std::string& run_folder, const std::string& site);

// "tunctl@site-a.service" <-> "site-a"; the unit itself if it is no tunctl unit.
std::string site_of_unit(const std::string& unit);
std::string unit_of_site(const std::string& site);

// Reads what `tunctl run` writes. Can see, but neither start nor stop.
class RecordedManager : public ServiceManager {
 public:
  explicit RecordedManager(std::string run_folder) : run_folder_(std::move(run_folder)) {}

  base::Result<UnitStatus> status(const std::string& unit) override;
  base::Result<std::vector<std::string>> instances(const std::string& template_prefix) override;
  base::Result<JobOutcome> start(const std::string&, base::Duration, const Progress&) override;
  base::Result<JobOutcome> stop(const std::string&, base::Duration) override;
  base::Result<JobOutcome> restart(const std::string&, base::Duration, const Progress&) override;
  base::Result<JobOutcome> reload(const std::string&, base::Duration) override;
  base::Result<JobOutcome> enable(const std::vector<std::string>&) override;
  base::Result<JobOutcome> disable(const std::vector<std::string>&) override;
  base::Result<JobOutcome> mask(const std::vector<std::string>&) override;
  base::Result<JobOutcome> unmask(const std::vector<std::string>&) override;
  base::Result<JobOutcome> run_later(const std::string&, base::Duration,
                                     const std::vector<std::string>&) override;
  base::Result<JobOutcome> daemon_reload() override;
  base::Result<JobOutcome> reset_failed(const std::string&) override;
  int version() const override { return 0; }

 private:
  std::string run_folder_;
};

}  // namespace host
