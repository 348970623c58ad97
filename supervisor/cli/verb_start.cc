// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/bring_up.h"
#include "supervisor/cli/site_life.h"
#include "supervisor/cli/verbs.h"
#include "supervisor/cli/work.h"
#include "supervisor/launch/failure_note.h"

namespace cli {
namespace {

constexpr base::Duration kStopLimit = std::chrono::seconds(90);
constexpr base::Duration kReloadLimit = std::chrono::seconds(30);

int tell(Context& context, const std::string& name, const char* done,
         const base::Result<host::JobOutcome>& outcome) {
  if (!outcome) return fail(context, outcome.error());
  if (outcome->result == host::JobResult::kDone) {
    context.say(name + ": " + done);
    return kOk;
  }
  context.complain(name + ": " + outcome->message + "; `tunctl log " + name + "` says more");
  return outcome->result == host::JobResult::kTimedOut ? kTimedOut : kFailed;
}

// systemd says only that the job failed; what `prepare` found stands in the runtime folder.
std::string why_not_reloaded(Context& context, const std::string& unit) {
  const std::string folder = context.paths().runtime_folder(site::name_of_unit(unit));
  const auto text = context.files().read(folder + "/" + launch::kReloadFailureFile);
  const auto note = launch::parse_failure_note(text ? std::string_view(*text) : "");
  return note ? note->message : "";
}

// What is wrong in the files is told here at once; the unit would only fail over it.
int begin(Context& context, const Call& call, Begin how, const char* word) {
  const auto services = context.services();
  if (!services) return fail(context, services.error());
  int status = kOk;
  std::vector<std::string> sound;
  for (const std::string& name : call.operands) {
    auto report = examine(context, name);
    if (report) {
      const auto taken =
          interface_in_the_way(context, report->near.profile, report->site().place_of("dev"));
      if (taken) report = ReportFailure{kInvalid, {*taken}};
    }
    if (report && report->missing().empty()) {
      const bool ours = context.runner_of(name) == 0;
      const int one = ours ? renew_drop_in(context, *report, **services) : kOk;
      if (one == kOk) sound.push_back(name);
      status = worse(status, one);
      continue;
    }
    context.complain(report ? report->missing() : report.error().problems);
    status = worse(status, report ? kInvalid : report.error().status);
  }
  if (!context.globals().dry_run) {
    return worse(status, bring_up(context, **services, sound, how));
  }
  for (const std::string& name : sound) {
    context.print(std::string("would ") + word + " " + site::unit_of(name) + "\n");
  }
  return status;
}

// A site whose file is gone may still run, so only the name is looked at. What `tunctl run` holds
// is no unit's, and systemd would call it stopped.
template <typename Change>
int change_each(Context& context, const Call& call, const char* word, const char* done,
                const Change& change) {
  const auto services = context.services();
  int status = kOk;
  for (const std::string& name : call.operands) {
    if (!site::is_site_name(name)) {
      context.complain(site::no_site_name(name));
      status = worse(status, kNoSuchSite);
    } else if (refuse_if_run(context, name, word)) {
      status = worse(status, kFailed);
    } else if (!services) {
      return worse(status, fail(context, services.error()));
    } else if (context.globals().dry_run) {
      context.print(std::string("would ") + word + " " + site::unit_of(name) + "\n");
    } else {
      status = worse(status, tell(context, name, done, change(**services, site::unit_of(name))));
    }
  }
  return status;
}

}  // namespace

int run_start(Context& context, const Call& call) {
  return begin(context, call, Begin::kStart, "start");
}

int run_restart(Context& context, const Call& call) {
  return begin(context, call, Begin::kRestart, "restart");
}

int run_stop(Context& context, const Call& call) {
  return change_each(context, call, "stop", "stopped",
                     [](host::ServiceManager& services, const std::string& unit) {
                       return services.stop(unit, kStopLimit);
                     });
}

int run_reload(Context& context, const Call& call) {
  return change_each(context, call, "reload", "reloaded",
                     [&context](host::ServiceManager& services,
                                const std::string& unit) -> base::Result<host::JobOutcome> {
                       const auto status = services.status(unit);
                       if (status && status->active_state != "active") {
                         return base::Problem{{}, unit + " does not run", "start it instead"};
                       }
                       auto outcome = services.reload(unit, kReloadLimit);
                       if (!outcome || outcome->result != host::JobResult::kFailed) return outcome;
                       const std::string reason = why_not_reloaded(context, unit);
                       if (reason.empty()) return outcome;
                       return base::Problem{{}, unit + " was not reloaded: " + reason, {}};
                     });
}

}  // namespace cli
