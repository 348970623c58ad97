// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/local_unit.h"

#include <signal.h>
#include <string.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "supervisor/host/unit_record.h"

namespace host {
namespace {

// systemd's own words, so that who reads a status need not know which manager wrote it.
struct StateWords {
  const char* active;
  const char* sub;
};
constexpr std::array<StateWords, 9> kWords = {{{"inactive", "dead"},
                                               {"activating", "start-pre"},
                                               {"activating", "start"},
                                               {"active", "running"},
                                               {"deactivating", "stop-sigterm"},
                                               {"deactivating", "stop-watchdog"},
                                               {"deactivating", "final-sigkill"},
                                               {"activating", "auto-restart"},
                                               {"failed", "failed"}}};

// A child may ask for anything; the largest numbers do not even fit a Duration.
constexpr std::uint64_t kAskedMaxMicroseconds = 24ull * 3600 * 1'000'000;

base::Duration asked_time(std::uint64_t microseconds) {
  return std::chrono::microseconds(std::min(microseconds, kAskedMaxMicroseconds));
}

std::string result_of(ChildExit exit) {
  if (exit.code == CLD_EXITED) return exit.status == 0 ? "success" : "exit-code";
  return exit.code == CLD_DUMPED ? "core-dump" : "signal";
}

EndWords end_words(const std::string& result, ChildExit exit) {
  if (exit.code == CLD_EXITED) return {result, "exited", std::to_string(exit.status)};
  const char* const name = ::sigabbrev_np(exit.status);
  return {result, exit.code == CLD_DUMPED ? "dumped" : "killed",
          name == nullptr ? std::to_string(exit.status) : name};
}

std::string words_of(ChildExit exit) {
  return fmt::format("{} {}", exit.code == CLD_EXITED ? "exit status" : "signal", exit.status);
}

}  // namespace

LocalUnit::LocalUnit(std::string unit, UnitRules rules, UnitProcesses& processes, Tell tell)
    : unit_(std::move(unit)),
      rules_(rules),
      processes_(processes),
      tell_(std::move(tell)),
      next_wait_(rules.restart_first),
      watchdog_(rules.watchdog) {}

void LocalUnit::start(base::TimePoint now) {
  stop_asked_ = restart_asked_ = false;
  if (!settled() && state_ != UnitState::kWaiting) return;
  restarts_ = 0;
  next_wait_ = rules_.restart_first;
  begin(now);
}

void LocalUnit::begin(base::TimePoint now) {
  result_ = "success";
  status_text_.clear();
  watchdog_ = rules_.watchdog;
  watchdog_at_.reset();
  enter(UnitState::kPreparing);
  deadline_ = now + rules_.start_limit;
  const auto pid = processes_.start_prepare();
  if (pid) {
    child_ = *pid;
    return;
  }
  tell_(base::to_string(pid.error()));
  result_ = "resources";
  after_failure(now);
}

void LocalUnit::begin_main(base::TimePoint now) {
  enter(UnitState::kStarting);
  deadline_ = now + rules_.start_limit;
  const auto pid = processes_.start_main();
  if (pid) {
    child_ = *pid;
    return;
  }
  tell_(base::to_string(pid.error()));
  result_ = "resources";
  after_failure(now);
}

void LocalUnit::restart(base::TimePoint now) {
  if (state_ != UnitState::kStarting && state_ != UnitState::kRunning) return start(now);
  stop_asked_ = false;
  restart_asked_ = true;
  stop_main(now, rules_.restart_signal);
}

void LocalUnit::stop_main(base::TimePoint now, int signal) {
  enter(UnitState::kStopping);
  watchdog_at_.reset();
  deadline_ = now + rules_.stop_limit;
  processes_.send_signal(child_, signal);
}

void LocalUnit::stop(base::TimePoint now) {
  stop_asked_ = true;
  restart_asked_ = false;
  switch (state_) {
    case UnitState::kPreparing:
    case UnitState::kStarting:
    case UnitState::kRunning:
      return stop_main(now, SIGTERM);
    case UnitState::kWaiting:
      enter(UnitState::kDead);
      deadline_.reset();
      processes_.clean_up({});
      return;
    default:
      return;
  }
}

void LocalUnit::child_exited(base::TimePoint now, int pid, ChildExit exit) {
  if (pid != child_) return;
  child_ = 0;
  processes_.kill_group(pid);
  // prepare leaves its failure in the runtime folder, where exec finds it: see launch/prepare.h
  if (state_ == UnitState::kPreparing) return begin_main(now);
  end_of_main(now, exit);
}

void LocalUnit::end_of_main(base::TimePoint now, ChildExit exit) {
  last_exit_ = exit;
  const bool ran = state_ == UnitState::kRunning;
  const bool gave_up = exit.code == CLD_EXITED && exit.status == kExitPermanent;
  if (result_ == "success") result_ = result_of(exit);
  if (ran && now - running_since_ >= rules_.restart_forget) next_wait_ = rules_.restart_first;
  watchdog_at_.reset();
  active_since_ = 0;
  if (stop_asked_) {
    if (result_ == "signal") result_ = "success";  // our own SIGTERM
    enter(result_ == "success" ? UnitState::kDead : UnitState::kFailed);
    deadline_.reset();
    processes_.clean_up({});
    return;
  }
  if (std::exchange(restart_asked_, false)) {
    processes_.clean_up(end_words(result_, exit));
    restarts_ = 0;
    next_wait_ = rules_.restart_first;
    return begin(now);
  }
  tell_(fmt::format("{}: main process ended ({}), {}", site_of_unit(unit_), words_of(exit),
                    gave_up ? "which no restart can mend" : "starting again"));
  if (!gave_up) return after_failure(now, end_words(result_, exit));
  enter(UnitState::kFailed);
  deadline_.reset();
  processes_.clean_up({});
}

void LocalUnit::after_failure(base::TimePoint now, const EndWords& end) {
  processes_.clean_up(end);
  child_ = 0;
  enter(UnitState::kWaiting);
  deadline_ = now + next_wait_;
  next_wait_ = std::min(next_wait_ * 2, rules_.restart_max);
}

bool LocalUnit::notified(base::TimePoint now, base::UnixSeconds wall, int sender,
                         const Notification& notification) {
  const bool alive = state_ == UnitState::kStarting || state_ == UnitState::kRunning ||
                     state_ == UnitState::kStopping;
  if (sender == 0 || sender != child_ || !alive) return false;
  if (notification.status) status_text_ = *notification.status;
  if (notification.watchdog_usec) {
    watchdog_ = asked_time(*notification.watchdog_usec);
  }
  if (notification.extend_timeout_usec && state_ != UnitState::kRunning) {
    const auto until = now + asked_time(*notification.extend_timeout_usec);
    deadline_ = std::max(deadline_.value_or(until), until);
  }
  if (notification.ready && state_ == UnitState::kStarting) {
    enter(UnitState::kRunning);
    running_since_ = now;
    active_since_ = wall;
    deadline_.reset();
  }
  if (state_ != UnitState::kRunning) return true;
  if (notification.trigger) {
    miss_watchdog(now);
    return true;
  }
  const bool fed = notification.watchdog || notification.ready || notification.watchdog_usec;
  if (watchdog_ == base::Duration::zero()) {
    watchdog_at_.reset();
  } else if (fed) {
    watchdog_at_ = now + watchdog_;
  }
  return true;
}

void LocalUnit::miss_watchdog(base::TimePoint now) {
  tell_(fmt::format("{}: watchdog missed, ending the process", site_of_unit(unit_)));
  result_ = "watchdog";
  watchdog_at_.reset();
  enter(UnitState::kAborting);
  deadline_ = now + rules_.abort_limit;
  processes_.send_signal(child_, SIGABRT);
}

void LocalUnit::kill_now(base::TimePoint now) {
  if (result_ == "success") result_ = "timeout";
  enter(UnitState::kKilling);
  deadline_ = now + rules_.kill_limit;
  processes_.kill_group(child_);
  processes_.send_signal(child_, SIGKILL);
}

void LocalUnit::timeout(base::TimePoint now) {
  if (watchdog_at_ && now >= *watchdog_at_) return miss_watchdog(now);
  if (!deadline_ || now < *deadline_) return;
  deadline_.reset();
  switch (state_) {
    case UnitState::kPreparing:
    case UnitState::kStarting:
      tell_(fmt::format("{}: not ready in time", site_of_unit(unit_)));
      return kill_now(now);
    case UnitState::kStopping:
    case UnitState::kAborting:
    case UnitState::kKilling:
      return kill_now(now);
    case UnitState::kWaiting:
      ++restarts_;
      return begin(now);
    default:
      return;
  }
}

std::optional<base::TimePoint> LocalUnit::next_timeout() const {
  if (!watchdog_at_) return deadline_;
  return deadline_ ? std::min(*deadline_, *watchdog_at_) : *watchdog_at_;
}

UnitStatus LocalUnit::status() const {
  UnitStatus status;
  status.unit = unit_;
  status.loaded = true;
  const StateWords& words = kWords[static_cast<std::size_t>(state_)];
  status.active_state = words.active;
  status.sub_state = words.sub;
  status.result = result_;
  status.status_text = status_text_;
  const bool main_runs = state_ != UnitState::kPreparing;
  status.main_pid = main_runs ? child_ : 0;
  status.exit_code = last_exit_.code;
  status.exit_status = last_exit_.status;
  status.restarts = restarts_;
  status.active_since = state_ == UnitState::kRunning ? active_since_ : 0;
  status.watchdog_usec = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(watchdog_).count());
  return status;
}

}  // namespace host
