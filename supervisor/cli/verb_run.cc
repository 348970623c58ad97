// SPDX-License-Identifier: Apache-2.0
// What units call, and the verb that takes their place where there is no systemd.
#include <unistd.h>

#include "base/log.h"
#include "supervisor/cli/verbs.h"
#include "supervisor/cli/work.h"
#include "supervisor/launch/exec_site.h"
#include "supervisor/launch/failure_note.h"
#include "supervisor/launch/prepare.h"
#include "supervisor/launch/run_sites.h"
#include "supervisor/watch/wait_online.h"

namespace cli {
namespace {

// As systemd-networkd-wait-online(8) has it.
constexpr base::Duration kWaitOnlineLimit = std::chrono::seconds(120);

// The journal's stream takes priorities from prefixes; a terminal or a file wants none.
base::Log log_of(Context& context) {
  const auto& environment = context.world().environment;
  const auto stream = environment.find("JOURNAL_STREAM");
  const char* journal = stream == environment.end() ? nullptr : stream->second.c_str();
  const bool prefixes = base::is_journal_stream(STDERR_FILENO, journal);
  const auto most = context.globals().verbose > 0 ? base::LogLevel::kDebug : base::LogLevel::kInfo;
  return base::Log(base::fd_sink(STDERR_FILENO, prefixes), most);
}

std::string variable(Context& context, const char* name) {
  const auto& environment = context.world().environment;
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

// Only units are given credentials.
base::Problems held_by_systemd(const SiteReport& report) {
  const std::string key = site::key_with_credential(report.site());
  if (key.empty()) return {};
  return {{report.site().place_of(key), "without a unit there are no credentials of systemd's",
           "write a file's name"}};
}

int refuse_name(Context& context, const std::string& name) {
  context.complain(site::no_site_name(name));
  return launch::kExitPermanent;
}

}  // namespace

int run_prepare(Context& context, const Call& call) {
  const std::string& name = call.operands.at(0);
  if (!site::is_site_name(name)) return refuse_name(context, name);
  const auto& paths = context.paths();
  const std::string folder =
      call.has("--foreground") ? paths.foreground_folder(name) : paths.runtime_folder(name);
  // Without its folder this is no unit's start, and nobody's decision about a restart.
  if (!context.files().status(folder) && !context.files().status(paths.site_file(name))) {
    context.complain("no site is called " + name + "; `tunctl list` shows all");
    return kNoSuchSite;
  }
  launch::PrepareRequest request{.site = name, .paths = context.paths(), .programs = {}};
  request.programs = launch::find_programs(context.files(), context.world().program);
  request.cpu_count = context.world().cpu_count;
  request.machine = context.world().machine;
  request.reload = call.has("--reload");
  request.starts_as_root = call.has("--foreground");
  request.main_pid = std::atoi(variable(context, "MAINPID").c_str());
  return launch::prepare_site(request, context.files(), log_of(context));
}

int run_exec(Context& context, const Call& call) {
  const std::string& name = call.operands.at(0);
  if (!site::is_site_name(name)) return refuse_name(context, name);
  launch::ExecRequest request;
  request.site = name;
  request.program = context.world().program;
  const std::string given = variable(context, "RUNTIME_DIRECTORY");
  const bool ours = !given.empty() && context.globals().root.empty();
  request.runtime_folder = ours ? given : context.paths().foreground_folder(name);
  request.environment = context.world().environment;
  return launch::exec_site(request, log_of(context));
}

int run_wait_online(Context& context, const Call& call) {
  const std::string& name = call.operands.at(0);
  if (!site::is_site_name(name)) {
    context.complain(site::no_site_name(name));
    return kNoSuchSite;
  }
  const watch::Clock clock{context.world().monotonic, context.world().sleep};
  const auto limit = context.globals().timeout.value_or(kWaitOnlineLimit);
  const auto outcome = watch::wait_online(context.onlooker(name), name, limit, clock);
  if (!outcome) {
    context.complain(outcome.error());
    return status_of(outcome.error());
  }
  if (outcome->result == watch::WaitResult::kOnline) return kOk;
  const bool over = outcome->result == watch::WaitResult::kFailed;
  if (over && !context.files().status(context.paths().site_file(name))) {
    context.complain("no site is called " + name + "; `tunctl list` shows all");
    return kNoSuchSite;
  }
  const bool late = outcome->result == watch::WaitResult::kTimedOut;
  context.complain(name + (late ? ": the far end was not heard" : ": the unit does not run"));
  return late ? kTimedOut : kNotUp;
}

int run_run(Context& context, const Call& call) {
  for (const std::string& name : call.operands) {
    const auto report = examine_among(context, name, call.operands, InTheWay::kRunning);
    if (report && !held_by_systemd(*report).empty()) {
      context.complain(held_by_systemd(*report));
      return kInvalid;
    }
    if (report) context.warn(report->warnings);
    if (report && report->missing().empty()) continue;
    context.complain(report ? report->missing() : report.error().problems);
    return report ? kInvalid : report.error().status;
  }
  if (context.globals().dry_run) {
    for (const std::string& name : call.operands) context.print("would run " + name + "\n");
    return kOk;
  }
  const auto services = context.services();
  host::ServiceManager* systemd = services ? *services : nullptr;
  const auto ended = launch::run_sites(
      {call.operands, context.globals().root, context.world().program}, systemd, log_of(context));
  if (ended) return *ended ? kOk : kNotUp;
  context.complain(ended.error());
  return status_of(ended.error());
}

}  // namespace cli
