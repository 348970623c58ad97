// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/site_life.h"

#include "base/file.h"
#include "supervisor/cli/site_view.h"
#include "supervisor/plan/apply.h"

namespace cli {
namespace {

constexpr mode_t kFolderMode = 0755;
constexpr mode_t kDropInMode = 0644;
constexpr const char* kTarget = "tunctl.target";

// A command that was killed may have changed unit files without a word to systemd.
bool knows_old_files(host::ServiceManager& services, const std::string& name) {
  const auto status = services.status(site::unit_of(name));
  return status && status->needs_reload;
}

// True if a site besides `name` is enabled; only then the target has something left to do.
bool others_are_enabled(Context& context, const std::string& name) {
  const std::string wants = "/etc/systemd/system/multi-user.target.wants";
  for (const std::string& link : context.files().list(context.paths().inside(wants))) {
    const std::string other = site::name_of_unit(link);
    if (!other.empty() && other != name) return true;
  }
  return false;
}

void add_leftovers(Context& context, const std::string& folder, const std::string& file,
                   std::vector<std::string>& paths) {
  for (const std::string& entry : context.files().list(folder)) {
    if (base::is_leftover_of(file, entry)) paths.push_back(folder + "/" + entry);
  }
}

void add_folder(Context& context, const std::string& folder, std::vector<std::string>& paths) {
  const auto status = context.files().status(folder);
  if (!status) return;
  // What a link leads to belongs to somebody else; the link itself goes.
  if (!status->is_link) {
    for (const std::string& file : context.files().list(folder)) {
      paths.push_back(folder + "/" + file);
    }
  }
  paths.push_back(folder);
}

// `prepare` marks the interface for network managers in a file that holds the site's name.
void add_marks(Context& context, const std::string& name, std::vector<std::string>& paths) {
  const std::string marks = context.paths().interfaces_folder();
  for (const std::string& interface : context.files().list(marks)) {
    const auto owner = context.files().read(marks + "/" + interface);
    if (owner && owner->starts_with(name + "\n")) paths.push_back(marks + "/" + interface);
  }
}

}  // namespace

int is_installed(Context& context, host::ServiceManager& services, const std::string& name) {
  const auto status = services.status(site::unit_of(name));
  if (!status) return fail(context, status.error());
  if (status->loaded) return kOk;
  context.complain(
      "the unit is not installed: systemd knows no tunctl@.service; `./bootstrap "
      "install` puts it where systemd looks");
  return kFailed;
}

plan::Desired known_site(Context& context, const SiteReport& report,
                         host::ServiceManager& services) {
  const std::string& name = report.site().name;
  plan::Desired desired;
  desired.reload = knows_old_files(services, name);
  desired.folders = {{context.paths().drop_in_folder(name), kFolderMode}};
  desired.files = {{context.paths().drop_in(name),
                    wanted_drop_in(report, cpus_now(context, report).cpus, services.version()),
                    kDropInMode, false}};
  return desired;
}

int renew_drop_in(Context& context, const SiteReport& report, host::ServiceManager& services) {
  if (!drop_in_differs(context, report, services.version())) return kOk;
  const plan::Desired desired = known_site(context, report, services);
  if (context.globals().dry_run) return carry_out(context, desired, services);
  const auto held = context.hold();
  if (!held) return kFailed;
  const auto present = plan::observe(desired, context.files(), &services);
  const auto problem = present
                           ? plan::apply(plan::plan(desired, *present), context.files(), &services)
                           : std::optional(present.error());
  if (!problem) return kOk;
  if (status_of(*problem) == kNotPermitted) return kOk;
  return fail(context, *problem);
}

std::vector<std::string> units_to_enable(const std::string& name) {
  return {site::unit_of(name), kTarget};
}

plan::Desired enabled_site(Context& context, const SiteReport& report,
                           host::ServiceManager& services) {
  plan::Desired desired = known_site(context, report, services);
  desired.enabled = units_to_enable(report.site().name);
  return desired;
}

std::vector<std::string> drop_in_left(Context& context, const std::string& name) {
  const std::string folder = context.paths().drop_in_folder(name);
  const std::string own = context.paths().drop_in(name);
  std::vector<std::string> paths;
  if (context.files().status(own)) paths.push_back(own);
  const auto files = context.files().list(folder);
  const bool others = files.size() > paths.size();
  if (context.files().status(folder) && !others) paths.push_back(folder);
  return paths;
}

plan::Desired disabled_site(Context& context, host::ServiceManager& services,
                            const std::string& name, bool stop) {
  plan::Desired desired;
  desired.reload = knows_old_files(services, name);
  if (stop) desired.stopped = {site::unit_of(name)};
  desired.disabled = {site::unit_of(name)};
  if (!others_are_enabled(context, name)) desired.disabled.push_back(kTarget);
  desired.absent = drop_in_left(context, name);
  return desired;
}

namespace {

// systemd takes a unit's away when that ends, but for a unit whose file was gone by then.
void add_runtime_folder(Context& context, const std::string& name,
                        std::vector<std::string>& paths) {
  const auto status = context.onlooker(name).status(site::unit_of(name));
  if (!status || (status->active_state != "inactive" && status->active_state != "failed")) return;
  add_folder(context, context.paths().runtime_folder(name), paths);
}

}  // namespace

std::vector<std::string> files_of_site(Context& context, const std::string& name) {
  const auto& paths = context.paths();
  std::vector<std::string> found;
  for (const std::string& file :
       {paths.site_file(name), paths.trial_site(name), paths.imported_config(name),
        paths.migrated_config(name), paths.migration(name)}) {
    if (context.files().status(file)) found.push_back(file);
  }
  add_leftovers(context, paths.sites_folder(), name + ".toml", found);
  add_leftovers(context, paths.ovpn_folder(), name + ".conf", found);
  add_folder(context, paths.keys_folder(name), found);
  // What the engine kept for its key is of no use without that key.
  add_folder(context, paths.state_folder(name), found);
  add_folder(context, paths.volatile_state_folder(name), found);
  add_marks(context, name, found);
  add_runtime_folder(context, name, found);
  return found;
}

}  // namespace cli
