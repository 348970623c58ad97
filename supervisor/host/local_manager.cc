// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/local_manager.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"
#include "supervisor/host/disk_file_store.h"
#include "supervisor/host/line_pipe.h"
#include "supervisor/host/unit_record.h"

namespace host {
namespace {

constexpr base::Duration kRecordEvery = std::chrono::seconds(1);
constexpr base::Duration kLongestWait = std::chrono::seconds(3600);

sigset_t our_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) ::sigaddset(&set, number);
  return set;
}

base::UniqueFd open_signals() {
  const sigset_t set = our_signals();
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  return base::UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

base::Problem not_ours(const std::string& unit) {
  return {{}, unit + " is not run here", "name it after `tunctl run`"};
}

base::Problem no_units_to_enable() {
  return {{}, std::string(kNoSystemd), "start `tunctl run NAME` from your init system"};
}

}  // namespace

// One adopted site.
struct LocalManager::Slot {
  Slot(std::string name, base::UniqueFd held, const LocalSettings& settings,
       const std::string& run_folder, const std::string& address, const base::Log& log)
      : site(std::move(name)),
        lock(std::move(held)),
        output(settings.label_output ? std::make_unique<LinePipe>() : nullptr),
        processes(settings, run_folder + "/.run/" + site, site, address,
                  output ? output->writer() : -1),
        unit(unit_of_site(site), settings.rules, processes,
             [&log](const std::string& line) { log.warning(line); }) {}

  const std::string site;
  base::UniqueFd lock;
  const std::unique_ptr<LinePipe> output;  // null: children write to our own
  SiteProcesses processes;
  LocalUnit unit;
  std::vector<int> reloads;  // pids of `prepare --reload` not yet reaped
  std::string written;       // the record as it is on disk
  base::TimePoint written_at{};
};

LocalManager::LocalManager(LocalSettings settings, base::Log log)
    : settings_(std::move(settings)),
      log_(std::move(log)),
      run_folder_(settings_.root + "/run/tunctl"),
      signals_(open_signals()) {
  if (!signals_) throw base::FatalError(base::errno_text("signalfd", errno));
}

LocalManager::~LocalManager() {
  for (auto& slot : slots_) {
    if (const int pid = slot->unit.child(); pid > 0) {
      slot->processes.kill_group(pid);
      slot->processes.send_signal(pid, SIGKILL);
      while (!exit_of(pid)) ::usleep(1000);
      slot->processes.clean_up({});
    }
    read_output(*slot, true);
    unlock_site(run_folder_, slot->site, std::move(slot->lock));
    if (slot->unit.state() != UnitState::kFailed) {
      ::unlink(unit_record_path(run_folder_, slot->site).c_str());
    }
  }
  // Unless they are somebody else's as well.
  for (const char* folder : {"/.interfaces", "/.run"}) ::rmdir((run_folder_ + folder).c_str());
  const sigset_t set = our_signals();
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

std::string LocalManager::adopt(const std::string& site) {
  std::string failure = DiskFileStore().make_folder(run_folder_, 0755);
  if (!failure.empty()) return failure;
  base::UniqueFd lock = lock_site(run_folder_, site);
  if (lock) {
    slots_.push_back(std::make_unique<Slot>(site, std::move(lock), settings_, run_folder_,
                                            notify_.address(), log_));
    return {};
  }
  if (errno == EWOULDBLOCK) return site + " is run by another `tunctl run` already";
  return base::errno_text("cannot make a lock in " + run_folder_, errno);
}

LocalManager::Slot* LocalManager::slot_of(const std::string& unit) {
  for (auto& slot : slots_) {
    if (unit_of_site(slot->site) == unit) return slot.get();
  }
  return nullptr;
}

bool LocalManager::run() {
  for (auto& slot : slots_) slot->unit.start(base::monotonic_now());
  const auto settled = [](const auto& slot) { return slot->unit.settled(); };
  const auto pace = watchdog_pace();
  do {
    turn(pace.value_or(kLongestWait));
    if (pace) notify_manager("WATCHDOG=1");
    tell_manager_above();
  } while (!std::all_of(slots_.begin(), slots_.end(), settled));
  write_records(true);
  return ending_;
}

void LocalManager::run_for(base::Duration time) {
  const base::TimePoint end = base::monotonic_now() + time;
  for (base::Duration left = time; left > base::Duration::zero();
       left = end - base::monotonic_now()) {
    turn(left);
  }
}

void LocalManager::turn(base::Duration longest) {
  std::vector<pollfd> ready{{signals_.get(), POLLIN, 0}, {notify_.fd(), POLLIN, 0}};
  for (const auto& slot : slots_) {
    if (slot->output) ready.push_back({slot->output->reader(), POLLIN, 0});
  }
  ::poll(ready.data(), ready.size(), milliseconds_to_wait(longest));
  for (auto& slot : slots_) read_output(*slot, false);
  // Notifications first: a child's last words count before its end does.
  read_notifications();
  read_signals();
  reap();
  const base::TimePoint now = base::monotonic_now();
  for (auto& slot : slots_) slot->unit.timeout(now);
  write_records(false);
}

int LocalManager::milliseconds_to_wait(base::Duration longest) const {
  base::TimePoint until = base::monotonic_now() + longest;
  for (const auto& slot : slots_) {
    if (const auto at = slot->unit.next_timeout()) until = std::min(until, *at);
    // A record held back by its rate is written when its second is over.
    if (format_unit_record(slot->unit.status()) != slot->written) {
      until = std::min(until, slot->written_at + kRecordEvery);
    }
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - base::monotonic_now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

void LocalManager::read_signals() {
  signalfd_siginfo info{};
  while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGHUP) reload_all();
    if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT) stop_all();
  }
}

void LocalManager::read_output(Slot& slot, bool last) {
  if (!slot.output) return;
  const auto tell = [&](std::string_view line) { log_.info(slot.site + ": " + std::string(line)); };
  last ? slot.output->finish(tell) : slot.output->drain(tell);
}

void LocalManager::read_notifications() {
  while (auto datagram = notify_.receive()) {
    const Notification notification = parse_notification(datagram->message);
    for (auto& slot : slots_) {
      if (!slot->unit.notified(base::monotonic_now(), base::unix_now(), datagram->sender,
                               notification)) {
        continue;
      }
      slot->processes.store(notification, std::move(datagram->descriptors));
      break;
    }
  }
}

void LocalManager::reap() {
  for (auto& slot : slots_) {
    std::erase_if(slot->reloads, [](int pid) { return exit_of(pid).has_value(); });
    const int pid = slot->unit.child();
    if (pid == 0) continue;
    if (const auto exit = exit_of(pid)) {
      slot->unit.child_exited(base::monotonic_now(), pid, *exit);
    }
  }
}

void LocalManager::stop_all() {
  if (!ending_) notify_manager("STOPPING=1\nSTATUS=stopping");
  ending_ = true;
  for (auto& slot : slots_) slot->unit.stop(base::monotonic_now());
}

void LocalManager::reload_all() {
  for (auto& slot : slots_) {
    if (slot->unit.state() != UnitState::kRunning) continue;
    const auto pid = slot->processes.start_reload(slot->unit.child());
    if (pid) slot->reloads.push_back(*pid);
    if (!pid) log_.error(base::to_string(pid.error()));
  }
}

void LocalManager::write_records(bool now_please) {
  const base::TimePoint now = base::monotonic_now();
  for (auto& slot : slots_) {
    if (!now_please && now - slot->written_at < kRecordEvery) continue;
    const std::string record = format_unit_record(slot->unit.status());
    if (record == slot->written) continue;
    slot->written_at = now;
    slot->written = record;
    const std::string failure =
        base::write_file_atomically(unit_record_path(run_folder_, slot->site), record, 0644);
    if (!failure.empty()) log_.warning(failure);
  }
}

void LocalManager::tell_manager_above() {
  if (ending_) return;
  std::size_t running = 0, failed = 0;
  for (const auto& slot : slots_) {
    running += slot->unit.state() == UnitState::kRunning;
    failed += slot->unit.state() == UnitState::kFailed;
  }
  std::string message = fmt::format("STATUS={} of {} running", running, slots_.size());
  if (failed > 0) message += fmt::format(", {} failed", failed);
  // Ready stands for "each was started once"; one that failed for good must not hold up the rest.
  if (!said_ready_ && running + failed == slots_.size()) {
    said_ready_ = true;
    message = "READY=1\n" + message;
  }
  if (message == last_status_) return;
  last_status_ = message;
  notify_manager(message);
}

base::Result<UnitStatus> LocalManager::status(const std::string& unit) {
  const Slot* slot = slot_of(unit);
  if (slot == nullptr) return not_ours(unit);
  return slot->unit.status();
}

base::Result<std::vector<std::string>> LocalManager::instances(const std::string& template_prefix) {
  std::vector<std::string> units;
  for (const auto& slot : slots_) {
    const std::string unit = unit_of_site(slot->site);
    if (unit.starts_with(template_prefix)) units.push_back(unit);
  }
  return units;
}

base::Result<JobOutcome> LocalManager::start(const std::string& unit, base::Duration limit,
                                             const Progress& progress) {
  Slot* slot = slot_of(unit);
  if (slot == nullptr) return not_ours(unit);
  const base::TimePoint end = base::monotonic_now() + limit;
  slot->unit.start(base::monotonic_now());
  std::string told;
  for (;;) {
    const UnitState state = slot->unit.state();
    if (state == UnitState::kRunning) return JobOutcome{};
    if (slot->unit.settled() || state == UnitState::kWaiting) {
      return JobOutcome{JobResult::kFailed, slot->unit.status().result};
    }
    const base::Duration left = end - base::monotonic_now();
    if (left <= base::Duration::zero()) return JobOutcome{JobResult::kTimedOut, "not ready yet"};
    turn(left);
    const UnitStatus now = slot->unit.status();
    if (progress && now.status_text != told) progress(now);
    told = now.status_text;
  }
}

base::Result<JobOutcome> LocalManager::stop(const std::string& unit, base::Duration limit) {
  Slot* slot = slot_of(unit);
  if (slot == nullptr) return not_ours(unit);
  const base::TimePoint end = base::monotonic_now() + limit;
  slot->unit.stop(base::monotonic_now());
  while (!slot->unit.settled()) {
    const base::Duration left = end - base::monotonic_now();
    if (left <= base::Duration::zero()) return JobOutcome{JobResult::kTimedOut, "still stopping"};
    turn(left);
  }
  return JobOutcome{};
}

base::Result<JobOutcome> LocalManager::restart(const std::string& unit, base::Duration limit,
                                               const Progress& progress) {
  Slot* slot = slot_of(unit);
  if (slot == nullptr) return not_ours(unit);
  const base::TimePoint end = base::monotonic_now() + limit;
  slot->unit.restart(base::monotonic_now());
  while (slot->unit.state() == UnitState::kStopping || slot->unit.state() == UnitState::kKilling) {
    const base::Duration left = end - base::monotonic_now();
    if (left <= base::Duration::zero()) return JobOutcome{JobResult::kTimedOut, "still stopping"};
    turn(left);
  }
  return start(unit, end - base::monotonic_now(), progress);
}

base::Result<JobOutcome> LocalManager::reload(const std::string& unit, base::Duration) {
  Slot* slot = slot_of(unit);
  if (slot == nullptr) return not_ours(unit);
  const auto pid = slot->processes.start_reload(slot->unit.child());
  if (!pid) return pid.error();
  slot->reloads.push_back(*pid);
  return JobOutcome{};
}

base::Result<JobOutcome> LocalManager::enable(const std::vector<std::string>&) {
  return no_units_to_enable();
}
base::Result<JobOutcome> LocalManager::disable(const std::vector<std::string>&) {
  return no_units_to_enable();
}
base::Result<JobOutcome> LocalManager::mask(const std::vector<std::string>&) {
  return no_units_to_enable();
}
base::Result<JobOutcome> LocalManager::unmask(const std::vector<std::string>&) {
  return no_units_to_enable();
}
base::Result<JobOutcome> LocalManager::run_later(const std::string&, base::Duration,
                                                 const std::vector<std::string>&) {
  return no_units_to_enable();
}
base::Result<JobOutcome> LocalManager::daemon_reload() { return no_units_to_enable(); }
base::Result<JobOutcome> LocalManager::reset_failed(const std::string&) { return JobOutcome{}; }

}  // namespace host
