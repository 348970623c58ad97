// SPDX-License-Identifier: Apache-2.0
// The unit's rules as talk, with a clock that only the test moves.
#include "supervisor/host/local_unit.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <utility>

namespace host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FakeProcesses : public UnitProcesses {
 public:
  base::Result<int> start_prepare() override {
    said += "prepare ";
    return ++last_pid;
  }
  base::Result<int> start_main() override {
    said += "main ";
    if (refuse_main) return base::Problem{{}, "no memory", {}};
    return ++last_pid;
  }
  void send_signal(int, int number) override {
    said += number == SIGTERM   ? "TERM "
            : number == SIGABRT ? "ABRT "
            : number == SIGUSR2 ? "LEAVE "
                                : "KILL ";
  }
  void kill_group(int) override { said += "sweep "; }
  void clean_up(const EndWords& end) override {
    said += end.result.empty() ? "clean "
                               : "clean(" + end.result + "/" + end.code + "/" + end.status + ") ";
  }

  std::string take() { return std::exchange(said, {}); }
  std::string said;
  int last_pid = 100;
  bool refuse_main = false;
};

class LocalUnitTest : public ::testing::Test {
 protected:
  void pass(base::Duration time) {
    // Visits every timeout on the way, as a loop would.
    const base::TimePoint end = now + time;
    while (unit.next_timeout() && *unit.next_timeout() <= end) {
      now = *unit.next_timeout();
      unit.timeout(now);
    }
    now = end;
    unit.timeout(now);
  }
  void exits(int status) { unit.child_exited(now, unit.child(), {CLD_EXITED, status}); }
  void killed(int number) { unit.child_exited(now, unit.child(), {CLD_KILLED, number}); }
  void says(const std::string& message) {
    unit.notified(now, 1764500000, unit.child(), parse_notification(message));
  }
  void bring_up() {
    unit.start(now);
    exits(0);
    says("READY=1");
    processes.take();
  }
  std::string state() { return unit.status().active_state + "/" + unit.status().sub_state; }

  FakeProcesses processes;
  base::TimePoint now{seconds(1000)};
  LocalUnit unit{"tunctl@a.service", {}, processes, [](const std::string&) {}};
};

TEST_F(LocalUnitTest, PreparesStartsAndIsRunningOnceReady) {
  EXPECT_EQ(state(), "inactive/dead");
  unit.start(now);
  EXPECT_EQ(state(), "activating/start-pre");
  exits(0);
  EXPECT_EQ(processes.take(), "prepare sweep main ");
  EXPECT_EQ(state(), "activating/start");
  says("STATUS=ASSIGN_IP");
  EXPECT_EQ(state(), "activating/start");
  says("READY=1");
  EXPECT_EQ(state(), "active/running");
  EXPECT_EQ(unit.status().status_text, "ASSIGN_IP");
  EXPECT_EQ(unit.status().active_since, 1764500000);
  EXPECT_EQ(unit.status().main_pid, unit.child());
}

TEST_F(LocalUnitTest, AKilledEngineIsBackAfterASecondAndCounted) {
  bring_up();
  killed(SIGKILL);
  EXPECT_EQ(state(), "activating/auto-restart");
  EXPECT_EQ(unit.status().result, "signal");
  pass(milliseconds(999));
  EXPECT_EQ(processes.take(), "sweep clean(signal/killed/KILL) ");
  pass(milliseconds(1));
  EXPECT_EQ(processes.take(), "prepare ");
  EXPECT_EQ(unit.status().restarts, 1u);
}

TEST_F(LocalUnitTest, AnExitNobodyAskedForCountsEvenIfItIsZero) {
  bring_up();
  exits(0);
  EXPECT_EQ(state(), "activating/auto-restart");
}

TEST_F(LocalUnitTest, WaitsDoubleUpToAMinuteAndBeginAnewAfterALongRun) {
  bring_up();
  for (const int wait : {1, 2, 4, 8, 16, 32, 60, 60}) {
    exits(1);
    pass(seconds(wait) - milliseconds(1));
    EXPECT_EQ(state(), "activating/auto-restart") << wait;
    pass(milliseconds(1));
    EXPECT_EQ(state(), "activating/start-pre") << wait;
    exits(0);  // prepare
  }
  says("READY=1\nWATCHDOG_USEC=0");
  pass(seconds(60));
  exits(1);
  pass(seconds(1));
  EXPECT_EQ(state(), "activating/start-pre");
}

TEST_F(LocalUnitTest, Exit78IsForGood) {
  unit.start(now);
  exits(78);  // prepare's own status does not count; exec tells
  EXPECT_EQ(state(), "activating/start");
  says("STATUS=EXITING - key missing");
  exits(78);
  EXPECT_EQ(state(), "failed/failed");
  EXPECT_EQ(unit.status().exit_status, 78);
  EXPECT_EQ(unit.status().status_text, "EXITING - key missing");
  pass(seconds(3600));
  EXPECT_EQ(processes.take(), "prepare sweep main sweep clean ");
  unit.start(now);
  EXPECT_EQ(state(), "activating/start-pre");
}

TEST_F(LocalUnitTest, AStoppedEngineMissesItsWatchdogIsAbortedThenKilled) {
  bring_up();
  pass(seconds(6));
  says("WATCHDOG=1");
  pass(seconds(9));
  EXPECT_EQ(state(), "active/running");
  pass(seconds(1));
  EXPECT_EQ(processes.take(), "ABRT ");
  EXPECT_EQ(state(), "deactivating/stop-watchdog");
  pass(seconds(3));
  EXPECT_EQ(processes.take(), "sweep KILL ");
  killed(SIGKILL);
  EXPECT_EQ(unit.status().result, "watchdog");
  pass(seconds(1));
  EXPECT_EQ(processes.take(), "sweep clean(watchdog/killed/KILL) prepare ");
}

TEST_F(LocalUnitTest, TheEngineMaySetOrStopItsWatchdog) {
  bring_up();
  says("WATCHDOG_USEC=2000000");
  pass(seconds(2));
  EXPECT_EQ(processes.take(), "ABRT ");
  killed(SIGABRT);
  pass(seconds(1));
  exits(0);
  says("READY=1\nWATCHDOG_USEC=0");
  pass(seconds(3600));
  EXPECT_EQ(state(), "active/running");
  says("WATCHDOG=trigger");
  EXPECT_EQ(state(), "deactivating/stop-watchdog");
}

TEST_F(LocalUnitTest, NotReadyInTimeIsKilledUnlessItAsksForMore) {
  unit.start(now);
  exits(0);
  pass(seconds(44));
  says("EXTEND_TIMEOUT_USEC=30000000");
  pass(seconds(29));
  EXPECT_EQ(state(), "activating/start");
  processes.take();
  pass(seconds(1));
  EXPECT_EQ(processes.take(), "sweep KILL ");
  killed(SIGKILL);
  EXPECT_EQ(unit.status().result, "timeout");
  EXPECT_EQ(state(), "activating/auto-restart");
}

TEST_F(LocalUnitTest, NoChildCanPutOffItsEndForEver) {
  unit.start(now);
  exits(0);
  says("EXTEND_TIMEOUT_USEC=18446744073709551615");
  ASSERT_TRUE(unit.next_timeout().has_value());
  EXPECT_LE(*unit.next_timeout() - now, std::chrono::hours(24));
  EXPECT_GT(*unit.next_timeout() - now, seconds(45));
  says("READY=1\nWATCHDOG_USEC=18446744073709551615");
  ASSERT_TRUE(unit.next_timeout().has_value());
  EXPECT_LE(*unit.next_timeout() - now, std::chrono::hours(24));
}

TEST_F(LocalUnitTest, StopEndsItAndCleansUp) {
  bring_up();
  unit.stop(now);
  EXPECT_EQ(state(), "deactivating/stop-sigterm");
  exits(0);
  EXPECT_EQ(processes.take(), "TERM sweep clean ");
  EXPECT_EQ(state(), "inactive/dead");
  EXPECT_FALSE(unit.next_timeout().has_value());
}

TEST_F(LocalUnitTest, WhoDoesNotStopIsKilled) {
  bring_up();
  unit.stop(now);
  pass(seconds(15));
  EXPECT_EQ(processes.take(), "TERM sweep KILL ");
  killed(SIGKILL);
  EXPECT_EQ(state(), "failed/failed");
  EXPECT_EQ(unit.status().result, "timeout");
}

TEST_F(LocalUnitTest, StopWhileWaitingIsAtOnce) {
  bring_up();
  exits(1);
  unit.stop(now);
  EXPECT_TRUE(unit.settled());
}

TEST_F(LocalUnitTest, AStrangersWordsAndDeathDoNotCount) {
  unit.start(now);
  exits(0);
  unit.notified(now, 0, unit.child() + 1, parse_notification("READY=1"));
  unit.notified(now, 0, 0, parse_notification("READY=1"));
  unit.child_exited(now, unit.child() + 1, {CLD_EXITED, 1});
  EXPECT_EQ(state(), "activating/start");
}

TEST_F(LocalUnitTest, AMainProcessThatCannotBeStartedIsTriedAgain) {
  processes.refuse_main = true;
  unit.start(now);
  exits(0);
  EXPECT_EQ(state(), "activating/auto-restart");
  EXPECT_EQ(unit.status().result, "resources");
}

TEST_F(LocalUnitTest, ARestartIsTheUnitsSignalAndAtOnce) {
  UnitRules rules;
  rules.restart_signal = SIGUSR2;
  LocalUnit other("tunctl@b.service", rules, processes, [](const std::string&) {});
  other.restart(now);  // nothing runs: a start
  other.child_exited(now, other.child(), {CLD_EXITED, 0});
  other.notified(now, 1764500000, other.child(), parse_notification("READY=1"));
  processes.take();
  other.restart(now);
  EXPECT_EQ(processes.take(), "LEAVE ");
  EXPECT_EQ(other.state(), UnitState::kStopping);
  other.child_exited(now, other.child(), {CLD_EXITED, 0});
  EXPECT_EQ(processes.take(), "sweep clean(success/exited/0) prepare ");
  other.restart(now);
  other.stop(now);  // the later word counts
  other.child_exited(now, other.child(), {CLD_EXITED, 0});
  other.child_exited(now, other.child(), {CLD_EXITED, 0});
  EXPECT_NE(processes.take().find("clean "), std::string::npos);
  EXPECT_TRUE(other.settled());
}

TEST_F(LocalUnitTest, AStopBetweenTwoRunsLeavesNothingForTheNext) {
  bring_up();
  killed(SIGKILL);
  processes.take();
  unit.stop(now);
  EXPECT_EQ(processes.take(), "clean ");
  EXPECT_EQ(state(), "inactive/dead");
}

}  // namespace
}  // namespace host
