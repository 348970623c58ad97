// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ovpn/static_key.h"
#include "supervisor/cli/site_view.h"
#include "supervisor/launch/launch_plan.h"
#include "supervisor/launch/start_digest.h"
#include "tests/supervisor/cli/bench.h"

namespace cli {
namespace {

using testing::HasSubstr;

constexpr const char* kUnit = "tunctl@a.service";

host::UnitStatus running_unit() {
  host::UnitStatus unit;
  unit.unit = kUnit;
  unit.loaded = true;
  unit.active_state = "active";
  unit.sub_state = "running";
  unit.result = "success";
  unit.unit_file_state = "enabled";
  unit.main_pid = 4711;
  unit.active_since = 1764499000;
  unit.status_text =
      "CONNECTED peer 192.0.2.7:1194 since 1764499877 rx 12345678 tx 678 drops 2 auth-failed 0 "
      "heard 3";
  return unit;
}

// A site that is up on CPUs 1-2, with two threads.
struct Up : Bench {
  Up() {
    run({"new", "a", "--mode", "static-key", "--remote", "192.0.2.7", "--cpus", "1-2"});
    services.units[kUnit] = running_unit();
    launch::LaunchPlan plan;
    plan.site = "a";
    plan.program = "/usr/local/sbin/tunctl-fastpath";
    plan.cpus = {1, 2};
    plan.interface = "a";
    files.put("/run/tunctl/a/launch.json", launch::format_launch_plan(plan));
    process.exists = true;
    process.program = plan.program;
    process.threads = {{4711, "tunctl-fastpath", {1, 2}}, {4712, "data-0", {1}}};
  }
};

// As `prepare` does at a start.
void note_start(Bench& bench) {
  const auto loaded = launch::load_site(bench.files, site::Paths(), "a", 4, bench.now);
  ASSERT_TRUE(loaded);
  bench.files.put("/run/tunctl/a/start.sha256", launch::start_digest(*loaded, site::Paths(), false),
                  0400);
}

TEST(Status, ShowsASiteThatIsUp) {
  Up bench;
  EXPECT_EQ(bench.run({"status", "a"}), kOk) << bench.err;
  EXPECT_EQ(bench.out,
            "● a\n"
            "   State: up (for 2min 3s)\n"
            "  Engine: native fast path\n"
            "    Peer: 192.0.2.7:1194\n"
            " Traffic: 12.3 MB in, 678 B out, 2 packets dropped, heard 3s ago\n"
            "     Dev: a\n"
            "    CPUs: tunctl-fastpath on 1-2, data-0 on 1; asked for 1-2\n"
            "    Unit: tunctl@a.service, enabled, active running, pid 4711\n");
  EXPECT_EQ(bench.run({"-q", "status", "a"}), kOk);
  EXPECT_EQ(bench.out, "");
}

TEST(Status, TellsThatTheSiteFileIsAnotherOneThanAtTheStart) {
  Up bench;
  const std::string path = "/etc/tunctl/sites/a.toml", before = bench.files.text(path);
  const std::string key = "/etc/tunctl/keys/a/a.key", key_before = bench.files.text(key);
  constexpr const char* kWords =
      "the site file, or a file that it names, has changed since the start; `tunctl restart a` "
      "takes "
      "it over\n";
  EXPECT_EQ(bench.run({"status", "a"}), kOk) << "of an older program nothing is known";
  note_start(bench);
  EXPECT_EQ(bench.run({"status", "a"}), kOk) << bench.out;
  bench.files.put(path, "# x\ndescription = \"x\"\n" + before);
  EXPECT_EQ(bench.run({"status", "a"}), kOk) << "nothing of it is rendered: " << bench.out;
  for (const char* line : {"keepalive = [10, 60]", "[run]"}) {
    std::string edited = before;
    edited.insert(edited.find(line),
                  std::string(line) == "[run]" ? "verb = 4\n" : "float = true\n");
    bench.files.put(path, edited);
    EXPECT_EQ(bench.run({"status", "a"}), kDegraded) << line;
    EXPECT_THAT(bench.out, HasSubstr(kWords));
  }
  std::string edited = before;
  edited.insert(edited.find("[run]\n") + 6, "watchdog = 0\n");
  bench.files.put(path, edited);
  EXPECT_EQ(bench.run({"status", "a"}), kDegraded)
      << "not rendered, and another start all the same";
  bench.files.put(path, before);
  bench.files.put(key, ovpn::format_static_key(ovpn::generate_static_key()), 0600);
  EXPECT_EQ(bench.run({"status", "a"}), kDegraded);
  EXPECT_THAT(bench.out, HasSubstr(kWords));
  bench.files.put(key, key_before, 0600);
  EXPECT_EQ(bench.run({"status", "a"}), kOk) << bench.out;
}

TEST(Status, TellsThatAKeptConfigIsAnotherOneThanAtTheStart) {
  Up bench;
  const std::string config = "dev tun\nremote 192.0.2.7\ncipher none\nauth none\n";
  bench.files.put("/etc/tunctl/sites/a.toml", "config = \"a.conf\"\n");
  bench.files.put("/etc/tunctl/ovpn/a.conf", config, 0600);
  note_start(bench);
  EXPECT_EQ(bench.run({"status", "a"}), kOk) << bench.out;
  bench.files.put("/etc/tunctl/ovpn/a.conf", "# a comment\n" + config, 0600);
  EXPECT_EQ(bench.run({"status", "a"}), kOk) << bench.out;
  bench.files.put("/etc/tunctl/ovpn/a.conf", config + "ping 10\n", 0600);
  EXPECT_EQ(bench.run({"status", "a"}), kDegraded);
  EXPECT_THAT(bench.out, HasSubstr("has changed since the start"));
}

TEST(Status, TellsWhereAWordHasPutIt) {
  Up bench;
  launch::LaunchPlan plan;
  plan.cpus = {1, 2};
  plan.cpus_word = "auto";
  plan.cpus_reasons = {"auto: CPUs 1-2", "CPU 0 is left to eth0's interrupts"};
  bench.files.put("/run/tunctl/a/launch.json", launch::format_launch_plan(plan));
  EXPECT_EQ(bench.run({"status", "a"}), kOk) << bench.err;
  EXPECT_THAT(bench.out, HasSubstr("data-0 on 1; asked for auto = 1-2\n"));
  EXPECT_THAT(bench.out, testing::Not(HasSubstr("Placed")));
  EXPECT_EQ(bench.run({"-v", "status", "a"}), kOk) << bench.err;
  EXPECT_THAT(bench.out, HasSubstr("  Placed: auto: CPUs 1-2\n"
                                   "  Placed: CPU 0 is left to eth0's interrupts\n"));
  EXPECT_EQ(bench.run({"status", "--json", "a"}), kOk);
  const auto json = nlohmann::json::parse(bench.out);
  EXPECT_EQ(json.at("sites").at(0).at("engine").at("placement").at("asked"), "auto");
  EXPECT_EQ(json.at("sites").at(0).at("engine").at("placement").at("reasons").size(), 2u);
}

// The drop-in holds what the word came to when it was written; that is not stale if it comes to
// something else now.
TEST(Status, AWordsDropInFitsWhateverItComesTo) {
  Up bench;
  for (int number = 0; number < 4; ++number) bench.machine.cpus.emplace_back().number = number;
  bench.machine.nics = {{"eth0", true, -1, {{20, "eth0", {}, {}, {0}}}, {}}};
  std::string site = bench.files.text("/etc/tunctl/sites/a.toml");
  site.replace(site.find("cpus = \"1-2\""), 12, "cpus = \"auto\"");
  bench.files.put("/etc/tunctl/sites/a.toml", site);
  ASSERT_EQ(bench.run({"enable", "a"}), kOk) << bench.err;
  EXPECT_THAT(bench.files.text("/etc/systemd/system/tunctl@a.service.d/10-tunctl.conf"),
              HasSubstr("\nCPUAffinity=1-3\n"));
  bench.machine.nics[0].interrupts[0].effective = {3};
  EXPECT_EQ(bench.run({"check", "a"}), kOk);
  EXPECT_EQ(bench.out, "a: ok, native fast path, auto: CPUs 0-2\n");
  EXPECT_EQ(bench.run({"-v", "check", "a"}), kOk);
  EXPECT_THAT(bench.err, HasSubstr("a: CPU 3 is left to eth0's interrupts"));
  EXPECT_EQ(bench.run({"status", "a"}), kOk) << bench.out;
  site.replace(site.find("cpus = \"auto\""), 13, "watchdog = 20");
  bench.files.put("/etc/tunctl/sites/a.toml", site);
  EXPECT_EQ(bench.run({"status", "a"}), kDegraded);
}

TEST(Status, ExitsByTheWorst) {
  Up bench;
  EXPECT_EQ(bench.run({"status", "nope"}), kNoSuchSite);
  EXPECT_EQ(bench.run({"status", "a", "nope"}), kNoSuchSite);
  bench.make_site("b");
  EXPECT_EQ(bench.run({"status"}), kNotUp);
  bench.process.threads[1].cpus = {3};
  EXPECT_EQ(bench.run({"status", "a"}), kDegraded);
  EXPECT_THAT(bench.out, HasSubstr(" Warning: thread data-0 runs on CPUs 3, asked for were 1-2"));
}

TEST(Status, SaysWhyStock) {
  Up bench;
  bench.run({"new", "s", "--mode", "static-key", "--remote", "192.0.2.8", "--engine", "openvpn"});
  bench.run({"status", "s"});
  EXPECT_THAT(bench.out, HasSubstr("  Engine: stock OpenVPN, because of engine = \"openvpn\"\n"));
}

TEST(Status, TellsADropInThatNoLongerFits) {
  Up bench;
  ASSERT_EQ(bench.run({"enable", "a"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"status", "a"}), kOk) << bench.out;
  std::string site = bench.files.text("/etc/tunctl/sites/a.toml");
  site.replace(site.find("cpus = \"1-2\""), 12, "cpus = \"1-3\"");
  bench.files.put("/etc/tunctl/sites/a.toml", site);
  EXPECT_EQ(bench.run({"status", "a"}), kDegraded);
  EXPECT_THAT(bench.out, HasSubstr("`tunctl enable a` writes it anew"));
}

TEST(Status, ShowsATunnelWhoseSiteFileIsWrongOrGone) {
  Up bench;
  bench.files.put("/etc/tunctl/sites/a.toml", "prot = 1\n");
  EXPECT_EQ(bench.run({"status", "a"}), kDegraded);
  EXPECT_THAT(bench.out, HasSubstr("unknown key 'prot'"));
  bench.files.entries.erase("/etc/tunctl/sites/a.toml");
  EXPECT_EQ(bench.run({"status", "a"}), kDegraded);
  bench.services.units.clear();
  EXPECT_EQ(bench.run({"status", "a"}), kNoSuchSite);
}

TEST(Status, NeedsNoRightToReadKeys) {
  Up bench;
  bench.files.forbidden.insert("/etc/tunctl/keys/a/a.key");
  EXPECT_EQ(bench.run({"status", "a"}), kOk) << bench.out;
  EXPECT_THAT(bench.out, testing::Not(HasSubstr("Permission denied")));
  EXPECT_EQ(bench.run({"check", "a"}), kNotPermitted);
  EXPECT_THAT(bench.err, HasSubstr("a.key: Permission denied; run this as root"));
}

TEST(Status, SeesWhatRunHolds) {
  Bench bench;
  bench.make_site("a");
  bench.has_systemd = false;
  bench.recorded.units[kUnit] = running_unit();
  EXPECT_EQ(bench.run({"status", "a"}), kOk) << bench.out << bench.err;
  bench.has_systemd = true;
  EXPECT_EQ(bench.run({"status", "a"}), kOk);
  bench.runner = 4700;
  EXPECT_EQ(bench.run({"status", "a"}), kOk);
  EXPECT_THAT(bench.out, HasSubstr("Unit: none, `tunctl run` (pid 4700) holds it"));
  EXPECT_EQ(bench.out.find("tunctl@a.service"), bench.out.npos) << bench.out;
  EXPECT_EQ(bench.run({"status", "--json", "a"}), kOk);
  EXPECT_EQ(nlohmann::json::parse(bench.out).at("sites").at(0).at("run-pid"), 4700);
}

TEST(Status, PrintsJson) {
  Up bench;
  EXPECT_EQ(bench.run({"--color", "always", "status", "--json"}), kOk);
  const auto json = nlohmann::json::parse(bench.out);
  EXPECT_EQ(json.at("schema"), "tunctl.status/1");
  const auto& site = json.at("sites").at(0);
  EXPECT_EQ(site.at("name"), "a");
  EXPECT_EQ(site.at("health"), "up");
  EXPECT_EQ(site.at("engine").at("name"), "fastpath");
  EXPECT_EQ(site.at("engine").at("cpus"), (std::vector<int>{1, 2}));
  EXPECT_EQ(site.at("link").at("state"), "CONNECTED");
  EXPECT_EQ(site.at("link").at("peer"), "192.0.2.7:1194");
  EXPECT_EQ(site.at("link").at("since"), "2025-11-30T10:51:17Z");
  EXPECT_EQ(site.at("link").at("rx-bytes"), 12345678);
  EXPECT_EQ(site.at("threads").at(1).at("cpus"), std::vector<int>{1});
  EXPECT_EQ(site.at("unit").at("main-pid"), 4711);
  EXPECT_TRUE(site.at("warnings").empty());
}

TEST(List, ShowsOneLineForEachSite) {
  Up bench;
  bench.make_site("b");
  bench.files.put("/etc/tunctl/sites/bad.toml", "nope = 1\n");
  EXPECT_EQ(bench.run({}), kOk);
  EXPECT_EQ(bench.out.substr(0, bench.out.find("○ bad")),
            "  SITE  STATE     ENGINE    PEER            UP\n"
            "● a     up        fastpath  192.0.2.7:1194  2min 3s\n"
            "○ b     inactive  fastpath  -               -\n");
  EXPECT_THAT(bench.out, HasSubstr("○ bad   invalid   -         -               -        ! "
                                   "/etc/tunctl/sites/bad.toml:1:1: unknown key 'nope'"));
}

TEST(Status, OfNoSitesSaysHowToBegin) {
  Bench bench;
  EXPECT_EQ(bench.run({"status"}), kOk);
  EXPECT_EQ(bench.out, "no sites; `tunctl new NAME` makes one\n");
}

TEST(List, SaysHowToBegin) {
  Bench bench;
  EXPECT_EQ(bench.run({"list"}), kOk);
  EXPECT_EQ(bench.out, "no sites; `tunctl new NAME` makes one\n");
}

TEST(Colour, IsNeverTheOnlySign) {
  Up bench;
  EXPECT_EQ(bench.run({"--color", "always", "list"}), kOk);
  EXPECT_THAT(bench.out, HasSubstr("\033[32m●\033[0m a"));
  EXPECT_THAT(bench.out, HasSubstr("up"));
}

TEST(Words, ForTimesAndSizes) {
  EXPECT_EQ(duration_words(7), "7s");
  EXPECT_EQ(duration_words(123), "2min 3s");
  EXPECT_EQ(duration_words(3 * 3600 + 61), "3h 1min");
  EXPECT_EQ(duration_words(90000), "1d 1h");
  EXPECT_EQ(duration_words(-5), "0s");
  EXPECT_EQ(size_words(999), "999 B");
  EXPECT_EQ(size_words(1000), "1.0 kB");
  EXPECT_EQ(size_words(18446744073709551615u), "18446.7 PB");
}

}  // namespace
}  // namespace cli
