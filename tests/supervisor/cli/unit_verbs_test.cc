// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/supervisor/cli/bench.h"

namespace cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kUnit = "tunctl@a.service";
constexpr const char* kDropIn = "/etc/systemd/system/tunctl@a.service.d/10-tunctl.conf";
constexpr const char* kConnected =
    "CONNECTED peer 192.0.2.7:1194 since 1764499990 rx 12345 tx 678 drops 0 auth-failed 0";

// One sound site and a systemd that has the unit installed.
struct Ready : Bench {
  Ready() {
    make_site("a");
    services.units[kUnit].loaded = true;
    services.units[kUnit].active_state = "inactive";
    services.started_status_text = kConnected;
  }
};

TEST(Enable, WritesTheDropInAndEnablesUnitAndTarget) {
  Ready bench;
  EXPECT_EQ(bench.run({"enable", "a"}), kOk) << bench.err;
  EXPECT_EQ(bench.out, "a: enabled\n");
  EXPECT_THAT(bench.services.calls,
              ElementsAre("daemon-reload", "enable tunctl@a.service", "enable tunctl.target"));
  EXPECT_EQ(bench.files.text(kDropIn),
            "# Written by `tunctl enable a` from its site file.\n[Service]\nWatchdogSec=10\n");
  bench.services.calls.clear();
  const int changes = bench.files.changes;
  EXPECT_EQ(bench.run({"enable", "a"}), kOk);
  EXPECT_TRUE(bench.services.calls.empty()) << "twice does nothing";
  EXPECT_EQ(bench.files.changes, changes);
}

// A bare systemctl cannot; status tells of it then.
TEST(Restart, WritesADropInAnewThatNoLongerFits) {
  for (const char* verb : {"restart", "start"}) {
    Ready bench;
    ASSERT_EQ(bench.run({"enable", "a"}), kOk) << bench.err;
    const std::string site = "/etc/tunctl/sites/a.toml";
    std::string text = bench.files.text(site);
    const std::string table = "[run]\n";
    ASSERT_NE(text.find(table), std::string::npos) << text;
    bench.files.put(site, text.insert(text.find(table) + table.size(), "cpus = \"1\"\n"));
    bench.services.calls.clear();
    EXPECT_EQ(bench.run({"--dry-run", verb, "a"}), kOk);
    EXPECT_THAT(bench.out, HasSubstr("would write " + std::string(kDropIn)));
    EXPECT_EQ(bench.files.text(kDropIn).find("CPUAffinity"), std::string::npos);
    EXPECT_EQ(bench.run({verb, "a"}), kOk) << bench.err;
    EXPECT_THAT(bench.files.text(kDropIn), HasSubstr("CPUAffinity=1\n"));
    EXPECT_THAT(bench.services.calls,
                ElementsAre("daemon-reload", std::string(verb) + " tunctl@a.service"));
    EXPECT_EQ(bench.run({"status", "a"}), kOk) << bench.out;
    EXPECT_EQ(bench.out.find("drop-in"), bench.out.npos) << bench.out;
    bench.services.calls.clear();
    EXPECT_EQ(bench.run({verb, "a"}), kOk) << bench.err;
    EXPECT_THAT(bench.services.calls, ElementsAre(std::string(verb) + " tunctl@a.service"));
  }
  Ready never_enabled;
  EXPECT_EQ(never_enabled.run({"start", "a"}), kOk);
  EXPECT_EQ(never_enabled.files.text(kDropIn), "(absent)");
}

TEST(Enable, NowStartsAndWaits) {
  Ready bench;
  EXPECT_EQ(bench.run({"enable", "--now", "a"}), kOk) << bench.err;
  EXPECT_EQ(bench.out, "a: enabled\na: up, peer 192.0.2.7:1194\n");
  EXPECT_EQ(bench.services.calls.back(), "start tunctl@a.service");
}

TEST(Enable, NowLeavesAUnitRunningThatIsNotUpInTime) {
  Ready bench;
  bench.services.started_status_text = "ASSIGN_IP since 1764499990 rx 0 tx 0";
  EXPECT_EQ(bench.run({"enable", "--now", "a"}), kNotUp);
  EXPECT_EQ(bench.slept, std::chrono::seconds(30));
  EXPECT_THAT(bench.err, HasSubstr("tunctl: a: not up: the peer has not been heard; it goes on "
                                   "trying, `tunctl status a` shows how it is\n"));
  EXPECT_EQ(bench.services.units[kUnit].active_state, "active");
  EXPECT_EQ(bench.run({"--timeout", "5", "start", "a"}), kNotUp);
  EXPECT_EQ(bench.slept, std::chrono::seconds(5));
}

TEST(Enable, WhatItWaitsForIsToldInWordsAndOnce) {
  Ready bench;
  bench.services.started_status_text = "ASSIGN_IP since 1764499990 rx 0 tx 0";
  int looks = 0;
  bench.while_asleep = [&] {
    auto& text = bench.services.units[kUnit].status_text;
    if (++looks == 5) text = "ASSIGN_IP since 1764499990 rx 0 tx 52";
    if (looks == 9) text = "RESOLVE - no answer";
    if (looks == 12) text = kConnected;
  };
  EXPECT_EQ(bench.run({"enable", "--now", "a"}), kOk);
  EXPECT_EQ(bench.err,
            "tunctl: a: waiting to hear the far end\n"
            "tunctl: a: looking up the far end's name (no answer)\n");
  EXPECT_EQ(bench.out, "a: enabled\na: up, peer 192.0.2.7:1194\n");
}

TEST(Restart, TellsNothingOfTheEngineThatItEnds) {
  Ready bench;
  host::UnitStatus& unit = bench.services.units[kUnit];
  unit.active_state = "active";
  unit.main_pid = 4711;
  bench.services.started_status_text = "RECONNECTING - of old";  // the twin keeps the process
  int looks = 0;
  bench.while_asleep = [&] {
    if (++looks == 2) unit.main_pid = 0;
    if (looks == 3) unit.main_pid = 4712, unit.status_text = "WAIT";
    if (looks == 4) unit.status_text = kConnected;
  };
  EXPECT_EQ(bench.run({"restart", "a"}), kOk);
  EXPECT_EQ(bench.err, "tunctl: a: waiting for the far end's answer\n");
}

TEST(Enable, TellsWhyAUnitFailed) {
  Ready bench;
  bench.services.next_job = {host::JobResult::kFailed, "the job failed"};
  bench.services.units[kUnit].active_state = "failed";
  bench.services.units[kUnit].exit_code = 1;
  bench.services.units[kUnit].exit_status = 78;
  bench.last_error = "no /dev/net/tun";
  EXPECT_EQ(bench.run({"start", "a"}), kNotUp);
  EXPECT_THAT(bench.err, HasSubstr("a: not up: failed: exit status 78 (a restart cannot mend it): "
                                   "no /dev/net/tun; `tunctl log a` says more"));
}

TEST(Enable, RefusesASiteThatIsWrongAndChangesNothing) {
  Ready bench;
  bench.files.entries.erase("/etc/tunctl/keys/a/a.key");
  const int changes = bench.files.changes;
  EXPECT_EQ(bench.run({"enable", "--now", "a"}), kInvalid);
  EXPECT_THAT(bench.err, HasSubstr("cannot read /etc/tunctl/keys/a/a.key"));
  EXPECT_EQ(bench.run({"enable", "nope"}), kNoSuchSite);
  EXPECT_EQ(bench.files.changes, changes);
  EXPECT_TRUE(bench.services.calls.empty());
}

TEST(Enable, NamesARunningUnitOfStockOpenvpnInTheWay) {
  Ready bench;
  bench.files.put("/etc/openvpn/client/old.conf", "dev tun9\nport 1194\n");
  EXPECT_EQ(bench.run({"check", "a"}), kOk) << "it does not run" << bench.err;
  bench.services.units["openvpn-client@old.service"].active_state = "active";
  EXPECT_EQ(bench.run({"enable", "a"}), kInvalid);
  EXPECT_THAT(bench.err,
              HasSubstr("port 1194 is also running unit openvpn-client@old.service's; "));
}

TEST(Enable, AnInterfaceThatIsANetworkCardIsTakenForGood) {
  constexpr const char* kTaken =
      "interface eth0 exists and is no tun device; give the tunnel another name with 'dev'\n";
  Ready bench;
  bench.files.put("/srv/admin/k.conf",
                  "dev eth0\ndev-type tun\ncipher none\nauth none\nremote 192.0.2.1\n");
  ASSERT_EQ(bench.make_site("eth0"), kOk);
  bench.services.units["tunctl@eth0.service"].loaded = true;
  bench.foreign_interface = "eth0";
  for (const char* verb : {"check", "enable", "start", "restart", "run"}) {
    EXPECT_EQ(bench.run({verb, "eth0"}), kInvalid) << verb;
    EXPECT_THAT(bench.err, HasSubstr(kTaken)) << verb;
  }
  EXPECT_TRUE(bench.services.calls.empty());
  EXPECT_EQ(bench.run({"enable", "--now", "a"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"new", "c", "--dev", "eth0"}), kOk);
  EXPECT_THAT(bench.err, HasSubstr(std::string("tunctl: warning: ") + kTaken));
  EXPECT_EQ(bench.run({"import", "k.conf"}), kOk) << bench.err;
  EXPECT_THAT(bench.err, HasSubstr(std::string("k.conf:1:1: warning: ") + kTaken));
}

TEST(Enable, TellsWhatIsMissingOnTheMachine) {
  Ready bench;
  bench.has_systemd = false;
  EXPECT_EQ(bench.run({"enable", "a"}), kFailed);
  EXPECT_EQ(bench.err, "tunctl: systemd is not running here; use `tunctl run NAME`\n");
  bench.has_systemd = true;
  bench.services.units[kUnit].loaded = false;
  EXPECT_EQ(bench.run({"enable", "a"}), kFailed);
  EXPECT_THAT(bench.err, HasSubstr("the unit is not installed"));
  bench.services.units[kUnit].loaded = true;
  bench.services.permitted = false;
  EXPECT_EQ(bench.run({"enable", "a"}), kNotPermitted);
  EXPECT_THAT(bench.err, HasSubstr("not permitted: Access denied; run this as root"));
  EXPECT_EQ(bench.files.text(kDropIn), "(absent)") << "what was written is undone";
}

TEST(Disable, LeavesWhatAnAdminPutBesideTheDropIn) {
  Ready bench;
  ASSERT_EQ(bench.run({"enable", "a"}), kOk) << bench.err;
  const std::string theirs = "/etc/systemd/system/tunctl@a.service.d/override.conf";
  bench.files.put(theirs, "[Service]\n");
  EXPECT_EQ(bench.run({"disable", "a"}), kOk) << bench.err;
  EXPECT_EQ(bench.files.text(kDropIn), "(absent)");
  EXPECT_EQ(bench.files.text(theirs), "[Service]\n");
}

TEST(Enable, DryRunOnlyTells) {
  Ready bench;
  const int changes = bench.files.changes;
  EXPECT_EQ(bench.run({"--dry-run", "enable", "--now", "a"}), kOk);
  EXPECT_EQ(bench.out,
            "would make folder /etc/systemd/system/tunctl@a.service.d (0755)\n"
            "would write /etc/systemd/system/tunctl@a.service.d/10-tunctl.conf (0644, 76 bytes)\n"
            "would reload systemd's unit files\n"
            "would enable tunctl@a.service\nwould enable tunctl.target\n"
            "would start tunctl@a.service\n");
  EXPECT_EQ(bench.files.changes, changes);
  EXPECT_TRUE(bench.services.calls.empty());
}

TEST(Disable, TellsThatTheTunnelStillRuns) {
  Ready bench;
  ASSERT_EQ(bench.run({"enable", "--now", "a"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"disable", "a"}), kOk) << bench.err;
  EXPECT_EQ(bench.out, "a: disabled; it still runs, `tunctl stop a` stops it\n");
  EXPECT_EQ(bench.run({"disable", "--now", "a"}), kOk) << bench.err;
  EXPECT_EQ(bench.out, "a: disabled\n");
}

TEST(Rights, AreNamedAsWhatIsMissingByWhateverChangesFiles) {
  Ready bench;
  bench.files.put("/srv/admin/x.conf", "dev tun3\ncipher none\nauth none\nremote 192.0.2.1\n");
  bench.files.read_only = true;
  bench.has_systemd = false;
  const std::vector<std::vector<std::string>> lines{
      {"new", "b"},         {"new", "b", "--mode", "static-key"},
      {"key", "gen", "b"},  {"key", "gen", "a", "--force"},
      {"import", "x.conf"}, {"remove", "a"}};
  for (const auto& words : lines) {
    EXPECT_EQ(bench.run(words), kNotPermitted) << words[0];
    EXPECT_THAT(bench.err, HasSubstr(": Permission denied; run this as root\n")) << words[0];
  }
}

TEST(Rights, WhoMayNotLookIntoTheKeysIsToldSoBeforeAnythingIsRemoved) {
  Ready bench;
  bench.files.forbidden.insert("/etc/tunctl/keys");
  const int changes = bench.files.changes;
  for (const bool dry : {true, false}) {
    std::vector<std::string> words{"remove", "a"};
    if (dry) words.insert(words.begin(), "--dry-run");
    EXPECT_EQ(bench.run(words), kNotPermitted);
    EXPECT_EQ(bench.err,
              "tunctl: cannot look into /etc/tunctl/keys, where keys of theirs may be; run this as "
              "root\n");
    EXPECT_EQ(bench.out, "");
  }
  EXPECT_EQ(bench.files.changes, changes);
}

TEST(Prepare, OfASiteThatIsNotThereSaysSo) {
  Ready bench;
  EXPECT_EQ(bench.run({"prepare", "nosuch"}), kNoSuchSite);
  EXPECT_EQ(bench.err, "tunctl: no site is called nosuch; `tunctl list` shows all\n");
}

TEST(Disable, TakesBackWhatEnableDid) {
  Ready bench;
  ASSERT_EQ(bench.run({"enable", "--now", "a"}), kOk);
  bench.services.calls.clear();
  EXPECT_EQ(bench.run({"disable", "--now", "a"}), kOk);
  EXPECT_THAT(bench.services.calls, ElementsAre("disable tunctl@a.service", "disable tunctl.target",
                                                "stop tunctl@a.service", "daemon-reload"));
  EXPECT_EQ(bench.files.text(kDropIn), "(absent)");
  bench.services.calls.clear();
  EXPECT_EQ(bench.run({"disable", "--now", "a"}), kOk);
  EXPECT_TRUE(bench.services.calls.empty());
}

TEST(Disable, LeavesTheTargetToOtherSites) {
  Ready bench;
  ASSERT_EQ(bench.run({"enable", "a"}), kOk);
  bench.services.calls.clear();
  ASSERT_EQ(bench.files.make_folder("/etc/systemd/system/multi-user.target.wants", 0755), "");
  ASSERT_EQ(
      bench.files.write("/etc/systemd/system/multi-user.target.wants/tunctl@b.service", "", 0644),
      "");
  EXPECT_EQ(bench.run({"disable", "a"}), kOk);
  EXPECT_THAT(bench.services.calls, ElementsAre("disable tunctl@a.service", "daemon-reload"));
}

TEST(Remove, LeavesNothing) {
  Ready bench;
  ASSERT_EQ(bench.files.make_folder("/var/lib/tunctl/a", 0700), "");
  ASSERT_EQ(bench.files.write("/var/lib/tunctl/a/packet-time", "1", 0600), "");
  ASSERT_EQ(bench.run({"enable", "--now", "a"}), kOk);
  bench.services.calls.clear();
  EXPECT_EQ(bench.run({"remove", "a"}), kOk) << bench.err;
  EXPECT_THAT(bench.services.calls, ElementsAre("disable tunctl@a.service", "disable tunctl.target",
                                                "stop tunctl@a.service", "daemon-reload"));
  for (const auto& [path, entry] : bench.files.entries) {
    EXPECT_TRUE(entry.status.is_directory) << path;
    EXPECT_EQ(path.find("tunctl@a"), std::string::npos) << path;
  }
  EXPECT_EQ(bench.run({"remove", "a"}), kNoSuchSite);
}

// What a killed `tunctl run` left on the machine is noted in the state folder alone.
TEST(Remove, GivesBackWhatAKilledEngineLeftBeforeTheNotesGo) {
  constexpr const char* kEngine = "/usr/local/sbin/tunctl-fastpath";
  constexpr const char* kFolder = "/var/lib/tunctl/a";
  Ready bench;
  bench.files.put(kEngine, "", 0755);
  ASSERT_EQ(bench.files.make_folder(kFolder, 0700), "");
  ASSERT_EQ(bench.files.write(kFolder + std::string("/network-journal"), "x", 0600), "");
  EXPECT_EQ(bench.run({"--dry-run", "remove", "a"}), kOk);
  EXPECT_TRUE(bench.ran.empty());
  // Root must not obey what a unit's user wrote.
  bench.files.entries[kFolder].status.owner = 61234;
  Ready others = bench;
  EXPECT_EQ(others.run({"remove", "a"}), kOk) << others.err;
  EXPECT_TRUE(others.ran.empty());
  bench.files.entries[kFolder].status.owner = 0;
  EXPECT_EQ(bench.run({"remove", "a"}), kOk) << bench.err;
  EXPECT_THAT(bench.ran, ElementsAre(ElementsAre(kEngine, "--undo", kFolder)));
}

// Whatever step of `remove` or of `import` was the last one, `remove` finishes the work.
TEST(Remove, TakesWhatACutShortCommandLeft) {
  for (const char* left :
       {"/etc/tunctl/ovpn/a.conf", "/etc/tunctl/ovpn/.a.conf.tmp.0123456789ab",
        "/etc/tunctl/sites/.a.toml.tmp.0123456789ab", "/etc/tunctl/keys/a/a.key",
        "/etc/tunctl/keys/a/.a.key.tmp.0123456789ab", "/var/lib/tunctl/a/packet-time"}) {
    Bench bench;
    bench.files.put(left, "x", 0600);
    EXPECT_EQ(bench.run({"remove", "a"}), kOk) << left << bench.err;
    EXPECT_EQ(bench.files.text(left), "(absent)");
    EXPECT_EQ(bench.run({"remove", "a"}), kNoSuchSite) << left;
  }
  Bench bench;
  bench.files.put("/etc/tunctl/sites/.ab.toml.tmp.0123456789ab", "x", 0600);
  EXPECT_EQ(bench.run({"remove", "a"}), kNoSuchSite) << "another site's";
}

TEST(StartStop, PassOnWhatTheManagerSays) {
  Ready bench;
  EXPECT_EQ(bench.run({"restart", "a"}), kOk);
  EXPECT_EQ(bench.run({"reload", "a"}), kOk);
  EXPECT_EQ(bench.run({"stop", "a"}), kOk);
  EXPECT_THAT(
      bench.services.calls,
      ElementsAre("restart tunctl@a.service", "reload tunctl@a.service", "stop tunctl@a.service"));
  bench.services.next_job = {host::JobResult::kTimedOut, "still stopping"};
  EXPECT_EQ(bench.run({"stop", "a"}), kTimedOut);
  EXPECT_EQ(bench.err, "tunctl: a: still stopping; `tunctl log a` says more\n");
  EXPECT_EQ(bench.run({"stop", "a/b"}), kUsage);
  bench.services.permitted = false;
  EXPECT_EQ(bench.run({"stop", "a"}), kNotPermitted);
}

// Without systemd as well: there `tunctl run` is all there is.
TEST(StartStop, TellHowToReachWhatTunctlRunHolds) {
  Ready bench;
  bench.runner = 4711;
  bench.has_systemd = false;
  EXPECT_EQ(bench.run({"stop", "a"}), kFailed);
  EXPECT_THAT(bench.err, HasSubstr("(pid 4711); stop it there: kill 4711\n"));
  EXPECT_EQ(bench.run({"reload", "a"}), kFailed);
  EXPECT_THAT(bench.err, HasSubstr("(pid 4711); reload it there: kill -HUP 4711\n"));
}

// systemd only says that the job failed.
TEST(Reload, SaysWhatPrepareFound) {
  Ready bench;
  bench.services.units[kUnit].active_state = "active";
  bench.services.next_job = {host::JobResult::kFailed, "systemd's job ended with: failed"};
  bench.files.put("/run/tunctl/a/reload-failure", "1\nport cannot change; tunctl restart a\n");
  EXPECT_EQ(bench.run({"reload", "a"}), kFailed);
  EXPECT_EQ(bench.err,
            "tunctl: tunctl@a.service was not reloaded: port cannot change; tunctl restart a\n");
  bench.files.entries.erase("/run/tunctl/a/reload-failure");
  EXPECT_EQ(bench.run({"reload", "a"}), kFailed);
  EXPECT_EQ(bench.err, "tunctl: a: systemd's job ended with: failed; `tunctl log a` says more\n");
}

TEST(Log, BecomesJournalctl) {
  Ready bench;
  EXPECT_EQ(bench.run({"log", "-f", "a", "--no-pager"}), kOk);
  EXPECT_THAT(bench.became,
              ElementsAre("journalctl", "--unit=tunctl@a.service", "--follow", "--no-pager"));
}

TEST(Log, OfSeveralSitesAndOfTheNewestLines) {
  Ready bench;
  ASSERT_EQ(bench.make_site("b"), kOk);
  EXPECT_EQ(bench.run({"log", "-n", "5", "a", "b"}), kOk) << bench.err;
  EXPECT_THAT(bench.became, ElementsAre("journalctl", "--unit=tunctl@a.service",
                                        "--unit=tunctl@b.service", "--lines=5"));
  EXPECT_EQ(bench.run({"log", "a", "--lines", "many"}), kUsage);
  EXPECT_EQ(bench.err, "tunctl: --lines takes a number; see `tunctl log --help`\n");
  EXPECT_EQ(bench.run({"log", "a", "nosuch"}), kNoSuchSite);
}

TEST(Log, OfAJournalThatIsNotOursIsNotPermitted) {
  Ready bench;
  bench.may_read_log = false;
  EXPECT_EQ(bench.run({"log", "a"}), kNotPermitted);
  EXPECT_THAT(bench.err, HasSubstr("not permitted: "));
  EXPECT_THAT(bench.err, HasSubstr("; run this as root\n"));
  EXPECT_TRUE(bench.became.empty());
}

TEST(WaitOnline, EndsWhenTheFarEndWasHeard) {
  Ready bench;
  EXPECT_EQ(bench.run({"wait-online", "a"}), kNotUp);
  bench.services.units[kUnit].active_state = "active";
  EXPECT_EQ(bench.run({"wait-online", "a"}), kTimedOut);
  EXPECT_EQ(bench.slept, std::chrono::seconds(120));
  bench.services.units[kUnit].status_text = kConnected;
  EXPECT_EQ(bench.run({"wait-online", "a"}), kOk);
}

TEST(Remove, DoesNotFollowALink) {
  Ready bench;
  bench.files.entries["/etc/tunctl/keys/a"].status.is_link = true;
  const std::string key = "/etc/tunctl/keys/a/a.key";
  ASSERT_NE(bench.files.text(key), "(absent)");
  bench.run({"--dry-run", "remove", "a"});
  EXPECT_THAT(bench.out, HasSubstr("remove /etc/tunctl/keys/a\n"));
  EXPECT_EQ(bench.out.find(key), std::string::npos) << bench.out;
}

TEST(Remove, TakesTheMarkOfItsInterface) {
  Ready bench;
  bench.files.put("/run/tunctl/.interfaces/tun3", "a\nname-servers link\n");
  bench.files.put("/run/tunctl/.interfaces/tun4", "b\n");
  EXPECT_EQ(bench.run({"remove", "a"}), kOk) << bench.err;
  EXPECT_EQ(bench.files.text("/run/tunctl/.interfaces/tun3"), "(absent)");
  EXPECT_EQ(bench.files.text("/run/tunctl/.interfaces/tun4"), "b\n");
}

TEST(Remove, TakesWhatAUnitLeftWhoseFileWasGoneWhenItEnded) {
  Ready bench;
  bench.files.put("/run/tunctl/a/a.key", "x", 0400);
  bench.services.units[kUnit].active_state = "active";
  EXPECT_EQ(bench.run({"--dry-run", "remove", "a"}), kOk);
  EXPECT_EQ(bench.out.find("/run/tunctl/a"), bench.out.npos) << "systemd will" << bench.out;
  bench.services.units[kUnit].active_state = "inactive";
  EXPECT_EQ(bench.run({"remove", "a"}), kOk) << bench.err;
  EXPECT_EQ(bench.files.text("/run/tunctl/a/a.key"), "(absent)");
}

TEST(Disable, ASiteThatNobodyKnowsIsNone) {
  Ready bench;
  EXPECT_EQ(bench.run({"disable", "nosuch"}), kNoSuchSite);
  EXPECT_THAT(bench.err, HasSubstr("no site is called nosuch"));
  // One whose file is gone but that is enabled still can be.
  bench.services.units["tunctl@gone.service"].unit_file_state = "enabled";
  EXPECT_EQ(bench.run({"disable", "gone"}), kOk) << bench.err;
}

TEST(UnitVerbs, WhatTunctlRunHoldsIsLeftToIt) {
  Ready bench;
  bench.runner = 4711;
  const std::vector<std::vector<std::string>> commands{
      {"start", "a"}, {"restart", "a"}, {"enable", "--now", "a"}, {"remove", "a"},
      {"stop", "a"},  {"reload", "a"},  {"disable", "--now", "a"}};
  for (const auto& words : commands) {
    bench.services.calls.clear();
    EXPECT_EQ(bench.run(words), kFailed) << words[0];
    EXPECT_THAT(bench.err, HasSubstr("`tunctl run` holds this site (pid 4711)")) << words[0];
    for (const std::string& call : bench.services.calls) {
      for (const char* change : {"start", "stop", "reload tunctl", "disable"}) {
        EXPECT_EQ(call.find(change), call.npos) << words[0];
      }
    }
    EXPECT_EQ(bench.out.find("stopped"), bench.out.npos);
  }
  EXPECT_NE(bench.files.text("/etc/tunctl/sites/a.toml"), "(absent)");
}

TEST(UnitVerbs, OneCommandAtATimeChangesSites) {
  const std::vector<std::vector<std::string>> commands{
      {"new", "b"},    {"import", "/x.conf"}, {"key", "gen", "a", "--force"},
      {"enable", "a"}, {"disable", "a"},      {"remove", "a"}};
  for (const auto& words : commands) {
    Ready bench;
    bench.files.put("/x.conf", "dev tun3\ncipher none\nauth none\nremote 192.0.2.1\n");
    bench.busy = true;
    const int changes = bench.files.changes;
    EXPECT_EQ(bench.run(words), kFailed) << words[0];
    EXPECT_THAT(bench.err, HasSubstr("another tunctl command is at work")) << words[0];
    EXPECT_EQ(bench.files.changes, changes) << words[0];
    EXPECT_TRUE(bench.services.calls.empty()) << words[0];
    EXPECT_EQ(bench.held.front(), "/etc/tunctl/keys");
  }
}

}  // namespace
}  // namespace cli
