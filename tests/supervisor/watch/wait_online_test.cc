// SPDX-License-Identifier: Apache-2.0
#include "supervisor/watch/wait_online.h"

#include <gmock/gmock.h>

#include "supervisor/watch/observe.h"
#include "tests/supervisor/watch/scripted_services.h"

namespace watch {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

host::UnitStatus unit(const char* active, const char* text) {
  host::UnitStatus status;
  status.loaded = true;
  status.active_state = active;
  status.status_text = text;
  return status;
}

class WaitOnlineTest : public ::testing::Test {
 protected:
  WaitOutcome wait(base::Duration limit) {
    return wait_online(
               services, "a", limit, clock,
               [this](const host::UnitStatus& status) { told.push_back(status.status_text); })
        .value();
  }
  ScriptedServices services;
  base::TimePoint now{seconds(5)};
  Clock clock{[this] { return now; }, [this](base::Duration time) { now += time; }};
  std::vector<std::string> told;
};

TEST_F(WaitOnlineTest, WaitsForThePeerAndTellsEachChange) {
  services.states = {unit("activating", ""), unit("active", "ASSIGN_IP"),
                     unit("active", "ASSIGN_IP"), unit("active", "CONNECTED peer x:1")};
  EXPECT_EQ(wait(seconds(10)).result, WaitResult::kOnline);
  EXPECT_THAT(told, ElementsAre("ASSIGN_IP", "CONNECTED peer x:1"));
}

TEST_F(WaitOnlineTest, TimesOutAtTheLimit) {
  services.states = {unit("active", "ASSIGN_IP")};
  const base::TimePoint began = now;
  const WaitOutcome outcome = wait(seconds(3));
  EXPECT_EQ(outcome.result, WaitResult::kTimedOut);
  EXPECT_EQ(outcome.last.status_text, "ASSIGN_IP");
  EXPECT_EQ(now - began, base::Duration(seconds(3)));
}

TEST_F(WaitOnlineTest, AUnitThatIsOverIsNotWaitedFor) {
  services.states = {unit("failed", "EXITING - key missing")};
  EXPECT_EQ(wait(seconds(3)).result, WaitResult::kFailed);
  services.states = {unit("inactive", "")};
  EXPECT_EQ(wait(seconds(3)).result, WaitResult::kFailed);
}

TEST_F(WaitOnlineTest, ARestartInBetweenIsWaitedThrough) {
  services.states = {unit("active", "ASSIGN_IP"), unit("activating", "EXITING - x"),
                     unit("active", "CONNECTED")};
  EXPECT_EQ(wait(seconds(3)).result, WaitResult::kOnline);
}

TEST_F(WaitOnlineTest, NobodyToAskIsAProblem) {
  EXPECT_FALSE(wait_online(services, "a", seconds(1), clock));
}

TEST(Observe, LooksAtTheMainProcessAndAtStockBelowItsGuard) {
  ScriptedServices services;
  services.states = {unit("active", "CONNECTED")};
  services.states[0].main_pid = 7;
  const Sources sources{services,
                        [](int pid) {
                          host::ProcessFacts facts;
                          facts.exists = true;
                          if (pid == 7) facts.children = {8, 9};
                          facts.program = pid == 9 ? "/usr/sbin/openvpn" : "/bin/other";
                          facts.threads = {{pid, "t", {}}};
                          return facts;
                        },
                        [](const std::string&, base::UnixSeconds, base::UnixSeconds) {
                          return std::string("not asked for");
                        }};
  EngineFacts stock;
  stock.fastpath = false;
  stock.program = "/usr/sbin/openvpn";
  const auto seen = observe(sources, "a", stock, 1);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->unit.unit, "tunctl@a.service");
  ASSERT_TRUE(seen->stock.has_value());
  EXPECT_EQ(seen->stock->threads[0].tid, 9);
  EXPECT_EQ(seen->last_error, "");
}

// The one process that runs knows nothing of those before it.
TEST(Observe, LooksForTheErrorBeforeTheStartOfWhatWasRestarted) {
  ScriptedServices services;
  services.states = {unit("active", "CONNECTED")};
  services.states[0].restarts = 3;
  services.states[0].active_since = 1000;
  base::UnixSeconds from = 0, until = 0;
  const Sources sources{services, [](int) { return host::ProcessFacts(); },
                        [&](const std::string&, base::UnixSeconds first, base::UnixSeconds last) {
                          from = first;
                          until = last;
                          return std::string("the port is taken");
                        }};
  const auto seen = observe(sources, "a", std::nullopt, 1001);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->last_error, "the port is taken");
  EXPECT_LT(from, until);
  EXPECT_EQ(until, 1000);
}

}  // namespace
}  // namespace watch
