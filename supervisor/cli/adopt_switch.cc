// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/adopt_switch.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ovpn/status_line.h"
#include "supervisor/cli/site_life.h"
#include "supervisor/cli/site_view.h"
#include "supervisor/watch/wait_online.h"

namespace cli {
namespace {

constexpr mode_t kNoteMode = 0600, kNoteFolderMode = 0700;
constexpr base::Duration kStopLimit = std::chrono::seconds(30);
constexpr base::Duration kStartLimit = std::chrono::seconds(45);
constexpr base::Duration kEver = std::chrono::hours(24);  // longer than any wait
constexpr base::Duration kSoon = std::chrono::seconds(10);
// What stopping, starting and giving back may take beside the wait.
constexpr base::Duration kMargin = std::chrono::seconds(15);

// A site's name has no dot: no other site's timers are called so.
std::string trial_timer(const std::string& site) { return "tunctl-adopt-" + site; }
std::string confirm_timer(const std::string& site) { return trial_timer(site) + ".confirm"; }

std::string short_name(const std::string& unit) { return unit.substr(0, unit.rfind('.')); }

render::Artifact note_of(Context& context, const Adoption& adoption) {
  return {context.paths().adoption(adoption.site), format_adoption(adoption), kNoteMode, false};
}

// The switch itself, up to where the site's unit is started.
plan::Desired begun(Context& context, const AdoptedSite& site, const Adoption& adoption,
                    host::ServiceManager& services) {
  plan::Desired desired = known_site(context, site.report, services);
  const plan::Desired& files = site.files;
  desired.folders.insert(desired.folders.begin(), files.folders.begin(), files.folders.end());
  desired.folders.insert(desired.folders.begin(),
                         {context.paths().adopted_folder(), kNoteFolderMode});
  // Whoever finds a site without its note would not know whose place it has.
  desired.files.insert(desired.files.begin(), note_of(context, adoption));
  desired.files.insert(desired.files.end(), files.files.begin(), files.files.end());
  desired.stopped = {adoption.unit};
  return desired;
}

plan::Desired settled(const Adoption& adoption) {
  plan::Desired desired;
  if (adoption.enabled) desired.disabled = {adoption.unit};
  if (adoption.generated) desired.masked = {adoption.unit};
  desired.enabled = units_to_enable(adoption.site);
  return desired;
}

}  // namespace

int Switch::arm(const std::string& name, base::Duration delay) {
  disarm(name);  // left by a command that was cut short
  const auto done = services_.run_later(
      name, delay,
      {context_.world().program, "adopt", "--undo", adoption_.site, "--if-unconfirmed"});
  if (!done) return fail(context_, done.error());
  if (done->result == host::JobResult::kDone) return kOk;
  context_.complain("cannot start " + name + ".timer: " + done->message);
  return kFailed;
}

// Only the timer: the service beside it may be what runs this.
void Switch::disarm(const std::string& name) {
  const auto status = services_.status(name + ".timer");
  if (!status || status->active_state != "active") return;
  static_cast<void>(services_.stop(name + ".timer", kStopLimit));  // at worst it finds all done
}

bool Switch::interrupted() const {
  return context_.world().interrupted && context_.world().interrupted();
}

int Switch::begin(const AdoptedSite& site, base::Duration wait) {
  static_cast<void>(interrupted());  // from here on a Ctrl-C is an order to give it back
  if (const int status = arm(trial_timer(adoption_.site), wait + kMargin); status != kOk) {
    return status;
  }
  const int status = carry_out(context_, begun(context_, site, adoption_, services_), services_);
  if (status != kOk) disarm(trial_timer(adoption_.site));
  return status;
}

int Switch::tell_reason(const std::string& words) {
  const auto view = view_site(context_, adoption_.site);
  std::string reason = view ? view->status.cause : "";
  if (reason.empty() || reason == "stopped") reason = words;
  context_.complain(adoption_.site + ": not up: " + reason + "; " + adoption_.unit +
                    " gets its place back");
  return kNotUp;
}

int Switch::start(base::Duration wait) {
  end_ = context_.world().monotonic() + wait;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait).count();
  context_.note(adoption_.site + ": waiting for the far end, for up to " + std::to_string(seconds) +
                " seconds; Ctrl-C gives " + short_name(adoption_.unit) + " its place back");
  const auto started = services_.start(site::unit_of(adoption_.site), wait, progress_.by());
  if (!started) return tell_reason(started.error().message);
  // What is not ready in time may yet be heard; waiting will tell.
  const bool going =
      started->result == host::JobResult::kDone || started->result == host::JobResult::kTimedOut;
  return going ? kOk : tell_reason(started->message);
}

int Switch::wait() {
  World& world = context_.world();
  const base::Duration left = std::max(end_ - world.monotonic(), base::Duration::zero());
  // Whoever interrupts has waited long enough.
  const watch::Clock clock{
      [&] { return world.monotonic() + (interrupted() ? kEver : base::Duration::zero()); },
      world.sleep};
  const auto outcome = watch::wait_online(services_, adoption_.site, left, clock, progress_.by());
  if (!outcome) return tell_reason(outcome.error().message);
  if (outcome->result != watch::WaitResult::kOnline) {
    return tell_reason(interrupted() ? "interrupted" : "its unit does not run");
  }
  const auto line = ovpn::parse_status_line(outcome->last.status_text);
  const bool peer = line && !line->peer.empty();
  context_.say(adoption_.site + ": up" + (peer ? ", peer " + line->peer : ""));
  return kOk;
}

int Switch::await_confirmation(base::Duration wait) {
  // The one is armed before the other is called off: at no time there is none.
  const int status = arm(confirm_timer(adoption_.site), wait);
  if (status == kOk) disarm(trial_timer(adoption_.site));
  return status;
}

int Switch::settle() {
  if (const int status = carry_out(context_, settled(adoption_), services_); status != kOk) {
    return status;
  }
  // Last: a kill before this lets the timer undo the rest.
  adoption_.stands = true;
  plan::Desired note;
  note.files = {note_of(context_, adoption_)};
  if (const int status = carry_out(context_, note); status != kOk) return status;
  disarm(trial_timer(adoption_.site));
  disarm(confirm_timer(adoption_.site));
  return kOk;
}

int Switch::restore_old_unit() {
  plan::Desired desired;
  if (adoption_.generated) desired.unmasked = {adoption_.unit};
  if (adoption_.enabled) desired.enabled = {adoption_.unit};
  int status = carry_out(context_, desired, services_);
  if (!adoption_.active) return status;
  const auto started = services_.start(adoption_.unit, kStartLimit, {});
  if (!started) return worse(status, fail(context_, started.error()));
  if (started->result == host::JobResult::kDone) return status;
  context_.complain(adoption_.unit + ": " + started->message + "; `journalctl -u " +
                    adoption_.unit + "` says more");
  return worse(status, kFailed);
}

int Switch::promise_to_give_back() {
  static_cast<void>(interrupted());
  adoption_.stands = false;
  plan::Desired note;
  note.files = {note_of(context_, adoption_)};
  if (const int status = carry_out(context_, note); status != kOk) return status;
  return arm(trial_timer(adoption_.site), kSoon);
}

int Switch::give_back() {
  const std::string& name = adoption_.site;
  // By itself and not as part of a plan: whatever fails, the old unit is to be started.
  const auto stopped = services_.stop(site::unit_of(name), kStopLimit);
  int status = kOk;
  if (!stopped) {
    status = fail(context_, stopped.error());
  } else if (stopped->result != host::JobResult::kDone) {
    context_.complain(site::unit_of(name) + ": " + stopped->message);
    status = kFailed;
  }
  status = worse(status, restore_old_unit());
  if (status != kOk) return status;  // with its files the site can be stopped the next time
  plan::Desired rest = disabled_site(context_, services_, name, false);
  const auto files = files_of_site(context_, name);
  rest.absent.insert(rest.absent.begin(), files.begin(), files.end());
  status = worse(status, carry_out(context_, rest, services_));
  if (status != kOk) return status;
  plan::Desired note;
  note.absent = {context_.paths().adoption(name)};
  if (status = carry_out(context_, note); status != kOk) return status;
  disarm(trial_timer(name));
  disarm(confirm_timer(name));
  context_.say(name + ": given back; " + state_again(adoption_));
  return kOk;
}

std::string state_again(const Adoption& adoption) {
  const std::string unit = short_name(adoption.unit);
  if (!adoption.active) return unit + " is as it was, stopped";
  if (!adoption.failing) return unit + " runs again";
  return unit + " is started again, and did not come to run before either; `journalctl -u " + unit +
         "` says why";
}

void describe_switch(Context& context, const AdoptedSite& site, const Adoption& adoption,
                     bool confirm) {
  const auto would = [&context](const std::string& what) { context.print("would " + what + "\n"); };
  for (const render::Artifact& file : site.files.files) would("write " + file.path);
  if (adoption.active) would("stop " + adoption.unit);
  would("start " + site::unit_of(adoption.site) + ", and give its place back if it is not up");
  if (confirm) would("wait for `tunctl adopt --confirm " + adoption.site + "`");
  if (adoption.enabled) would("disable " + adoption.unit);
  if (adoption.generated) would("mask " + adoption.unit);
  would("enable " + site::unit_of(adoption.site));
}

}  // namespace cli
