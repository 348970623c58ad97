// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/exec_site.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "base/cpu_list.h"
#include "base/file.h"
#include "ovpn/status_line.h"
#include "supervisor/host/notify.h"
#include "supervisor/launch/failure_note.h"
#include "supervisor/launch/guard.h"
#include "supervisor/launch/launch_plan.h"
#include "supervisor/launch/let_go.h"

namespace launch {
namespace {

constexpr std::int64_t kMicrosecondsPerSecond = 1'000'000;
constexpr int kReadyMarginSeconds = 10;
const std::string kOff = "0";

int end_with(const FailureNote& note) {
  ovpn::StatusLine line;
  line.state = ovpn::ConnectionState::kExiting;
  line.note = note.message;
  host::notify_manager("STATUS=" + ovpn::format_status_line(line));
  return note.exit_status;
}

// prepare has said in the log what is wrong; this only carries its verdict to the manager.
int end_without_plan(const ExecRequest& request, const base::Log& log) {
  const auto text = base::read_file(request.runtime_folder + "/" + kFailureFile);
  if (const auto note = parse_failure_note(text ? *text : "")) return end_with(*note);
  log.error("`tunctl prepare " + request.site + "` has left nothing in " + request.runtime_folder);
  return end_with(
      {kExitFailed,
       "tunctl prepare left no plan; what it could not do stands in the log before this"});
}

void bind_to_cpus(const std::vector<int>& cpus, const base::Log& log) {
  if (cpus.empty()) return;
  const std::string failure = base::set_affinity(0, cpus);
  if (!failure.empty()) log.warning("run.cpus: " + failure);
  const auto got = base::affinity_of(0);
  if (got == cpus) return;
  log.warning(fmt::format("run.cpus: asked for {}, the kernel gives {}",
                          base::format_cpu_list(cpus), base::format_cpu_list(got)));
}

// In a unit Nice= has done it already; elsewhere, and where the drop-in is old, it is done here.
void set_nice(int nice, const base::Log& log) {
  errno = 0;
  const int now = ::getpriority(PRIO_PROCESS, 0);
  if (nice == 0 || (errno == 0 && now == nice)) return;
  if (::setpriority(PRIO_PROCESS, 0, nice) != 0) log.warning(base::errno_text("nice", errno));
}

// The site file decides how long the watchdog waits, whatever the unit says. Telling systemd starts
// its clock at once, before the engine can feed it; so it is told only where it thinks otherwise.
void set_watchdog(int seconds, std::map<std::string, std::string>& environment) {
  if (!environment.contains("NOTIFY_SOCKET")) return;
  const std::string microseconds = fmt::format("{}", seconds * kMicrosecondsPerSecond);
  const std::string units = std::exchange(environment["WATCHDOG_USEC"], microseconds);
  if (seconds == 0) environment.erase("WATCHDOG_USEC");
  const std::string& now = units.empty() ? kOff : units;
  if (now != microseconds) host::notify_manager("WATCHDOG_USEC=" + microseconds);
  if (seconds == 0) return;
  environment["WATCHDOG_PID"] = fmt::format("{}", ::getpid());
}

// Who keeps descriptors for us under `tunctl run` could not know our pid (sd_listen_fds(3)).
void name_listener(std::map<std::string, std::string>& environment) {
  if (environment.contains("LISTEN_FDS") && !environment.contains("LISTEN_PID")) {
    environment["LISTEN_PID"] = fmt::format("{}", ::getpid());
  }
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Returns errno's value: exec came back.
int become(const LaunchPlan& plan, const std::map<std::string, std::string>& environment) {
  std::vector<std::string> words{plan.program}, settings;
  words.insert(words.end(), plan.argv.begin(), plan.argv.end());
  for (const auto& [name, value] : environment) settings.push_back(name + "=" + value);
  ::execve(plan.program.c_str(), pointers_to(words).data(), pointers_to(settings).data());
  return errno;
}

}  // namespace

int exec_site(const ExecRequest& request, const base::Log& log) {
  const std::string file = request.runtime_folder + "/" + kLaunchFile;
  const auto text = base::read_file(file);
  if (!text) return end_without_plan(request, log);
  const auto plan = parse_launch_plan(file, *text);
  if (!plan) {
    log.error(base::to_string(plan.error()));
    return end_with({kExitFailed, plan.error().message});
  }
  bind_to_cpus(plan->cpus, log);
  set_nice(plan->nice, log);
  auto environment = request.environment;
  set_watchdog(plan->watchdog_seconds, environment);
  name_listener(environment);
  if (plan->ready_connected) {
    host::notify_manager(
        fmt::format("EXTEND_TIMEOUT_USEC={}",
                    (plan->ready_timeout_seconds + kReadyMarginSeconds) * kMicrosecondsPerSecond));
  }
  if (!plan->fastpath) {
    let_go_of_kept(*plan, request.program, environment);
    wait_for_packet_time(*plan, log);
    return guard_stock(*plan, environment, log);
  }
  const std::string reason =
      base::errno_text("cannot run " + plan->program, become(*plan, environment));
  log.error(reason);
  return end_with({kExitPermanent, reason});
}

}  // namespace launch
