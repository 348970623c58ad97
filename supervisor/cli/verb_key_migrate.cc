// SPDX-License-Identifier: Apache-2.0
// `tunctl key migrate`: a running link with a static key becomes one of fingerprints. Both ends are
// prepared first, by commands that each print the next one; then both switch at a moment that was
// agreed on, and go back by themselves if they do not hear each other.
#include <algorithm>
#include <ctime>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "supervisor/cli/migrate_switch.h"
#include "supervisor/cli/new_site.h"
#include "supervisor/cli/planned_files.h"
#include "supervisor/cli/site_life.h"
#include "supervisor/cli/site_view.h"
#include "supervisor/cli/tls_identity.h"
#include "supervisor/cli/verbs.h"
#include "supervisor/cli/work.h"
#include "supervisor/site/fingerprint.h"

namespace cli {
namespace {

constexpr mode_t kKeysFolderMode = 0700, kNoteFolderMode = 0700, kNoteMode = 0600;
constexpr int kWaitSecondsMin = 5, kWaitSecondsMax = 3600;
constexpr base::UnixSeconds kLead = 300;           // to type two commands in
constexpr base::UnixSeconds kLeadMax = 24 * 3600;  // a timer does not outlive a boot

// "2026-11-30T21:50:11Z"
std::optional<base::UnixSeconds> read_time(const std::string& text) {
  std::tm time{};
  const char* end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &time);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return timegm(&time);
}

int silence_of(const ovpn::Profile& profile) {
  const auto* line = profile.last("keepalive");
  const std::size_t word = line == nullptr ? 0 : 1;
  if (line == nullptr) line = profile.last("ping-restart");
  if (line == nullptr || line->args.size() <= word) return 0;
  return base::parse_number<int>(line->args[word]).value_or(0);
}

class Migrator {
 public:
  Migrator(Context& context, host::ServiceManager& services, const Call& call)
      : context_(context), services_(services), call_(call), name_(call.operands.at(0)) {}

  int run() {
    const int ways =
        call_.has("--step") + call_.has("--undo") + call_.has("--finish") + call_.has("--at");
    if (ways > 1) return usage("--at, --undo, --finish and --step exclude each other");
    if (!site::is_site_name(name_)) {
      context_.complain(site::no_site_name(name_));
      return kUsage;
    }
    const auto held = context_.hold();
    if (!held) return kFailed;
    const auto note = migration_of(context_, name_);
    if (!note) return fail(context_, note.error());
    if (call_.has("--step")) return *note ? with(**note).step() : kOk;
    if (refuse_if_run(context_, name_)) return kFailed;
    if (call_.has("--undo")) return undo(*note);
    if (call_.has("--finish")) return finish(*note);
    if (*note) {
      const MigrationStage stage = with(**note).stage();
      if (stage == MigrationStage::kTrial || stage == MigrationStage::kStands) {
        return tell_stage(**note, stage);
      }
      if (stage == MigrationStage::kPrepared && call_.options.empty() &&
          (*note)->at > context_.world().now()) {
        return tell_moment(**note);
      }
      if (stage == MigrationStage::kBack) {
        if (const int status = with(**note).go_back((*note)->outcome); status != kOk) return status;
        return prepare(*migration_of(context_, name_));
      }
    }
    return prepare(*note);
  }

 private:
  MigrationSwitch with(const Migration& note) { return {context_, services_, note}; }

  int usage(const std::string& what) {
    context_.complain(what + "; see `tunctl key migrate --help`");
    return kUsage;
  }

  int refuse(const std::string& why) {
    context_.complain(why);
    return kFailed;
  }

  int not_under_way() {
    return refuse(name_ + " is not on its way from a static key; `" +
                  context_.command("key migrate " + name_) + "` begins");
  }

  int undo(const std::optional<Migration>& note) {
    if (!note) return not_under_way();
    MigrationSwitch change = with(*note);
    const MigrationStage stage = change.stage();
    if (context_.globals().dry_run) {
      context_.print(stage == MigrationStage::kPrepared
                         ? "would delete what was prepared\n"
                         : "would restart " + site::unit_of(name_) + " with its static key\n");
      return kOk;
    }
    // Whoever undoes it may sit behind the tunnel: what is begun is carried through.
    if (context_.world().interrupted) static_cast<void>(context_.world().interrupted());
    if (const int status = change.undo(); status != kOk) return status;
    context_.say(name_ + ": as it was, with its static key");
    if (stage != MigrationStage::kPrepared) {
      context_.say("next, far end:  tunctl key migrate " + name_ + " --undo");
    }
    return kOk;
  }

  int finish(const std::optional<Migration>& note) {
    if (!note) return not_under_way();
    MigrationSwitch change = with(*note);
    if (change.stage() != MigrationStage::kStands) {
      return refuse(name_ + " does not go by fingerprints yet; its static key is still needed");
    }
    if (context_.globals().dry_run) {
      for (const std::string& file : note->secrets) context_.print("would delete " + file + "\n");
      return kOk;
    }
    if (const int status = change.finish(); status != kOk) return status;
    context_.say(name_ + ": the static key is deleted");
    return kOk;
  }

  int tell_stage(const Migration& note, MigrationStage stage) {
    for (const char* option : {"--peer-fingerprint", "--role", "--at", "--wait"}) {
      if (!call_.has(option)) continue;
      return refuse(name_ + (stage == MigrationStage::kStands
                                 ? " goes by fingerprints already; --undo or --finish are left"
                                 : " is on trial; wait until that is over, or --undo"));
    }
    if (stage == MigrationStage::kTrial) {
      context_.say(name_ + ": on trial with fingerprints, judged at " + iso_time(note.due));
      return kOk;
    }
    context_.say(name_ + ": goes by fingerprints");
    context_.say("next, here and at the far end, once nobody wants to go back: " +
                 context_.command("key migrate " + name_) + " --finish");
    return kOk;
  }

  // What the command line adds to the note.
  int read_options() {
    if (const auto text = call_.value("--peer-fingerprint")) {
      const auto fingerprint = site::read_fingerprint(*text);
      if (!fingerprint) {
        context_.complain(fingerprint.error());
        return kUsage;
      }
      note_.peer_fingerprint = *fingerprint;
    }
    if (const auto text = call_.value("--wait")) {
      const auto count = base::parse_number<int>(*text);
      if (!count || *count < kWaitSecondsMin || *count > kWaitSecondsMax) {
        return usage("--wait takes a number of seconds from 5 to 3600");
      }
      note_.wait_seconds = *count;
    }
    if (const auto text = call_.value("--at")) {
      const auto at = read_time(*text);
      if (!at) return usage("--at takes a time in UTC like " + suggested_time());
      if (*at <= context_.world().now() || *at > context_.world().now() + kLeadMax) {
        return refuse("the clock here says " + iso_time(context_.world().now()) + ", and " + *text +
                      " is not within the next 24 hours");
      }
      note_.at = *at;
    }
    return kOk;
  }

  std::string suggested_time() { return iso_time(context_.world().now() + kLead); }

  int prepare(const std::optional<Migration>& note) {
    if (note) note_ = *note;
    note_.site = name_;
    if (note_.at > context_.world().now()) context_.note("what was agreed on is called off");
    note_.at = 0;  // another agreement is made
    if (const int status = read_options(); status != kOk) return status;
    const auto report = examine(context_, name_);
    if (!report) {
      context_.complain(report.error().problems);
      return report.error().status;
    }
    if (!report->near.profile.has("secret")) {
      return refuse("site " + name_ + " has no static key to come from");
    }
    note_.silence_seconds = silence_of(report->near.profile);
    if (const int status = choose_role(*report); status != kOk) return status;
    if (note_.at != 0 && note_.peer_fingerprint.empty()) {
      return refuse("the far end's fingerprint is not known yet; --peer-fingerprint tells it");
    }
    return prepare_files(*report);
  }

  // An end that nobody calls is the client: a server without an address of its peer waits.
  int choose_role(const SiteReport& report) {
    const bool calls = report.near.profile.has("remote");
    const bool called = !calls || !report.site().far_end.remote.empty();
    if (const auto role = call_.value("--role")) {
      note_.role = *role;
    } else if (note_.role.empty()) {
      note_.role = called ? "server" : "client";
    }
    if (note_.role != "client" || calls) return kOk;
    return refuse(
        "this end has no remote, so it cannot be the client of TLS; begin here, or say "
        "--role client at the far end");
  }

  int prepare_files(const SiteReport& report) {
    const std::string folder = context_.paths().keys_folder(name_) + "/";
    const std::string cert = folder + std::string(kCertificateFile);
    auto identity = tls_identity(context_, {name_, cert, folder + std::string(kKeyFile)});
    if (!identity) return fail(context_, identity.error());
    if (identity->fingerprint == note_.peer_fingerprint) {
      return refuse(
          "that is the fingerprint of this end's own certificate; it is the far end's "
          "that goes here");
    }
    auto site = plan_migration(context_, note_);
    if (!site) return complain(site.error());
    for (const auto& file : identity->files) note_.made.push_back(file.path);
    note_secrets(report);
    if (site->config) note_.made.push_back(site->config->path);
    std::sort(note_.made.begin(), note_.made.end());
    note_.made.erase(std::unique(note_.made.begin(), note_.made.end()), note_.made.end());
    plan::Desired desired;
    desired.folders = {{context_.paths().all_keys_folder(), kKeysFolderMode},
                       {context_.paths().keys_folder(name_), kKeysFolderMode},
                       {context_.paths().migrating_folder(), kNoteFolderMode}};
    // The note comes first: what it names is found and can be taken away.
    desired.files.push_back(
        {context_.paths().migration(name_), format_migration(note_), kNoteMode, false});
    for (auto& file : identity->files) desired.files.push_back(std::move(file));
    if (const int status = would_run(desired.files, *site); status != kOk) return status;
    if (const int status = carry_out(context_, desired); status != kOk) return status;
    if (context_.globals().dry_run) return kOk;
    if (note_.at != 0) return arm();
    tell(identity->fingerprint);
    return kOk;
  }

  // What was planned is examined like a site that is there.
  int would_run(std::vector<render::Artifact> files, const MigratedSite& site) {
    files.push_back({context_.paths().trial_site(name_), site.text, 0644, false});
    if (site.config) files.push_back(*site.config);
    PlannedFiles planned(context_.files(), files);
    const auto report = examine(context_, name_, planned);
    return report ? kOk : complain(report.error());
  }

  int complain(const ReportFailure& failure) {
    context_.complain(failure.problems);
    return failure.status;
  }

  // Only what lies in the site's own places; a key elsewhere may be another's as well.
  void note_secrets(const SiteReport& report) {
    note_.secrets.clear();
    const std::string folder = context_.paths().keys_folder(name_) + "/";
    for (const auto& need :
         render::needed_files(report.site(), report.loaded.config_bytes, context_.paths())) {
      const std::string base = site::file_name_of(need.path);
      const bool own = need.path.starts_with(folder) && base != kKeyFile;
      if (need.secret && own && context_.files().status(need.path)) {
        note_.secrets.push_back(need.path);
      }
    }
    for (const auto& need : render::needed_config(report.site(), context_.paths())) {
      const bool imported = need.path == context_.paths().imported_config(name_);
      const auto* secret = report.near.profile.last("secret");
      if (imported && secret != nullptr && secret->body) note_.secrets.push_back(need.path);
    }
  }

  int arm() {
    if (const int status = is_installed(context_, services_, name_); status != kOk) return status;
    const auto unit = services_.status(site::unit_of(name_));
    if (!unit) return fail(context_, unit.error());
    if (unit->active_state != "active") {
      return refuse(name_ +
                    " does not run; start it, for what it hears tells whether the switch "
                    "is good");
    }
    if (const int status = with(note_).arm(); status != kOk) return status;
    return tell_moment(note_);
  }

  int tell_moment(const Migration& note) {
    context_.say(name_ + ": switches to fingerprints at " + iso_time(note.at) +
                 ", and goes back if it is not up " + std::to_string(note.wait_seconds) +
                 " seconds later");
    return kOk;
  }

  void tell(const std::string& own_fingerprint) {
    context_.say(name_ + ": prepared; it still runs with its static key");
    if (!note_.outcome.empty()) context_.note("the last trial ended: " + note_.outcome);
    const char* other = note_.role == "server" ? "client" : "server";
    const std::string far = "next, far end:  tunctl key migrate " + name_ + " ";
    if (note_.peer_fingerprint.empty()) {
      context_.say(far + "--role " + other + " --peer-fingerprint " + own_fingerprint);
      context_.say("next, here:     the line that it prints for this end");
      return;
    }
    const std::string at = "--at " + suggested_time();
    context_.say(far + "--role " + other + " --peer-fingerprint " + own_fingerprint);
    context_.say("and where both ends are prepared, at both, with one time for both:");
    context_.say("next:           " + context_.command("key migrate " + name_) + " " + at);
  }

  Context& context_;
  host::ServiceManager& services_;
  const Call& call_;
  const std::string name_;
  Migration note_;
};

}  // namespace

int run_key_migrate(Context& context, const Call& call) {
  const auto services = context.services();
  if (!services && host::is_no_systemd(services.error())) {
    context.complain(
        "systemd is not running here, and its timers are what goes back if the far end is not "
        "heard");
    return kFailed;
  }
  if (!services) return fail(context, services.error());
  return Migrator(context, **services, call).run();
}

}  // namespace cli
