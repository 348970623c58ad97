// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/adoption.h"
#include "supervisor/cli/bring_up.h"
#include "supervisor/cli/site_life.h"
#include "supervisor/cli/verbs.h"
#include "supervisor/launch/undo.h"

namespace cli {
namespace {

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

// The unit whose place a removed site had is nobody's business of ours any more.
void forget(Context& context, const Adoption& adoption) {
  plan::Desired desired;
  desired.absent = {context.paths().adoption(adoption.site)};
  if (carry_out(context, desired) != kOk || context.globals().dry_run) return;
  const std::string unmask = adoption.generated ? "systemctl unmask " + adoption.unit + " && " : "";
  context.note(adoption.unit + " stays as it is; `" + unmask + "systemctl enable --now " +
               adoption.unit + "` starts it again");
}

// To be disabled is no reason for a tunnel to end, and no hint that it goes on.
std::string still_runs(host::ServiceManager& services, const std::string& name) {
  const auto status = services.status(site::unit_of(name));
  const bool runs =
      status && (status->active_state == "active" || status->active_state == "activating" ||
                 status->active_state == "reloading");
  return runs ? "; it still runs, `tunctl stop " + name + "` stops it" : "";
}

int enable_one(Context& context, host::ServiceManager& services, const std::string& name,
               const std::vector<std::string>& together) {
  const auto report = examine_among(context, name, together, InTheWay::kRunningOrEnabled);
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
  const int status = carry_out(context, enabled_site(context, *report, services), services);
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
    const int one = enable_one(context, **services, name, call.operands);
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
    if (call.has("--now") && refuse_if_run(context, name)) {
      status = worse(status, kFailed);
      continue;
    }
    const int one =
        carry_out(context, disabled_site(context, **services, name, call.has("--now")), **services);
    if (one == kOk && !context.globals().dry_run) {
      context.say(name + ": disabled" + still_runs(**services, name));
    }
    status = worse(status, one);
  }
  return status;
}

int run_remove(Context& context, const Call& call) {
  const auto services = context.services();
  const auto held = context.hold();
  if (!held) return kFailed;
  if (!may_see_keys(context)) {
    context.complain("cannot look into " + context.paths().all_keys_folder() +
                     ", where keys of theirs may be; run this as root");
    return kNotPermitted;
  }
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
    const auto adoption = adoption_of(context, name);
    if (adoption && *adoption && !(*adoption)->stands) {
      context.complain(name + " is only being tried in place of " + (*adoption)->unit +
                       "; `tunctl adopt --undo " + name + "` gives it back");
      status = worse(status, kFailed);
      continue;
    }
    give_back(context, name);
    plan::Desired desired;
    if (services) desired = disabled_site(context, **services, name, true);
    desired.absent.insert(desired.absent.begin(), absent.begin(), absent.end());
    const int one =
        services ? carry_out(context, desired, **services) : carry_out(context, desired);
    if (one == kOk && !context.globals().dry_run) context.say(name + ": removed");
    if (one == kOk && adoption && *adoption) forget(context, **adoption);
    status = worse(status, one);
  }
  return status;
}

}  // namespace cli
