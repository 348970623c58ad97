// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/migrate_switch.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "supervisor/cli/site_view.h"
#include "supervisor/cli/work.h"

namespace cli {
namespace {

constexpr mode_t kNoteMode = 0600, kNoteFolderMode = 0700;
constexpr mode_t kSiteMode = 0644, kFolderMode = 0755;
constexpr base::Duration kStopLimit = std::chrono::seconds(30);
constexpr base::Duration kStartLimit = std::chrono::seconds(45);
// The clock's second has to turn before a moment in seconds is a moment in milliseconds.
constexpr base::Duration kTick = std::chrono::milliseconds(10);
constexpr int kTicksMax = 110;
constexpr int kTellSeconds = 15;  // until a status that has changed is told

// A site's name has no dot: no other site's timers are called so.
std::string switch_timer(const std::string& site) { return "tunctl-migrate-" + site; }
std::string judge_timer(const std::string& site) { return switch_timer(site) + ".judge"; }
std::string last_timer(const std::string& site) { return switch_timer(site) + ".last"; }

base::Duration seconds(base::UnixSeconds count) { return std::chrono::seconds(count); }

}  // namespace

base::Result<MigratedSite, ReportFailure> plan_migration(Context& context, const Migration& note) {
  const std::string path = context.paths().site_file(note.site);
  const auto loaded = load(context, note.site);
  if (!loaded) return loaded.error();
  const auto text = context.files().read(path);
  if (!text) return ReportFailure{status_of(text.error()), {text.error()}};
  // Until the far end has told its fingerprint, any will do to see whether the rest fits.
  const std::string stand_in = [] {
    std::string zeros = "00";
    for (int pair = 1; pair < 32; ++pair) zeros += ":00";
    return zeros;
  }();
  const MigrationWish wish{note.role,
                           note.peer_fingerprint.empty() ? stand_in : note.peer_fingerprint,
                           context.paths().migrated_config(note.site)};
  auto site = migrated_site(*loaded, *text, wish, context.paths());
  if (!site) return ReportFailure{kFailed, {site.error()}};
  return std::move(site).value();
}

MigrationStage MigrationSwitch::stage() const {
  const bool trial = context_.files().status(context_.paths().trial_site(note_.site)).has_value();
  if (note_.stands) return MigrationStage::kStands;
  if (trial) return MigrationStage::kTrial;
  // The site file was written, and a boot came before the note said so.
  if (!note_.old_text.empty()) return MigrationStage::kStands;
  return note_.trial_since != 0 ? MigrationStage::kBack : MigrationStage::kPrepared;
}

int MigrationSwitch::write_note() {
  plan::Desired desired;
  desired.folders = {{context_.paths().migrating_folder(), kNoteFolderMode}};
  desired.files = {
      {context_.paths().migration(note_.site), format_migration(note_), kNoteMode, false}};
  return carry_out(context_, desired);
}

int MigrationSwitch::arm_timer(const std::string& name, base::Duration delay) {
  disarm(name);  // left by a command that was cut short
  const auto done = services_.run_later(
      name, delay, {context_.world().program, "key", "migrate", "--step", note_.site});
  if (!done) return fail(context_, done.error());
  if (done->result == host::JobResult::kDone) return kOk;
  context_.complain("cannot start " + name + ".timer: " + done->message);
  return kFailed;
}

// Only the timer: the service beside it may be what runs this.
void MigrationSwitch::disarm(const std::string& name) {
  const auto status = services_.status(name + ".timer");
  if (!status || status->active_state != "active") return;
  static_cast<void>(services_.stop(name + ".timer", kStopLimit));  // at worst it finds all done
}

int MigrationSwitch::arm() {
  if (const int status = write_note(); status != kOk) return status;
  World& world = context_.world();
  const base::UnixSeconds begun = world.now();
  for (int tick = 0; tick < kTicksMax && world.now() == begun; ++tick) world.sleep(kTick);
  const base::UnixSeconds left = std::max<base::UnixSeconds>(note_.at - world.now(), 0);
  return arm_timer(switch_timer(note_.site), seconds(left));
}

int MigrationSwitch::step() {
  switch (stage()) {
    case MigrationStage::kPrepared:
      return note_.at == 0 || note_.peer_fingerprint.empty() ? kOk : switch_over();
    case MigrationStage::kTrial:
      return note_.trial_since == 0 ? begin_again() : judge();
    case MigrationStage::kBack:
      return go_back(note_.outcome);
    case MigrationStage::kStands:
      return settle();
  }
  return kOk;
}

// Before anything is changed.
int MigrationSwitch::give_up(const std::string& why) {
  note_.at = 0;
  note_.outcome = why;
  context_.complain(note_.site + ": stays with its static key: " + why);
  return write_note();
}

// A kill came between the site on trial and its note.
int MigrationSwitch::begin_again() {
  plan::Desired desired;
  desired.absent = {context_.paths().trial_site(note_.site)};
  if (const int status = carry_out(context_, desired); status != kOk) return status;
  return switch_over();
}

int MigrationSwitch::switch_over() {
  // Whatever kept it from its moment, the far end has gone back by now.
  if (context_.world().now() > note_.at + note_.wait_seconds) {
    return give_up("its moment has passed");
  }
  const auto unit = services_.status(site::unit_of(note_.site));
  if (!unit) return fail(context_, unit.error());
  if (unit->active_state != "active") return give_up("its unit did not run");
  const auto site = plan_migration(context_, note_);
  if (!site) {
    context_.complain(site.error().problems);
    return give_up("its site is not as it was prepared");
  }
  return start_trial(*site);
}

int MigrationSwitch::start_trial(const MigratedSite& site) {
  note_.trial_since = context_.world().now();
  note_.due = note_.trial_since + note_.wait_seconds;
  note_.heard = false;
  note_.outcome = "it was cut short";
  const auto& paths = context_.paths();
  plan::Desired desired;
  desired.folders = {{paths.migrating_folder(), kNoteFolderMode},
                     {paths.run_folder(), kFolderMode},
                     {paths.trial_folder(), kFolderMode}};
  if (site.config) desired.files.push_back(*site.config);
  desired.files.push_back({paths.trial_site(note_.site), site.text, kSiteMode, false});
  // The note last: with it the trial has begun, and is judged by it.
  desired.files.push_back({paths.migration(note_.site), format_migration(note_), kNoteMode, false});
  if (const int status = arm_timer(judge_timer(note_.site), seconds(note_.wait_seconds));
      status != kOk) {
    return status;
  }
  if (const int status = carry_out(context_, desired); status != kOk) return status;
  if (restart() != kOk) return go_back("its unit could not be started");
  context_.say(note_.site + ": switched to fingerprints, on trial");
  return kOk;
}

int MigrationSwitch::restart() {
  const std::string unit = site::unit_of(note_.site);
  const auto done = services_.restart(unit, kStartLimit, {});
  if (!done) return fail(context_, done.error());
  // What is not ready in time may yet be heard; the judge will tell.
  if (done->result == host::JobResult::kDone || done->result == host::JobResult::kTimedOut) {
    return kOk;
  }
  context_.complain(unit + ": " + done->message);
  return kFailed;
}

int MigrationSwitch::judge() {
  const auto unit = services_.status(site::unit_of(note_.site));
  if (!unit) return fail(context_, unit.error());
  const base::UnixSeconds now = context_.world().now();
  // A kill came between the site on trial and the restart.
  const bool still_old = unit->active_state == "active" && unit->active_since != 0 &&
                         unit->active_since < note_.trial_since;
  if (still_old && restart() != kOk) return go_back("its unit could not be started");
  const std::string timer = note_.heard ? last_timer(note_.site) : judge_timer(note_.site);
  if (still_old || now + 1 < note_.due) {
    note_.due = std::max(note_.due, now + 1);
    return arm_timer(timer, seconds(still_old ? note_.wait_seconds : note_.due - now));
  }
  const auto view = view_site(context_, note_.site);
  const bool up = view && view->status.health != watch::Health::kDown;
  if (!up) {
    const std::string cause = view ? view->status.cause : "its unit is not seen";
    return go_back("not up " + std::to_string(note_.wait_seconds) + " seconds later: " + cause);
  }
  if (note_.heard) return settle();
  // The far end may have heard nothing all the same: then it goes back, and silence tells.
  note_.heard = true;
  note_.due = now + std::max(2 * note_.wait_seconds, note_.silence_seconds + kTellSeconds);
  if (const int status = arm_timer(last_timer(note_.site), seconds(note_.due - now));
      status != kOk) {
    return status;
  }
  return write_note();
}

// Each step may be the last one before a kill; the next call goes on.
int MigrationSwitch::settle() {
  const auto& paths = context_.paths();
  const std::string path = paths.site_file(note_.site), trial = paths.trial_site(note_.site);
  if (context_.files().status(trial)) {
    const auto text = context_.files().read(trial);
    if (!text) return fail(context_, text.error());
    if (note_.old_text.empty()) {
      const auto old = context_.files().read(path);
      if (!old) return fail(context_, old.error());
      note_.old_text = *old;
      if (const int status = write_note(); status != kOk) return status;
    }
    const auto mode = context_.files().status(path);
    plan::Desired desired;
    desired.files = {{path, *text, mode ? mode->mode : kSiteMode, false}};
    if (const int status = carry_out(context_, desired); status != kOk) return status;
  }
  const bool told = note_.stands;
  note_.stands = true;
  note_.at = note_.trial_since = 0;
  note_.outcome.clear();
  if (const int status = write_note(); status != kOk) return status;
  plan::Desired rest;
  rest.absent = {trial};
  if (const int status = carry_out(context_, rest); status != kOk) return status;
  disarm(switch_timer(note_.site));
  disarm(judge_timer(note_.site));
  disarm(last_timer(note_.site));
  if (!told) context_.say(note_.site + ": goes by fingerprints now");
  return kOk;
}

int MigrationSwitch::go_back(const std::string& why) {
  const auto& paths = context_.paths();
  plan::Desired desired;
  if (!note_.old_text.empty()) {
    const auto mode = context_.files().status(paths.site_file(note_.site));
    desired.files = {
        {paths.site_file(note_.site), note_.old_text, mode ? mode->mode : kSiteMode, false}};
  }
  desired.absent = {paths.trial_site(note_.site)};
  note_.outcome = why;
  context_.complain(note_.site + ": goes back to its static key: " + why);
  if (const int status = carry_out(context_, desired); status != kOk) return status;
  // Somebody may have stopped it meanwhile, and meant it.
  const auto unit = services_.status(site::unit_of(note_.site));
  if (!unit || unit->active_state != "inactive") {
    if (const int status = restart(); status != kOk) return status;
  }
  note_.at = note_.trial_since = note_.due = 0;
  note_.heard = note_.stands = false;
  note_.old_text.clear();
  const int status = write_note();
  disarm(switch_timer(note_.site));
  disarm(judge_timer(note_.site));
  disarm(last_timer(note_.site));
  return status;
}

int MigrationSwitch::undo() {
  const MigrationStage stage = this->stage();
  if (stage != MigrationStage::kPrepared) {
    if (const int status = go_back("it was undone by hand"); status != kOk) return status;
  }
  disarm(switch_timer(note_.site));
  plan::Desired rest;
  rest.absent = note_.made;
  rest.absent.push_back(context_.paths().migration(note_.site));
  return carry_out(context_, rest);
}

int MigrationSwitch::finish() {
  if (const int status = settle(); status != kOk) return status;
  plan::Desired rest;
  rest.absent = note_.secrets;
  rest.absent.push_back(context_.paths().migration(note_.site));
  return carry_out(context_, rest);
}

}  // namespace cli
