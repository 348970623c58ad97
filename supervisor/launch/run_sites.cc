// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/run_sites.h"

#include <unistd.h>

#include "ovpn/take_over.h"
#include "supervisor/host/disk_file_store.h"
#include "supervisor/host/local_manager.h"
#include "supervisor/launch/undo.h"
#include "supervisor/site/paths.h"

namespace launch {
namespace {

// Two managers of one site would pull its runtime folder from under each other.
std::optional<base::Problem> held_by_systemd(const std::string& site,
                                             host::ServiceManager* services) {
  if (services == nullptr) return std::nullopt;
  const std::string unit = site::unit_of(site);
  const auto status = services->status(unit);
  if (!status || status->active_state == "inactive" || status->active_state == "failed") {
    return std::nullopt;
  }
  return base::Problem{{}, site + " runs already, as " + unit, "systemctl stop " + unit};
}

}  // namespace

base::Result<bool> run_sites(const RunSitesRequest& request, host::ServiceManager* services,
                             const base::Log& log) {
  host::LocalSettings settings;
  settings.root = request.root;
  settings.program = request.program;
  if (!request.root.empty()) settings.options = {"--root", request.root};
  host::DiskFileStore files;
  const site::Paths paths(request.root);
  const Programs programs = find_programs(files, request.program);
  settings.command_after = [&](const std::string& site) {
    return undo_command(files, paths, programs, site, ::geteuid());
  };
  settings.rules.restart_signal = ovpn::leave_signal();
  settings.label_output = request.sites.size() > 1;
  host::LocalManager manager(settings, log);
  for (const std::string& site : request.sites) {
    if (auto problem = held_by_systemd(site, services)) return *std::move(problem);
    const std::string failure = manager.adopt(site);
    if (!failure.empty()) return base::Problem{{}, failure, {}};
  }
  return manager.run();
}

}  // namespace launch
