// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "supervisor/launch/launch_plan.h"
#include "tests/supervisor/cli/bench.h"

namespace cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// A site that is up on the little one of two kinds of cores.
struct Patient : Bench {
  Patient() {
    for (int number = 0; number < 2; ++number) {
      base::Cpu cpu;
      cpu.number = number;
      cpu.capacity = number == 0 ? 400 : 1024;
      machine.cpus.push_back(cpu);
    }
    machine.features = {"aes"};
    run({"new", "a", "--mode", "static-key", "--remote", "192.0.2.7"});
    host::UnitStatus unit;
    unit.unit = "tunctl@a.service";
    unit.active_state = "active";
    unit.main_pid = 4711;
    unit.status_text = "CONNECTED peer 192.0.2.9:1194 heard 3 offload tso,gso,gro";
    services.units[unit.unit] = unit;
    launch::LaunchPlan plan;
    plan.site = "a";
    plan.program = "/usr/local/sbin/tunctl-fastpath";
    plan.interface = "a";
    files.put("/run/tunctl/a/launch.json", launch::format_launch_plan(plan));
    process.exists = true;
    process.threads = {{4711, "tunctl-fastpath", {0, 1}}, {4712, "data", {0}}};
    udp_drops = 0;
    path_mtu = host::PathMtu{1500, false};
    network.clock_synchronized = true;
  }
};

TEST(DoctorVerb, IsAPageWithRemedies) {
  Patient bench;
  EXPECT_EQ(bench.run({"doctor"}), kDegraded) << bench.err;
  EXPECT_EQ(bench.out,
            "This machine\n"
            "good     clock       the clock is synchronized\n"
            "\n"
            "a\n"
            "good     config      `tunctl check` finds nothing to say\n"
            "fault    cores       runs on CPU 0, and CPU 1 is faster by cpu_capacity\n"
            "                     → `cpus = \"auto\"` in [run] of the site file, and `tunctl\n"
            "                       restart a`\n"
            "good     mtu         packets of up to 1500 bytes reach the far end whole\n"
            "good     buffers     no datagram was lost for want of room\n"
            "note     offload     this kernel does not do uso: more work per packet\n"
            "                     → a newer kernel (6.2 has them all)\n"
            "\n"
            "1 fault, 1 note\n");
  // Where the engine says that the far end is, not where the config has it.
  EXPECT_EQ(bench.measured, std::vector<std::string>{"192.0.2.9"});
}

TEST(DoctorVerb, WithoutFaultsIsASuccess) {
  Patient bench;
  bench.process.threads[1].cpus = {1};
  EXPECT_EQ(bench.run({"doctor", "a"}), kOk) << bench.out;
}

TEST(DoctorVerb, JsonHasTheSame) {
  Patient bench;
  EXPECT_EQ(bench.run({"doctor", "--json", "a"}), kDegraded);
  const auto json = nlohmann::json::parse(bench.out);
  EXPECT_EQ(json["schema"], "tunctl.doctor/1");
  EXPECT_EQ(json["findings"][0], (nlohmann::json{{"check", "clock"},
                                                 {"verdict", "good"},
                                                 {"evidence", "the clock is synchronized"}}));
  EXPECT_EQ(json["findings"][2]["verdict"], "fault");
  EXPECT_EQ(json["findings"][2]["site"], "a");
  EXPECT_THAT(json["findings"][2]["remedy"], HasSubstr("auto"));
}

TEST(DoctorVerb, ASiteThatDoesNotRunIsMeasuredByItsConfig) {
  Patient bench;
  bench.services.units.clear();
  bench.path_mtu.reset();
  EXPECT_EQ(bench.run({"doctor", "a"}), kOk) << bench.out;
  EXPECT_EQ(bench.measured, std::vector<std::string>{"192.0.2.7"});
  EXPECT_THAT(bench.out, HasSubstr("unknown  mtu         192.0.2.7 answers no echo requests"));
  EXPECT_THAT(bench.out, Not(HasSubstr("cores")));
}

TEST(DoctorVerb, NoSuchSite) {
  Patient bench;
  EXPECT_EQ(bench.run({"doctor", "nobody"}), kNoSuchSite);
  EXPECT_THAT(bench.err, HasSubstr("nobody"));
}

TEST(DoctorVerb, TwoEndsByTheirConfigs) {
  Patient bench;
  const std::string end = "dev tun\nifconfig 10.8.0.1 10.8.0.2\nremote 192.0.2.1\n";
  bench.files.put("/srv/admin/a.conf", end + "cipher AES-128-CBC\n<secret>\n00\n</secret>\n");
  bench.files.put(
      "/srv/admin/b.conf",
      "dev tun\nifconfig 10.8.0.2 10.8.0.1\ncipher AES-256-CBC\n<secret>\n00\n</secret>\n");
  EXPECT_EQ(bench.run({"doctor", "--pair", "a.conf", "/srv/admin/b.conf"}), kDegraded) << bench.err;
  EXPECT_THAT(bench.out, HasSubstr("fault    cipher      the cipher is AES-128-CBC in a.conf and "
                                   "AES-256-CBC in\n"));
  EXPECT_EQ(bench.run({"doctor", "--pair", "a.conf", "a.conf"}), kDegraded);
  EXPECT_EQ(bench.run({"doctor", "--pair", "a.conf", "gone.conf"}), kInvalid);
  EXPECT_THAT(bench.err, HasSubstr("gone.conf"));
}

}  // namespace
}  // namespace cli
