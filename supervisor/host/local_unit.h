// SPDX-License-Identifier: Apache-2.0
// The rules of tunctl@.service for a machine without systemd, as a pure machine: events and time
// in, requests to `UnitProcesses` out.
#pragma once

#include <signal.h>

#include <functional>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/time.h"
#include "supervisor/host/child_process.h"
#include "supervisor/host/notify.h"
#include "supervisor/host/service_manager.h"

namespace host {

// The numbers of units/tunctl@.service.in; keep the two alike.
struct UnitRules {
  base::Duration restart_first = std::chrono::seconds(1);
  base::Duration restart_max = std::chrono::seconds(60);  // each wait is twice the one before
  // After this long in running, the next wait is `restart_first` again.
  base::Duration restart_forget = std::chrono::seconds(60);
  base::Duration start_limit = std::chrono::seconds(45);
  base::Duration stop_limit = std::chrono::seconds(15);
  base::Duration abort_limit = std::chrono::seconds(3);  // from SIGABRT to SIGKILL
  base::Duration kill_limit = std::chrono::seconds(10);
  base::Duration watchdog = std::chrono::seconds(10);
  // RestartKillSignal=, for restart(); SIGTERM, if nothing is said.
  int restart_signal = SIGTERM;
};
inline constexpr int kExitPermanent = 78;  // what no restart can mend: EX_CONFIG

// How a main process ended, in systemd's words for ExecStopPost= (systemd.exec(5)). All empty: no
// other follows.
struct EndWords {
  std::string result, code, status;
};

// What a unit asks of the operating system.
class UnitProcesses {
 public:
  virtual ~UnitProcesses() = default;
  // `tunctl prepare`, after making the runtime folder anew. The pid, or why not.
  virtual base::Result<int> start_prepare() = 0;
  virtual base::Result<int> start_main() = 0;         // `tunctl exec`
  virtual void send_signal(int pid, int number) = 0;  // to the process alone
  virtual void kill_group(int pid) = 0;               // SIGKILL to all it left behind
  // The runtime folder goes; and, where no other run follows, what was kept for it.
  virtual void clean_up(const EndWords& end) = 0;
};

enum class UnitState {
  kDead,
  kPreparing,
  kStarting,
  kRunning,
  kStopping,  // SIGTERM was sent
  kAborting,  // SIGABRT was sent (watchdog)
  kKilling,   // SIGKILL was sent
  kWaiting,   // for the next try
  kFailed,    // for good
};

// Used by one thread. `processes` must outlive it.
class LocalUnit {
 public:
  using Tell = std::function<void(const std::string&)>;  // lines worth a log

  LocalUnit(std::string unit, UnitRules rules, UnitProcesses& processes, Tell tell);

  void start(base::TimePoint now);
  void stop(base::TimePoint now);
  void restart(base::TimePoint now);  // at once, where it runs
  void child_exited(base::TimePoint now, int pid, ChildExit exit);
  // True: it is the unit's main process that spoke.
  bool notified(base::TimePoint now, base::UnixSeconds wall, int sender,
                const Notification& notification);
  void timeout(base::TimePoint now);  // spurious calls are harmless
  std::optional<base::TimePoint> next_timeout() const;

  UnitState state() const { return state_; }
  int child() const { return child_; }  // pid of prepare or of the main process; 0: none
  bool settled() const { return state_ == UnitState::kDead || state_ == UnitState::kFailed; }
  UnitStatus status() const;

 private:
  void begin(base::TimePoint now);
  void begin_main(base::TimePoint now);
  void end_of_main(base::TimePoint now, ChildExit exit);
  void after_failure(base::TimePoint now, const EndWords& end = {});
  void stop_main(base::TimePoint now, int signal);
  void enter(UnitState state) { state_ = state; }
  void kill_now(base::TimePoint now);
  void miss_watchdog(base::TimePoint now);

  // constant
  const std::string unit_;
  const UnitRules rules_;
  UnitProcesses& processes_;
  const Tell tell_;

  UnitState state_ = UnitState::kDead;
  int child_ = 0;
  bool stop_asked_ = false;
  bool restart_asked_ = false;
  std::string result_ = "success";
  std::string status_text_;
  ChildExit last_exit_{};
  std::uint32_t restarts_ = 0;
  base::Duration next_wait_;
  base::Duration watchdog_;
  base::UnixSeconds active_since_ = 0;
  std::optional<base::TimePoint> deadline_;     // of the state
  std::optional<base::TimePoint> watchdog_at_;  // when it is missed
  base::TimePoint running_since_{};
};

}  // namespace host
