// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"
#include "supervisor/cli/bring_up.h"
#include "supervisor/cli/site_view.h"
#include "supervisor/cli/verbs.h"
#include "supervisor/launch/undo.h"

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

int is_installed(Context& context, host::ServiceManager& services, const std::string& name) {
  const auto status = services.status(site::unit_of(name));
  if (!status) return fail(context, status.error());
  if (status->loaded) return kOk;
  context.complain(
      "the unit is not installed: systemd knows no tunctl@.service; `./bootstrap "
      "install` puts it where systemd looks");
  return kFailed;
}

plan::Desired enabled(Context& context, const SiteReport& report, host::ServiceManager& services) {
  const std::string& name = report.site().name;
  plan::Desired desired;
  desired.reload = knows_old_files(services, name);
  desired.folders = {{context.paths().drop_in_folder(name), kFolderMode}};
  desired.files = {{context.paths().drop_in(name), wanted_drop_in(report, services.version()),
                    kDropInMode, false}};
  desired.enabled = {site::unit_of(name), kTarget};
  return desired;
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

// What `enable` wrote. What an admin put beside it (`systemctl edit`) stays.
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

plan::Desired disabled(Context& context, host::ServiceManager& services, const std::string& name,
                       bool stop) {
  plan::Desired desired;
  desired.reload = knows_old_files(services, name);
  if (stop) desired.stopped = {site::unit_of(name)};
  desired.disabled = {site::unit_of(name)};
  if (!others_are_enabled(context, name)) desired.disabled.push_back(kTarget);
  desired.absent = drop_in_left(context, name);
  return desired;
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
    if (owner && *owner == name + "\n") paths.push_back(marks + "/" + interface);
  }
}

// What `remove` takes away of what is there. The site file goes first: a half-removed site is no
// site. What is there without it was left by a command that was cut short, and goes as well.
std::vector<std::string> files_of_site(Context& context, const std::string& name) {
  const auto& paths = context.paths();
  std::vector<std::string> found;
  for (const std::string& file : {paths.site_file(name), paths.imported_config(name)}) {
    if (context.files().status(file)) found.push_back(file);
  }
  add_leftovers(context, paths.sites_folder(), name + ".toml", found);
  add_leftovers(context, paths.ovpn_folder(), name + ".conf", found);
  add_folder(context, paths.keys_folder(name), found);
  // What the engine kept for its key is of no use without that key.
  add_folder(context, paths.state_folder(name), found);
  add_folder(context, paths.volatile_state_folder(name), found);
  add_marks(context, name, found);
  return found;
}

// A site whose file is gone may still be enabled, or have left its drop-in.
bool is_known(Context& context, host::ServiceManager& services, const std::string& name) {
  const auto& paths = context.paths();
  if (context.files().status(paths.site_file(name))) return true;
  if (context.files().status(paths.drop_in_folder(name))) return true;
  const auto status = services.status(site::unit_of(name));
  return status && (status->unit_file_state == "enabled" ||
                    (!status->active_state.empty() && status->active_state != "inactive"));
}

// While the notes are there still. What a unit's engine left, the unit has given back itself.
void give_back(Context& context, const std::string& name) {
  if (context.globals().dry_run) return;
  constexpr uid_t kRoot = 0;
  const auto programs = launch::find_programs(context.files(), context.world().program);
  const auto command =
      launch::undo_command(context.files(), context.paths(), programs, name, kRoot);
  if (!command.empty()) context.world().run(command);
}

int enable_one(Context& context, host::ServiceManager& services, const std::string& name) {
  const auto report = examine_among_others(context, name);
  if (!report) {
    context.complain(report.error().problems);
    return report.error().status;
  }
  context.warn(report->warnings);
  if (!report->missing().empty()) {
    context.complain(report->missing());
    return kInvalid;
  }
  if (const int status = is_installed(context, services, name); status != kOk) return status;
  const int status = carry_out(context, enabled(context, *report, services), services);
  if (status == kOk && !context.globals().dry_run) context.say(name + ": enabled");
  return status;
}

}  // namespace

int run_enable(Context& context, const Call& call) {
  const auto services = context.services();
  if (!services) return fail(context, services.error());
  int status = kOk;
  std::vector<std::string> done;
  auto held = context.hold();
  if (!held) return kFailed;
  for (const std::string& name : call.operands) {
    const int one = enable_one(context, **services, name);
    if (one == kOk) done.push_back(name);
    status = worse(status, one);
  }
  held.reset();  // the far end may take its time
  if (!call.has("--now")) return status;
  if (!context.globals().dry_run) {
    return worse(status, bring_up(context, **services, done, Begin::kStart));
  }
  for (const std::string& name : done) context.print("would start " + site::unit_of(name) + "\n");
  return status;
}

int run_disable(Context& context, const Call& call) {
  const auto services = context.services();
  if (!services) return fail(context, services.error());
  const auto held = context.hold();
  if (!held) return kFailed;
  int status = kOk;
  for (const std::string& name : call.operands) {
    if (!site::is_site_name(name)) {
      context.complain(site::no_site_name(name));
      status = worse(status, kNoSuchSite);
      continue;
    }
    if (!is_known(context, **services, name)) {
      context.complain("no site is called " + name + "; `tunctl list` shows all");
      status = worse(status, kNoSuchSite);
      continue;
    }
    const int one =
        carry_out(context, disabled(context, **services, name, call.has("--now")), **services);
    if (one == kOk && !context.globals().dry_run) context.say(name + ": disabled");
    status = worse(status, one);
  }
  return status;
}

int run_remove(Context& context, const Call& call) {
  const auto services = context.services();
  const auto held = context.hold();
  if (!held) return kFailed;
  int status = kOk;
  for (const std::string& name : call.operands) {
    const auto absent =
        site::is_site_name(name) ? files_of_site(context, name) : std::vector<std::string>();
    // Of a `remove` that was cut short the drop-in may be all that is left.
    const bool drop_in =
        services && site::is_site_name(name) && !drop_in_left(context, name).empty();
    if (absent.empty() && !drop_in) {
      context.complain("no site is called " + name + "; `tunctl list` shows all");
      status = worse(status, kNoSuchSite);
      continue;
    }
    if (refuse_if_run(context, name)) {
      status = worse(status, kFailed);
      continue;
    }
    give_back(context, name);
    plan::Desired desired;
    if (services) desired = disabled(context, **services, name, true);
    desired.absent.insert(desired.absent.begin(), absent.begin(), absent.end());
    const int one =
        services ? carry_out(context, desired, **services) : carry_out(context, desired);
    if (one == kOk && !context.globals().dry_run) context.say(name + ": removed");
    status = worse(status, one);
  }
  return status;
}

}  // namespace cli
