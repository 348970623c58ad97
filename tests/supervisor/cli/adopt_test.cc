// SPDX-License-Identifier: Apache-2.0
// `tunctl adopt`: what it does in which order, and that the old unit is back however it ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "ovpn/static_key.h"
#include "tests/supervisor/cli/bench.h"

namespace cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kOld = "openvpn-client@office.service";
constexpr const char* kUnit = "tunctl@office.service";
constexpr const char* kSite = "/etc/tunctl/sites/office.toml";
constexpr const char* kNote = "/var/lib/tunctl/.adopted/office.json";
constexpr const char* kConfig = "/etc/openvpn/client/office.conf";
constexpr const char* kPlain = "dev tun\nremote 192.0.2.7\nsecret static.key\ncipher AES-256-CBC\n";
constexpr const char* kConnected =
    "CONNECTED peer 192.0.2.7:1194 since 1764499990 rx 12345 tx 678 drops 0 auth-failed 0";
constexpr const char* kNotHeard = "ASSIGN_IP since 1764499990 rx 0 tx 0";

const std::string& key_text() {
  static const std::string text = ovpn::format_static_key(ovpn::generate_static_key());
  return text;
}

// Debian's openvpn-client@office, which runs, and a tunctl that is installed.
struct Office : Bench {
  Office() {
    files.put(kConfig, kPlain);
    files.put("/etc/openvpn/client/static.key", key_text(), 0600);
    files.put("/usr/local/sbin/tunctl-fastpath", "", 0755);
    files.put("/usr/sbin/openvpn", "", 0755);
    files.put("/var/lib/tunctl/.keep", "");
    host::UnitStatus& old = services.units[kOld];
    old.loaded = true;
    old.command = {"/usr/sbin/openvpn", "--suppress-timestamps", "--nobind", "--config",
                   "office.conf"};
    old.working_folder = "/etc/openvpn/client";
    old.active_state = "active";
    old.unit_file_state = "enabled";
    old.main_pid = 4711;
    services.units[kUnit].loaded = true;
    services.units[kUnit].active_state = "inactive";
    services.started_status_text = kConnected;
    tunnels = {"tun0"};
  }

  bool old_is_back() {
    const host::UnitStatus& old = services.units[kOld];
    return old.active_state == "active" && old.unit_file_state == "enabled" &&
           services.units[kUnit].active_state != "active" && files.text(kSite) == "(absent)" &&
           files.text(kNote) == "(absent)" && files.text(kConfig) == kPlain;
  }
  bool stands() {
    return services.units[kOld].active_state == "inactive" &&
           services.units[kOld].unit_file_state == "disabled" &&
           services.units[kUnit].active_state == "active" &&
           services.units[kUnit].unit_file_state == "enabled";
  }
  // What systemd does some time after the command has ended, whatever became of it.
  bool timer_runs_out() {
    bool armed = false;
    for (const char* timer : {"tunctl-adopt-office.timer", "tunctl-adopt-office.confirm.timer"}) {
      if (services.units[timer].active_state != "active") continue;
      services.units[timer].active_state = "inactive";
      armed = true;
      while_asleep = {};
      interrupted_after.reset();
      EXPECT_EQ(run({"adopt", "--undo", "office", "--if-unconfirmed"}), kOk) << err;
    }
    return armed;
  }
};

TEST(Adopt, TakesTheUnitsPlace) {
  Office bench;
  EXPECT_EQ(bench.run({"adopt", "openvpn-client@office"}), kOk) << bench.err;
  EXPECT_THAT(bench.services.calls,
              ElementsAre("in 75s, as tunctl-adopt-office: /usr/local/bin/tunctl adopt --undo "
                          "office --if-unconfirmed",
                          "stop openvpn-client@office.service", "daemon-reload",
                          "start tunctl@office.service", "disable openvpn-client@office.service",
                          "enable tunctl@office.service", "enable tunctl.target",
                          "stop tunctl-adopt-office.timer"));
  EXPECT_EQ(bench.out,
            "office: up, peer 192.0.2.7:1194\noffice: adopted; `tunctl adopt --undo office` gives "
            "openvpn-client@office.service back\n");
  EXPECT_EQ(bench.files.text(kSite),
            "# In place of openvpn-client@office.service; `tunctl adopt --undo office` gives that "
            "back. Keys of this file: tunctl.site(5).\n"
            "config = \"/etc/openvpn/client/office.conf\"\noptions = [\"nobind\"]\n"
            "\n[run]\nengine = \"auto\"      # \"fastpath\" or \"openvpn\" to insist\n"
            "# cpus = \"auto\"      # bind the tunnel to the right CPUs, or to a list: \"2-5\"\n");
  EXPECT_EQ(bench.files.mode("/var/lib/tunctl/.adopted"), 0700u);
  EXPECT_THAT(bench.err, HasSubstr("the interface is called office from now on, and not tun0"));
  EXPECT_TRUE(bench.stands());
  EXPECT_FALSE(bench.timer_runs_out());
}

TEST(Adopt, IsUndoneAsItWas) {
  Office bench;
  ASSERT_EQ(bench.run({"adopt", "office.service"}), kFailed) << "no such unit";
  ASSERT_EQ(bench.run({"adopt", "office"}), kOk) << bench.err;
  bench.services.calls.clear();
  EXPECT_EQ(bench.run({"adopt", "--undo", "office"}), kOk) << bench.err;
  EXPECT_EQ(bench.services.calls.front(),
            "in 10s, as tunctl-adopt-office: /usr/local/bin/tunctl adopt --undo office "
            "--if-unconfirmed");
  EXPECT_TRUE(bench.old_is_back()) << bench.err;
  EXPECT_EQ(bench.out, "office: given back; openvpn-client@office runs again\n");
  EXPECT_EQ(bench.run({"adopt", "--undo", "office"}), kNoSuchSite);
  EXPECT_EQ(bench.err, "tunctl: office was not adopted\n");
  EXPECT_EQ(bench.run({"adopt", "--undo", "office", "--if-unconfirmed"}), kOk);
}

TEST(Adopt, GivesTheUnitBackWhoseSiteIsNotHeard) {
  Office bench;
  bench.services.started_status_text = kNotHeard;
  EXPECT_EQ(bench.run({"adopt", "office", "--wait", "7"}), kNotUp);
  EXPECT_EQ(bench.slept, std::chrono::seconds(7));
  EXPECT_THAT(bench.err, HasSubstr("tunctl: office: not up: the peer has not been heard; "
                                   "openvpn-client@office.service gets its place back\n"));
  EXPECT_TRUE(bench.old_is_back()) << bench.err;
  EXPECT_FALSE(bench.timer_runs_out());
}

// Stock OpenVPN says that it is ready before it is: such a unit is active each time for a moment.
TEST(Adopt, OfAUnitThatNeverCameToRunDoesNotSayThatItRuns) {
  Office bench;
  bench.services.units[kOld].active_state = "activating";
  bench.services.units[kOld].sub_state = "auto-restart";
  bench.services.units[kOld].restarts = 12;
  bench.services.started_status_text = kNotHeard;
  EXPECT_EQ(bench.run({"adopt", "office", "--wait", "7"}), kNotUp);
  EXPECT_THAT(bench.err, HasSubstr("tunctl: openvpn-client@office.service does not run: it ends, "
                                   "and systemd starts it again each time\n"));
  EXPECT_EQ(bench.out,
            "office: given back; openvpn-client@office is started again, and did not come to run "
            "before either; `journalctl -u openvpn-client@office` says why\n");
}

TEST(Adopt, SaysHowLongItWaitsAndForWhat) {
  Office bench;
  bench.services.started_status_text = kNotHeard;
  EXPECT_EQ(bench.run({"adopt", "office", "--wait", "7"}), kNotUp);
  EXPECT_THAT(
      bench.err,
      HasSubstr("tunctl: office: waiting for the far end, for up to 7 seconds; Ctrl-C gives "
                "openvpn-client@office its place back\n"
                "tunctl: office: waiting to hear the far end\n"
                "tunctl: office: not up: "));
}

TEST(Adopt, OfAUnitThatWasStoppedLeavesItSo) {
  Office bench;
  bench.services.units[kOld].active_state = "inactive";
  bench.services.units[kOld].unit_file_state = "disabled";
  ASSERT_EQ(bench.run({"adopt", "office"}), kOk) << bench.err;
  bench.services.calls.clear();
  EXPECT_EQ(bench.run({"adopt", "--undo", "office"}), kOk) << bench.err;
  EXPECT_EQ(bench.services.units[kOld].active_state, "inactive");
  EXPECT_EQ(bench.services.units[kOld].unit_file_state, "disabled");
}

TEST(Adopt, WaitsForWhoeverCameInByTheTunnel) {
  Office bench;
  bench.way_in = {"tun0"};
  EXPECT_EQ(bench.run({"adopt", "office", "--wait", "20"}), kOk) << bench.err;
  EXPECT_THAT(bench.out, HasSubstr("within 20 seconds say\nnext: tunctl adopt --confirm office\n"));
  EXPECT_EQ(bench.services.units[kOld].unit_file_state, "enabled") << "a boot brings it back";
  EXPECT_EQ(bench.services.units["tunctl-adopt-office.timer"].active_state, "inactive");
  Office confirmed = bench;
  EXPECT_EQ(confirmed.run({"adopt", "--confirm", "office"}), kOk) << confirmed.err;
  EXPECT_TRUE(confirmed.stands());
  EXPECT_FALSE(confirmed.timer_runs_out());
  EXPECT_EQ(confirmed.run({"adopt", "--confirm", "office"}), kOk) << "again";
  EXPECT_TRUE(bench.timer_runs_out());
  EXPECT_TRUE(bench.old_is_back());
  Office sure;
  sure.way_in = {"tun0"};
  EXPECT_EQ(sure.run({"adopt", "office", "--no-confirm"}), kOk);
  EXPECT_TRUE(sure.stands());
  Office elsewhere;
  elsewhere.way_in = {"eth0"};
  EXPECT_EQ(elsewhere.run({"adopt", "office"}), kOk);
  EXPECT_TRUE(elsewhere.stands());
}

TEST(Adopt, KilledWhileItWaitsTheTimerGivesBack) {
  Office bench;
  bench.services.started_status_text = kNotHeard;
  bench.while_asleep = [] { throw std::runtime_error("killed"); };
  EXPECT_THROW(bench.run({"adopt", "office"}), std::runtime_error);
  EXPECT_EQ(bench.services.units[kOld].active_state, "inactive");
  EXPECT_TRUE(bench.timer_runs_out());
  EXPECT_TRUE(bench.old_is_back()) << bench.err;
}

TEST(Adopt, InterruptedGivesBackAtOnce) {
  Office bench;
  bench.services.started_status_text = kNotHeard;
  bench.interrupted_after = std::chrono::seconds(2);
  EXPECT_EQ(bench.run({"adopt", "office"}), kNotUp);
  EXPECT_LT(bench.slept, std::chrono::seconds(3));
  EXPECT_TRUE(bench.old_is_back()) << bench.err;
}

TEST(Adopt, GivenBackOrConfirmedMeanwhileIsSeen) {
  Office bench;
  bench.services.started_status_text = kNotHeard;
  bench.while_asleep = [&bench] {
    bench.files.entries.erase(kNote);
    bench.services.units[kUnit].status_text = kConnected;
  };
  EXPECT_EQ(bench.run({"adopt", "office"}), kNotUp);
  EXPECT_THAT(bench.err, HasSubstr("office: given back meanwhile"));
}

// Whatever step fails, alone: the old unit is back, at once or by the timer, or all is well.
TEST(Adopt, EveryFailedStepIsTakenBack) {
  for (const bool disk : {false, true}) {
    for (const char* line : {kConnected, kNotHeard}) {
      int step = 0;
      for (;; ++step) {
        ASSERT_LT(step, 60);
        Office bench;
        bench.services.started_status_text = line;
        if (disk) bench.files.fail_from = step;
        if (!disk) bench.services.fail_at = step;
        const int status = bench.run({"adopt", "office"});
        const int asked = disk ? bench.files.changes : bench.services.asked;
        if (asked <= step) break;  // it has fewer steps
        bench.timer_runs_out();
        const bool sound = bench.old_is_back() || (status == kOk && bench.stands());
        EXPECT_TRUE(sound) << (disk ? "disk " : "systemd ") << step << " " << line << bench.err;
      }
      EXPECT_GT(step, 5) << line;
    }
  }
}

TEST(Adopt, EveryFailedStepOfUndoIsDoneLater) {
  int step = 0;
  for (;; ++step) {
    ASSERT_LT(step, 60);
    Office bench;
    ASSERT_EQ(bench.run({"adopt", "office"}), kOk);
    bench.services.fail_at = bench.services.asked + step;
    const int status = bench.run({"adopt", "--undo", "office"});
    if (status == kOk) break;
    if (!bench.timer_runs_out()) bench.run({"adopt", "--undo", "office"});
    EXPECT_TRUE(bench.old_is_back()) << step << bench.err;
  }
  EXPECT_GT(step, 3);
}

TEST(Adopt, TakesCpusFromUnitTasksetOrProcess) {
  Office bench;
  bench.services.units[kOld].cpu_affinity = {2, 3};
  ASSERT_EQ(bench.run({"adopt", "office"}), kOk) << bench.err;
  EXPECT_THAT(bench.files.text(kSite), HasSubstr("\ncpus = \"2-3\"\n"));
  Office taskset;
  auto& command = taskset.services.units[kOld].command;
  const std::vector<std::string> wrapper{"/usr/bin/taskset", "-c", "1,3"};
  command.insert(command.begin(), wrapper.begin(), wrapper.end());
  ASSERT_EQ(taskset.run({"adopt", "office"}), kOk) << taskset.err;
  EXPECT_THAT(taskset.files.text(kSite), HasSubstr("\ncpus = \"1,3\"\n"));
}

TEST(Adopt, MasksWhatAutostartStarts) {
  Office bench;
  constexpr const char* kHome = "openvpn@home.service";
  bench.files.put("/etc/openvpn/home.conf", kPlain);
  bench.files.put("/etc/openvpn/static.key", key_text(), 0600);
  bench.files.put("/run/systemd/generator/openvpn.service.wants/openvpn@home.service", "");
  host::UnitStatus& home = bench.services.units[kHome];
  home = bench.services.units[kOld];
  home.unit_file_state = "enabled-runtime";
  home.command = {"/usr/sbin/openvpn",
                  "--daemon",
                  "ovpn-home",
                  "--status",
                  "/run/openvpn/home.status",
                  "10",
                  "--cd",
                  "/etc/openvpn",
                  "--config",
                  "/etc/openvpn/home.conf",
                  "--writepid",
                  "/run/openvpn/home.pid"};
  home.working_folder = "/etc/openvpn";
  bench.services.units["tunctl@home.service"].loaded = true;
  ASSERT_EQ(bench.run({"adopt", "home"}), kOk) << bench.err;
  EXPECT_EQ(home.unit_file_state, "masked");
  EXPECT_THAT(bench.files.text("/etc/tunctl/sites/home.toml"), Not(HasSubstr("options")));
  ASSERT_EQ(bench.run({"adopt", "--undo", "home"}), kOk) << bench.err;
  EXPECT_EQ(home.unit_file_state, "enabled-runtime");
  EXPECT_EQ(home.active_state, "active");
}

TEST(Adopt, HandsNameServersToTheEngineAndLeavesOtherScriptsOff) {
  Office bench;
  bench.services.units["systemd-resolved.service"].active_state = "active";
  bench.files.put(kConfig,
                  std::string(kPlain) +
                      "script-security 2\nup /etc/openvpn/update-resolv-conf\n"
                      "down /etc/openvpn/update-resolv-conf\nroute-up /usr/local/bin/nat\n");
  bench.files.put("/usr/local/bin/nat", "", 0755);
  ASSERT_EQ(bench.run({"adopt", "office"}), kOk) << bench.err;
  const std::string site = bench.files.text(kSite);
  EXPECT_THAT(site, HasSubstr("\nscripts = \"off\"\n"));
  EXPECT_THAT(site, HasSubstr("\n[dns]\nuse = \"pushed\"\n"));
  EXPECT_THAT(bench.err, HasSubstr("route-up /usr/local/bin/nat: does not run any more"));
  EXPECT_THAT(bench.err, HasSubstr("up /etc/openvpn/update-resolv-conf: left out"));
  ASSERT_EQ(bench.run({"render", "office"}), kOk) << bench.err;
  EXPECT_THAT(bench.out, HasSubstr("\nnobind\n"));
}

TEST(Adopt, ScriptsThatJudgeAreNotLeftOut) {
  Office bench;
  bench.files.put(kConfig, std::string(kPlain) + "script-security 2\ntls-verify /usr/bin/judge\n");
  const int changes = bench.files.changes;
  EXPECT_EQ(bench.run({"adopt", "office"}), kInvalid);
  EXPECT_THAT(bench.err, HasSubstr("tls-verify /usr/bin/judge: left out it would let in whom it "
                                   "keeps out; --allow-scripts has it run"));
  EXPECT_EQ(bench.files.changes, changes);
}

TEST(Adopt, WhatTheEngineLacksRunsOnStock) {
  Office bench;
  bench.files.put(kConfig, std::string(kPlain) + "multihome\nup /etc/openvpn/update-resolv-conf\n");
  ASSERT_EQ(bench.run({"adopt", "office"}), kOk) << bench.err;
  EXPECT_THAT(bench.err, HasSubstr("makes way for stock OpenVPN in a unit of tunctl ("));
  EXPECT_THAT(bench.err, HasSubstr("multihome"));
  EXPECT_THAT(bench.files.text(kSite), HasSubstr("\n[dns]\nuse = \"off\"\n"));
  EXPECT_THAT(bench.err, HasSubstr("name servers that come with the tunnel are not used"));
}

TEST(Adopt, FilesBesideAnotherFolderComeAlong) {
  Office bench;
  bench.services.units[kOld].working_folder = "/srv/vpn";
  bench.services.units[kOld].command.back() = kConfig;
  bench.files.put("/srv/vpn/static.key", key_text(), 0600);
  bench.files.entries.erase("/etc/openvpn/client/static.key");
  ASSERT_EQ(bench.run({"adopt", "office"}), kOk) << bench.err;
  EXPECT_EQ(bench.files.text("/etc/tunctl/keys/office/static.key"), key_text());
  ASSERT_EQ(bench.run({"adopt", "--undo", "office"}), kOk) << bench.err;
  EXPECT_EQ(bench.files.text("/etc/tunctl/keys/office/static.key"), "(absent)");
}

TEST(Adopt, AsksForWhatTheConfigWants) {
  Office bench;
  bench.files.put(kConfig, std::string(kPlain) + "askpass\n");
  EXPECT_EQ(bench.run({"adopt", "office"}), kInvalid);
  EXPECT_THAT(bench.err, HasSubstr("give them with --credentials FILE"));
  bench.input = "a secret\n";
  EXPECT_EQ(bench.run({"adopt", "office", "--credentials", "-"}), kOk) << bench.err;
  EXPECT_EQ(bench.files.text("/etc/tunctl/keys/office/askpass"), "a secret\n");
}

TEST(Adopt, DryRunOnlyTells) {
  Office bench;
  const int changes = bench.files.changes;
  EXPECT_EQ(bench.run({"--dry-run", "adopt", "office"}), kOk) << bench.err;
  EXPECT_EQ(bench.out,
            "would write /etc/tunctl/sites/office.toml\nwould stop openvpn-client@office.service\n"
            "would start tunctl@office.service, and give its place back if it is not up\n"
            "would disable openvpn-client@office.service\nwould enable tunctl@office.service\n");
  EXPECT_EQ(bench.files.changes, changes);
  EXPECT_TRUE(bench.services.calls.empty());
}

struct Refusal {
  const char* what;
  std::vector<std::string> words;
  int status;
  const char* told;
};

TEST(Adopt, RefusesByName) {
  const Refusal rows[] = {
      {"a name nearly right",
       {"openvpn-client@offise"},
       kFailed,
       "did you mean openvpn-client@office?"},
      {"a bare one", {"offise"}, kFailed, "did you mean office?"},
      {"a unit of others",
       {"ssh.service"},
       kFailed,
       "ssh.service: it runs /usr/sbin/sshd, which is no openvpn"},
      {"a shell", {"shell.service"}, kFailed, "it runs a shell (/bin/sh)"},
      {"a site", {"tunctl@office"}, kFailed, "is a site of tunctl already"},
      {"nothing", {}, kUsage, "adopt takes a unit, --confirm NAME or --undo NAME"},
      {"two things", {"office", "--undo", "office"}, kUsage, "adopt takes a unit"},
      {"no time", {"office", "--wait", "0"}, kUsage, "--wait takes a number of seconds"},
      {"a name that is none", {"office", "--as", "Büro"}, kUsage, "is no name for a site"},
      {"what was never adopted", {"--confirm", "office"}, kNoSuchSite, "office was not adopted"},
      {"under another root", {"--root", "/mnt", "office"}, kFailed, "not below --root"},
  };
  for (const Refusal& row : rows) {
    Office bench;
    bench.services.units["ssh.service"].loaded = true;
    bench.services.units["ssh.service"].command = {"/usr/sbin/sshd", "-D"};
    bench.services.units["shell.service"].loaded = true;
    bench.services.units["shell.service"].command = {"/bin/sh", "-c", "exec openvpn --config x"};
    host::UnitStatus near = bench.services.units[kOld];
    near.command.back() = "offise.conf";
    bench.services.units["openvpn-client@offise.service"] = near;
    std::vector<std::string> words{"adopt"};
    words.insert(words.end(), row.words.begin(), row.words.end());
    const int changes = bench.files.changes;
    EXPECT_EQ(bench.run(words), row.status) << row.what << bench.err;
    EXPECT_THAT(bench.err, HasSubstr(row.told)) << row.what;
    EXPECT_EQ(bench.files.changes, changes) << row.what;
    EXPECT_TRUE(bench.services.calls.empty()) << row.what;
  }
}

TEST(Adopt, RefusesWhereItCannotWork) {
  Office bench;
  bench.has_systemd = false;
  EXPECT_EQ(bench.run({"adopt", "office"}), kFailed);
  EXPECT_THAT(bench.err, HasSubstr("systemd is not running here, and its units are what adopt"));
  bench.has_systemd = true;
  bench.files.forbidden.insert("/etc/openvpn/client/static.key");
  EXPECT_EQ(bench.run({"adopt", "office"}), kNotPermitted);
  bench.files.forbidden.clear();
  bench.services.permitted = false;
  EXPECT_EQ(bench.run({"adopt", "office"}), kNotPermitted);
  bench.services.permitted = true;
  EXPECT_TRUE(bench.old_is_back());
  ASSERT_EQ(bench.run({"adopt", "office"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"adopt", "office", "--as", "other"}), kFailed);
  EXPECT_THAT(bench.err, HasSubstr("the site office has the place of openvpn-client@office.service "
                                   "already; `tunctl adopt --undo office` gives it back"));
}

TEST(Adopt, ARunningSiteIsInTheWayAndTheOldUnitIsNot) {
  Office bench;
  bench.services.units[kOld].command = {"/usr/sbin/openvpn", "--config", "office.conf"};
  EXPECT_EQ(bench.run({"--dry-run", "adopt", "office"}), kOk) << "its own port" << bench.err;
  bench.files.put("/etc/openvpn/server/lan.conf", "dev tun9\nport 1194\n");
  bench.services.units["openvpn-server@lan.service"].active_state = "active";
  EXPECT_EQ(bench.run({"--dry-run", "adopt", "office"}), kInvalid);
  EXPECT_THAT(bench.err, HasSubstr("port 1194 is also running unit openvpn-server@lan.service's"));
}

TEST(Adopt, RemoveForgetsIt) {
  Office bench;
  bench.way_in = {"tun0"};
  ASSERT_EQ(bench.run({"adopt", "office"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"remove", "office"}), kFailed);
  EXPECT_THAT(bench.err, HasSubstr("is only being tried"));
  ASSERT_EQ(bench.run({"adopt", "--confirm", "office"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"remove", "office"}), kOk) << bench.err;
  EXPECT_EQ(bench.files.text(kNote), "(absent)");
  EXPECT_THAT(bench.err, HasSubstr("`systemctl enable --now openvpn-client@office.service`"));
}

}  // namespace
}  // namespace cli
