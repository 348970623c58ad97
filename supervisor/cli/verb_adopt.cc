// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "supervisor/cli/adopt_switch.h"
#include "supervisor/cli/site_life.h"
#include "supervisor/cli/site_view.h"
#include "supervisor/cli/verbs.h"

namespace cli {
namespace {

constexpr int kWaitSeconds = 60;
constexpr int kWaitSecondsMax = 3600;

// Whoever came in by the tunnel is cut off when the other engine does not carry it, and cannot say
// so: only silence tells.
bool came_in_by(Context& context, const OldUnit& old, const AdoptedSite& site) {
  const World& world = context.world();
  if (!old.active || !world.way_in) return false;
  auto tunnels = world.tunnels ? world.tunnels(old.pid) : std::vector<std::string>();
  if (const auto dev = site.report.near.profile.arg("dev")) tunnels.push_back(*dev);
  // Where the kernel carries the packets the process holds no descriptor to tell by.
  const bool in_kernel = tunnels.size() <= 1;
  for (const std::string& name : world.way_in()) {
    if (std::find(tunnels.begin(), tunnels.end(), name) != tunnels.end()) return true;
    if (in_kernel && (name.starts_with("tun") || name.starts_with("tap"))) return true;
  }
  return false;
}

int complain(Context& context, const ReportFailure& failure) {
  context.complain(failure.problems);
  return failure.status;
}

class Adopter {
 public:
  Adopter(Context& context, host::ServiceManager& services, const Call& call, base::Duration wait)
      : context_(context), services_(services), call_(call), wait_(wait) {}

  int run() {
    auto old = find_old_unit(context_, services_, call_.operands.at(0));
    if (!old) return complain(context_, old.error());
    const AdoptWish wish{call_.value("--as"), call_.has("--allow-scripts"),
                         call_.value("--credentials")};
    auto site = plan_adopted_site(context_, services_, *old, wish);
    if (!site) return complain(context_, site.error());
    Adoption adoption{site->name(), old->unit, old->active, old->enabled, old->generated};
    adoption.failing = old->failing;
    if (const int status = is_installed(context_, services_, adoption.site); status != kOk) {
      return status;
    }
    context_.warn(site->report.warnings);
    for (const std::string& note : site->notes) context_.note(note);
    if (old->failing) {
      context_.note(old->unit + " does not run: it ends, and systemd starts it again each time");
    }
    const bool confirm = !call_.has("--no-confirm") && came_in_by(context_, *old, *site);
    if (context_.globals().dry_run) {
      describe_switch(context_, *site, adoption, confirm);
      return kOk;
    }
    return change_over(*site, adoption, confirm);
  }

 private:
  int change_over(const AdoptedSite& site, const Adoption& adoption, bool confirm) {
    const auto& engine = site.report.engine;
    context_.note(adoption.site + ": " + adoption.unit + " makes way for " +
                  (engine.fastpath ? "the native fast path"
                                   : "stock OpenVPN in a unit of tunctl (" + engine.reason + ")"));
    Switch change(context_, services_, adoption);
    auto held = context_.hold();
    if (!held) return kFailed;
    if (const int status = change.begin(site, wait_); status != kOk) return status;
    int status = change.start(wait_);
    held.reset();  // the far end may take its time
    if (status == kOk) status = change.wait();
    held = context_.hold();
    if (!held) return kFailed;  // the timer gives it back
    const auto now = adoption_of(context_, adoption.site);
    if (!now || !*now || (*now)->stands) return changed_meanwhile(adoption, now && *now);
    if (status != kOk) return worse(status, change.give_back());
    if (confirm) return ask_for_confirmation(change);
    return stand(change, adoption);
  }

  int changed_meanwhile(const Adoption& adoption, bool stands) {
    if (stands) return kOk;  // --confirm, from elsewhere
    context_.complain(adoption.site + ": given back meanwhile; " + state_again(adoption));
    return kNotUp;
  }

  int ask_for_confirmation(Switch& change) {
    const std::string& name = change.adoption().site;
    if (const int status = change.await_confirmation(wait_); status != kOk) {
      return worse(status, change.give_back());
    }
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait_).count();
    context_.say(name + ": you came in by this tunnel; within " + std::to_string(seconds) +
                 " seconds say");
    context_.say("next: " + context_.command("adopt --confirm " + name));
    context_.say("or " + change.adoption().unit + " gets its place back");
    return kOk;
  }

  int stand(Switch& change, const Adoption& adoption) {
    if (const int status = change.settle(); status != kOk) {
      return worse(status, change.give_back());
    }
    context_.say(adoption.site + ": adopted; `" +
                 context_.command("adopt --undo " + adoption.site) + "` gives " + adoption.unit +
                 " back");
    return kOk;
  }

  Context& context_;
  host::ServiceManager& services_;
  const Call& call_;
  const base::Duration wait_;
};

// The adoption of `name`; nothing, with a complaint that names those there are.
std::optional<Adoption> known_adoption(Context& context, const std::string& name, int& status) {
  const auto adoption = site::is_site_name(name)
                            ? adoption_of(context, name)
                            : base::Result<std::optional<Adoption>>(std::optional<Adoption>());
  if (!adoption) {
    status = fail(context, adoption.error());
    return std::nullopt;
  }
  if (*adoption) return **adoption;
  std::string names;
  for (const std::string& one : adopted_sites(context)) {
    names += (names.empty() ? "; adopted were: " : ", ") + one;
  }
  context.complain(name + " was not adopted" + names);
  status = kNoSuchSite;
  return std::nullopt;
}

int confirm(Context& context, host::ServiceManager& services, const std::string& name) {
  const auto held = context.hold();
  if (!held) return kFailed;
  int status = kOk;
  const auto adoption = known_adoption(context, name, status);
  if (!adoption) return status;
  if (adoption->stands) {
    context.say(name + ": stands already");
    return kOk;
  }
  const auto view = view_site(context, name);
  if (!view || view->status.health == watch::Health::kDown) {
    context.complain(name + ": not up: " + (view ? view->status.cause : "its unit is not seen"));
    return kNotUp;
  }
  if (context.globals().dry_run) {
    context.print("would disable " + adoption->unit + "\nwould enable " + site::unit_of(name) +
                  "\n");
    return kOk;
  }
  Switch change(context, services, *adoption);
  if (status = change.settle(); status != kOk) return status;  // the timer runs on
  context.say(name + ": adopted; `" + context.command("adopt --undo " + name) + "` gives " +
              adoption->unit + " back");
  return kOk;
}

int undo(Context& context, host::ServiceManager& services, const std::string& name,
         bool if_unconfirmed) {
  const auto held = context.hold();
  if (!held) return kFailed;
  if (if_unconfirmed) {
    const auto adoption = adoption_of(context, name);
    if (adoption && (!*adoption || (*adoption)->stands)) return kOk;
  }
  int status = kOk;
  const auto adoption = known_adoption(context, name, status);
  if (!adoption) return status;
  if (refuse_if_run(context, name)) return kFailed;
  if (context.globals().dry_run) {
    context.print("would stop and delete " + name + "\nwould " +
                  (adoption->active ? "start " : "leave stopped ") + adoption->unit + "\n");
    return kOk;
  }
  Switch change(context, services, *adoption);
  // Whoever undoes it by hand may sit behind the tunnel as well: what is begun is carried through.
  if (!if_unconfirmed) status = change.promise_to_give_back();
  return status == kOk ? change.give_back() : status;
}

int usage(Context& context, const char* what) {
  context.complain(std::string(what) + "; see `tunctl adopt --help`");
  return kUsage;
}

}  // namespace

int run_adopt(Context& context, const Call& call) {
  const auto to_undo = call.value("--undo"), to_confirm = call.value("--confirm");
  const int wishes = !call.operands.empty() + to_undo.has_value() + to_confirm.has_value();
  if (wishes != 1) return usage(context, "adopt takes a unit, --confirm NAME or --undo NAME");
  const auto seconds =
      base::parse_number<int>(call.value("--wait").value_or(std::to_string(kWaitSeconds)));
  if (!seconds || *seconds < 1 || *seconds > kWaitSecondsMax) {
    return usage(context, "--wait takes a number of seconds from 1 to 3600");
  }
  const auto services = context.services();
  if (!services && host::is_no_systemd(services.error())) {
    context.complain(
        "systemd is not running here, and its units are what adopt takes over; "
        "`tunctl import` the config and `tunctl run` it");
    return kFailed;
  }
  if (!services) return fail(context, services.error());
  if (to_confirm) return confirm(context, **services, *to_confirm);
  if (to_undo) return undo(context, **services, *to_undo, call.has("--if-unconfirmed"));
  return Adopter(context, **services, call, std::chrono::seconds(*seconds)).run();
}

}  // namespace cli
