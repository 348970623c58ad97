// SPDX-License-Identifier: Apache-2.0
#include "supervisor/watch/site_status.h"

#include <gmock/gmock.h>
#include <signal.h>

namespace watch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr base::UnixSeconds kNow = 1764500600;

Observation running(const std::string& status_text) {
  Observation seen;
  seen.site = "site-a";
  seen.unit.unit = "tunctl@site-a.service";
  seen.unit.loaded = true;
  seen.unit.active_state = "active";
  seen.unit.sub_state = "running";
  seen.unit.result = "success";
  seen.unit.status_text = status_text;
  seen.unit.main_pid = 12;
  seen.unit.active_since = kNow - 600;
  seen.engine = EngineFacts{true, "", "/usr/local/sbin/tunctl-fastpath", "tun3", {2, 3}};
  seen.main = {true,
               "/usr/local/sbin/tunctl-fastpath",
               false,
               {{12, "tunctl-fastpath", {2, 3}}, {13, "worker-0", {2}}},
               {}};
  seen.now = kNow;
  return seen;
}

const char* const kConnected = "CONNECTED peer 10.0.0.1:2011 since 1764500000 rx 1 tx 2";

Observation stopped(const char* active, const char* sub, const char* result) {
  Observation seen = running("");
  seen.unit.active_state = active;
  seen.unit.sub_state = sub;
  seen.unit.result = result;
  seen.unit.main_pid = 0;
  seen.main = {};
  return seen;
}

TEST(Judge, AHeardPeerIsUp) {
  const SiteStatus status = judge(running(kConnected));
  EXPECT_EQ(status.health, Health::kUp);
  EXPECT_EQ(status.cause, "");
  EXPECT_TRUE(status.running);
  EXPECT_EQ(status.line->peer, "10.0.0.1:2011");
  EXPECT_THAT(status.warnings, IsEmpty());
  EXPECT_EQ(status.threads.size(), 2u);
}

TEST(Judge, ARouteThatLeadsElsewhereMakesItDegraded) {
  const std::string why = "not into this tunnel: route 0.0.0.0/1 leads to tun1 already, and 1 more";
  const SiteStatus status = judge(running(kConnected + (" - " + why)));
  EXPECT_EQ(status.health, Health::kDegraded);
  EXPECT_EQ(status.cause, why);
  EXPECT_THAT(status.warnings, IsEmpty());
}

// (status line, cause) of a unit that runs and hears nobody.
TEST(Judge, ARunningUnitWithoutAPeerIsDownAndSaysWhatItWaitsFor) {
  const std::pair<const char*, const char*> rows[] = {
      {"ASSIGN_IP since 1764500000", "the peer has not been heard"},
      {"RESOLVE", "the peer's name is not resolved"},
      {"RECONNECTING - ping-restart", "the peer was lost (ping-restart)"},
      {"INITIAL", "it is only beginning"},
      {"ASSIGN_IP auth-failed 9",
       "9 packets came that fail authentication: key, direction, cipher or auth differ"},
  };
  for (const auto& [text, cause] : rows) {
    const SiteStatus status = judge(running(text));
    EXPECT_EQ(status.health, Health::kDown) << text;
    EXPECT_EQ(status.cause, cause) << text;
    EXPECT_TRUE(status.running);
  }
}

TEST(Judge, UnitsThatDoNotRun) {
  EXPECT_EQ(judge(stopped("inactive", "dead", "success")).cause, "stopped");
  EXPECT_EQ(judge(stopped("deactivating", "stop-sigterm", "success")).cause, "stopping");
  EXPECT_EQ(judge(stopped("activating", "start", "success")).cause,
            "starting: the engine has not said anything yet");
  Observation missing = stopped("inactive", "dead", "success");
  missing.unit.loaded = false;
  EXPECT_EQ(judge(missing).cause, "the unit is not installed");
}

TEST(Judge, AFailureIsToldInTheEnginesWordsElseTheJournalsElseByStatus) {
  Observation seen = stopped("failed", "failed", "exit-code");
  seen.unit.exit_code = CLD_EXITED;
  seen.unit.exit_status = 78;
  EXPECT_EQ(judge(seen).cause, "failed: exit status 78 (a restart cannot mend it)");
  seen.last_error = "static.key: No such file";
  EXPECT_THAT(judge(seen).cause, HasSubstr("mend it): static.key: No such file"));
  seen.unit.status_text = "EXITING - /etc/tunctl/keys/site-a/static.key: No such file";
  EXPECT_EQ(judge(seen).cause, "failed: /etc/tunctl/keys/site-a/static.key: No such file");
}

TEST(Judge, ARestartOnItsWayNamesItsReason) {
  Observation seen = stopped("activating", "auto-restart", "signal");
  seen.unit.exit_code = CLD_KILLED;
  seen.unit.exit_status = 9;
  EXPECT_EQ(judge(seen).cause, "starting again after: killed by signal 9");
}

TEST(Judge, AKilledEngineThatIsBackIsUp) {
  Observation seen = running(kConnected);
  seen.unit.restarts = 1;
  seen.unit.active_since = kNow - 2;
  EXPECT_EQ(judge(seen).health, Health::kUp);
}

TEST(Judge, OneThatKeepsFailingIsDegraded) {
  Observation seen = running(kConnected);
  seen.unit.restarts = 7;
  seen.unit.active_since = kNow - 2;
  EXPECT_EQ(judge(seen).health, Health::kDegraded);
  EXPECT_EQ(judge(seen).cause, "restarted 7 times, last after: no reason known");
  seen.last_error = "UDP port 1194 is taken by python3";
  EXPECT_EQ(judge(seen).cause, "restarted 7 times, last after: UDP port 1194 is taken by python3");
  seen.unit.active_since = kNow - 61;
  EXPECT_EQ(judge(seen).health, Health::kUp);
}

TEST(Judge, StockThatConnectedWithErrorsIsDegraded) {
  Observation seen = running(std::string(kConnected) + " - ERROR");
  seen.engine->fastpath = false;
  EXPECT_EQ(judge(seen).health, Health::kDegraded);
}

TEST(Judge, APeerThatIsSetUpDifferentlyIsDegraded) {
  const auto status = judge(running(std::string(kConnected) +
                                    " - the peer is set up differently: ifconfig does not fit"));
  EXPECT_EQ(status.health, Health::kDegraded);
  EXPECT_EQ(status.cause, "the peer is set up differently: ifconfig does not fit");
  EXPECT_THAT(status.warnings, IsEmpty()) << "once is enough";
}

TEST(Judge, AStatusNobodyUnderstandsIsDegraded) {
  EXPECT_EQ(judge(running("hello")).health, Health::kDegraded);
}

TEST(Judge, CpusThatDifferAreAWarning) {
  Observation seen = running(kConnected);
  seen.main.threads[1].cpus = {0, 1};
  EXPECT_THAT(judge(seen).warnings,
              ElementsAre("thread worker-0 runs on CPUs 0-1, asked for were 2-3"));
  EXPECT_EQ(judge(seen).health, Health::kUp);
  seen.engine->cpus.clear();
  EXPECT_THAT(judge(seen).warnings, IsEmpty());
}

TEST(Judge, StocksThreadsCountNotItsGuards) {
  Observation seen = running(kConnected);
  seen.engine->fastpath = false;
  seen.stock = host::ProcessFacts{true, "/usr/sbin/openvpn", false, {{20, "openvpn", {3}}}, {}};
  ASSERT_EQ(judge(seen).threads.size(), 1u);
  EXPECT_EQ(judge(seen).threads[0].name, "openvpn");
}

TEST(Judge, WarnsOfAnOlderProgramAStaleDropInAndUnitsToReload) {
  Observation seen = running(kConnected);
  seen.main.program_deleted = true;
  seen.drop_in_differs = true;
  seen.unit.needs_reload = true;
  EXPECT_THAT(judge(seen).warnings, ElementsAre(HasSubstr("an older program runs"),
                                                HasSubstr("drop-in"), HasSubstr("daemon-reload")));
}

TEST(Judge, WarnsOfASiteFileThatIsAnotherOneOnlyWhileTheOldOneRuns) {
  Observation seen = running(kConnected);
  seen.site_differs = true;
  EXPECT_THAT(judge(seen).warnings,
              ElementsAre(HasSubstr("the site file, or a file that it names, has changed")));
  seen.main.program_deleted = true;
  EXPECT_THAT(judge(seen).warnings, ElementsAre(HasSubstr("an older program runs")))
      << "which may have rendered the same file otherwise";
  seen.main.program_deleted = false;
  seen.unit.active_state = "inactive";
  EXPECT_THAT(judge(seen).warnings, IsEmpty());
}

TEST(Judge, ANoteAndFailedAuthenticationsAreWarnings) {
  EXPECT_THAT(judge(running(std::string(kConnected) + " auth-failed 3 - BF-CBC is weak")).warnings,
              ElementsAre("3 packets failed authentication", "BF-CBC is weak"));
}

TEST(FailureWords, EachKind) {
  host::UnitStatus unit;
  EXPECT_EQ(failure_words(unit), "");
  unit.result = "success";
  EXPECT_EQ(failure_words(unit), "");
  unit.result = "watchdog";
  EXPECT_EQ(failure_words(unit), "it no longer answered (watchdog)");
  unit.result = "resources";
  EXPECT_EQ(failure_words(unit), "resources");
  unit = {};
  unit.exit_code = CLD_EXITED;
  EXPECT_EQ(failure_words(unit), "");
  unit.exit_status = 1;
  EXPECT_EQ(failure_words(unit), "exit status 1");
  unit.exit_code = CLD_DUMPED;
  unit.exit_status = 6;
  EXPECT_EQ(failure_words(unit), "killed by signal 6");
}

}  // namespace
}  // namespace watch
