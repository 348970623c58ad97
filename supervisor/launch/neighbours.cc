// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/neighbours.h"

#include <optional>
#include <utility>

#include "supervisor/host/unit_record.h"
#include "supervisor/launch/launch_plan.h"
#include "supervisor/site/site.h"

namespace launch {
namespace {

std::optional<placement::Neighbour> neighbour(host::FileStore& files, const std::string& folder) {
  const auto text = files.read(folder + "/" + kLaunchFile);
  if (!text) return std::nullopt;
  auto plan = parse_launch_plan(folder, *text);
  if (!plan || plan->cpus.empty()) return std::nullopt;
  return placement::Neighbour{plan->site, std::move(plan->cpus)};
}

}  // namespace

std::vector<placement::Neighbour> neighbours_of(std::string_view site, host::FileStore& files,
                                                const site::Paths& paths) {
  std::vector<placement::Neighbour> found;
  for (const std::string& name : files.list(paths.run_folder())) {
    if (name == site || !site::is_site_name(name)) continue;
    // systemd takes the folder away when the unit has ended.
    if (auto other = neighbour(files, paths.runtime_folder(name))) found.push_back(*other);
  }
  for (const std::string& name : files.list(site::folder_of(paths.foreground_folder("x")))) {
    if (name == site || !site::is_site_name(name)) continue;
    // A `tunctl run` that was killed leaves its folders.
    if (host::site_holder(paths.run_folder(), name) == 0) continue;
    if (auto other = neighbour(files, paths.foreground_folder(name))) found.push_back(*other);
  }
  return found;
}

}  // namespace launch
