// SPDX-License-Identifier: Apache-2.0
// Where a tunnel goes on machines that exist, each as sysfs and procfs show it.
#include "tests/support/machines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/cpu_list.h"
#include "supervisor/host/read_machine.h"
#include "supervisor/placement/placement.h"
#include "tests/supervisor/host/temporary_folder.h"
#include "tests/support/machine_tree.h"

namespace placement {
namespace {

using testing::HasSubstr;

base::Machine machine_of(std::string_view lines) {
  const TemporaryFolder folder;
  support::plant_machine(folder.path(), lines);
  return host::read_machine(folder.path());
}

std::string told(const CpuChoice& choice) {
  std::string text;
  for (const std::string& reason : choice.reasons) text += reason + "\n";
  return text;
}

struct Row {
  const char* name;
  const char* machine;
  const char* word;
  const char* cpus;  // "": the affinity is left
  std::vector<const char*> because;
};

void expect(const Row& row) {
  const CpuChoice choice = decide({row.word}, machine_of(row.machine), {});
  EXPECT_EQ(base::format_cpu_list(choice.cpus), row.cpus) << row.name << "\n" << told(choice);
  for (const char* reason : row.because) EXPECT_THAT(told(choice), HasSubstr(reason)) << row.name;
}

TEST(Auto, LeavesAMachineWithOneCoreAsItIs) {
  expect({"Pi 1",
          support::kPi1,
          "auto",
          "",
          {"auto: the affinity is left as it is", "there is one CPU to run on"}});
}

TEST(Auto, LeavesTheCardItsCoreWhereAllAreAlike) {
  const Row rows[] = {
      {"Pi 3",
       support::kPi3,
       "auto",
       "1-3",
       {"auto: CPUs 1-3", "all of one kind (Cortex-A53)", "CPU 0 is left to eth0's interrupts"}},
      {"Pi 4", support::kPi4, "auto", "1-3", {"Cortex-A72", "CPU 0 is left to eth0's interrupts"}},
      {"Pi 5", support::kPi5, "auto", "1-3", {"Cortex-A76", "CPU 0 is left to eth0's interrupts"}},
      {"Banana Pi",
       support::kBananaPi,
       "auto",
       "1",
       {"CPUs 0-1 are all of one kind (Cortex-A7)", "CPU 0 is left to eth0's interrupts"}},
      {"C2", support::kC2, "auto", "1-3", {"CPU 0 is left to eth0's interrupts"}},
      {"VM", support::kVm, "auto", "1", {"CPU 0 is left to eth0's interrupts"}},
  };
  for (const Row& row : rows) expect(row);
}

TEST(Auto, TakesTheFastestKindOfCore) {
  const Row rows[] = {
      {"N2",
       support::kN2,
       "auto",
       "2-5",
       {"CPUs 2-5 (Cortex-A73) are the fastest by cpu_capacity: 173 % of CPUs 0-1 (Cortex-A53)",
        "CPU 0 has eth0's interrupts, and is none of these"}},
      {"N2, old kernel",
       support::kN2Vendor,
       "auto",
       "2-5",
       {"fastest by clock rate and kind of core", "CPU 0 has eth0's interrupts"}},
      {"XU4",
       support::kXu4,
       "auto",
       "4-7",
       {"CPUs 4-7 (Cortex-A15) are the fastest", "CPU 0 has eth0's interrupts"}},
      {"RK3399", support::kRk3399, "auto", "4-5", {"Cortex-A72", "269 % of CPUs 0-3"}},
      {"RK3588",
       support::kRk3588,
       "auto",
       "5-7",
       {"CPUs 4-7 (Cortex-A76) are the fastest", "CPU 4 is left to eth0's interrupts"}},
      {"i.MX8QM",
       support::kImx8qm,
       "auto",
       "4-5",
       {"fastest by clock rate and kind of core: 266 % of CPUs 0-3"}},
      {"M1",
       support::kM1,
       "auto",
       "4-7",
       {"CPUs 4-7 (Apple Firestorm) are the fastest by cpu_capacity",
        "CPU 0 has end0's interrupts, and is none of these"}},
  };
  for (const Row& row : rows) expect(row);
}

TEST(Auto, TakesOneThreadOfACore) {
  expect({"i9-12900K",
          support::kHybrid,
          "auto",
          "0,3-4,6,8,10,12,14",
          {"CPUs 0-15 (P-core) are the fastest by clock rate and kind of core",
           "CPU 2 is left to enp6s0's interrupts",
           "CPUs 1,5,7,9,11,13,15 are second threads of cores that are used already"}});
}

TEST(Auto, StaysNearTheCard) {
  expect({"2 x EPYC 7543",
          support::kServer,
          "auto",
          "48-55",
          {"CPUs 32-47 are left to enp129s0's interrupts",
           "the network card is nearest to the memory of node 1: CPUs 48-63",
           "8 of 16 CPUs: more threads do not help one tunnel"}});
}

TEST(Auto, StaysWithinItsCpuset) {
  expect({"container",
          support::kContainer,
          "auto",
          "3,7",
          {"the cpuset has only CPUs 3,7", "no CPU is known to serve a network card"}});
}

TEST(Words, MeanWhatTheySay) {
  const Row rows[] = {
      {"N2", support::kN2, "big", "2-5", {"big: CPUs 2-5", "173 % of"}},
      {"N2",
       support::kN2,
       "little",
       "0-1",
       {"little: CPUs 0-1", "are the slowest by cpu_capacity: 58 % of CPUs 2-5 (Cortex-A73)"}},
      {"N2", support::kN2, "not-irq", "1-5", {"CPU 0 is left to eth0's interrupts"}},
      {"RK3588", support::kRk3588, "big", "4-7", {}},
      {"i9-12900K", support::kHybrid, "big", "0-15", {}},
      {"i9-12900K", support::kHybrid, "little", "16-23", {}},
      {"Pi 4", support::kPi4, "big", "0-3", {"all of one kind", "which is all there are"}},
      {"Pi 4", support::kPi4, "little", "0-3", {}},
      {"Pi 4", support::kPi4, "not-irq", "1-3", {}},
      {"Pi 1", support::kPi1, "not-irq", "", {}},
  };
  for (const Row& row : rows) expect(row);
}

std::string with(const char* machine, const char* more) { return std::string(machine) + more; }

TEST(Auto, GoesByWhereInterruptsAreNow) {
  const std::string moved = with(support::kC2, "\n file /proc/irq/18/effective_affinity_list 3");
  EXPECT_EQ(base::format_cpu_list(decide({"auto"}, machine_of(moved), {}).cpus), "0-2");
  const std::string big = with(support::kRk3399, "\n file /proc/irq/25/effective_affinity_list 5");
  EXPECT_EQ(base::format_cpu_list(decide({"auto"}, machine_of(big), {}).cpus), "4");
}

TEST(Auto, CountsCpusThatReceivedPacketsAreHandedTo) {
  const CpuChoice choice =
      decide({"auto"}, machine_of(with(support::kPi4, "\n queue eth0 rx-0 00000002")), {});
  EXPECT_EQ(base::format_cpu_list(choice.cpus), "2-3");
  EXPECT_THAT(told(choice), HasSubstr("CPUs 0-1 are left to"));
}

TEST(Auto, LeavesACoreThatIsBusyWithPackets) {
  base::Machine machine = machine_of("cpu 0-1");
  machine.net_rx_per_second = {{0, 20'000}, {1, 300}};
  const CpuChoice choice = decide({"auto"}, machine, {});
  EXPECT_EQ(base::format_cpu_list(choice.cpus), "1");
  EXPECT_THAT(told(choice), HasSubstr("CPU 0 is left to 20000 network softirqs a second"));
  machine.net_rx_per_second = {{0, 900}, {1, 0}};  // that is no load
  EXPECT_EQ(base::format_cpu_list(decide({"auto"}, machine, {}).cpus), "0-1");
}

TEST(Auto, UsesACardsCoreRatherThanNone) {
  const std::string both = R"(
    cpu 0-1
    nic eth0 pci0000:00/0000:00:03.0/virtio0
    irq 25 PCI-MSI_1-edge_virtio0-input.0 @0:700000 on=0
    irq 27 PCI-MSI_3-edge_virtio0-input.1 @1:650000 on=1)";
  const CpuChoice choice = decide({"auto"}, machine_of(both), {});
  EXPECT_EQ(base::format_cpu_list(choice.cpus), "0-1");
  EXPECT_THAT(told(choice), HasSubstr("CPUs 0-1 have eth0's interrupts, and no other CPU is free"));
}

TEST(Auto, TakesSecondThreadsWhereThereIsNothingElse) {
  const auto chosen = [](const char* lines, int threads) {
    return base::format_cpu_list(decide({"auto", threads}, machine_of(lines), {}).cpus);
  };
  EXPECT_EQ(chosen("cpu 0-1 smt=pairs", 0), "0-1");
  EXPECT_EQ(chosen("cpu 0-3 smt=+2", 0), "0-1");
  EXPECT_EQ(chosen("cpu 0-3 smt=+2", 4), "0-3");
  EXPECT_EQ(chosen("cpu 0-7 smt=+4", 3), "0-2");
}

TEST(Auto, LeavesIsolatedCpusAlone) {
  const CpuChoice choice = decide(
      {"auto"}, machine_of(with(support::kPi4, "\n file /sys/devices/system/cpu/isolated 3")), {});
  EXPECT_EQ(base::format_cpu_list(choice.cpus), "1-2");
  EXPECT_THAT(told(choice), HasSubstr("isolcpus keeps CPU 3 for others"));
}

TEST(Auto, SharesFairlyAndNeverRefuses) {
  const base::Machine n2 = machine_of(support::kN2);
  std::vector<Neighbour> neighbours;
  std::vector<int> first;  // of each tunnel: where its busiest thread is
  const char* expected[] = {"2-5", "3-4", "5", "4", "2", "3", "5"};
  for (const char* cpus : expected) {
    const CpuChoice choice = decide({"auto"}, n2, neighbours);
    EXPECT_EQ(base::format_cpu_list(choice.cpus), cpus) << told(choice);
    ASSERT_FALSE(choice.cpus.empty());
    neighbours.insert(neighbours.begin(), {"site", choice.cpus});
    first.push_back(choice.cpus.front());
  }
  std::sort(first.begin(), first.begin() + 4);
  EXPECT_EQ(std::vector<int>(first.begin(), first.begin() + 4), (std::vector{2, 3, 4, 5}));
}

TEST(Auto, TakesWhatNobodyHasWhereThereIsEnough) {
  const base::Machine server = machine_of(support::kServer);
  const CpuChoice second = decide({"auto"}, server, {{"a", {48, 49, 50, 51, 52, 53, 54, 55}}});
  EXPECT_EQ(base::format_cpu_list(second.cpus), "56-63") << told(second);
  // One that may run anywhere, or elsewhere, takes nothing away.
  EXPECT_EQ(base::format_cpu_list(
                decide({"auto"}, machine_of("cpu 0-1"), {{"a", {0, 1}}, {"b", {0, 1}}}).cpus),
            "0-1");
  EXPECT_EQ(base::format_cpu_list(decide({"auto"}, server, {{"b", {}}, {"c", {0, 1}}}).cpus),
            "48-55");
}

TEST(Auto, MakesSomethingOfAbsurdTrees) {
  const Row rows[] = {
      {"nothing", "file /proc/version x", "auto", "", {"could not be read"}},
      {"capacities that are none",
       "cpu 0-3 part=41:d03 capacity=-7\nfile /sys/devices/system/cpu/cpu1/cpu_capacity 99999999999"
       "9999999999\nfile /sys/devices/system/cpu/cpu2/cpu_capacity fast",
       "auto",
       "0-3",
       {}},
      {"no list of CPUs that are online",
       "cpu 0-3 part=41:d03\nfile /sys/devices/system/cpu/online 3-1,banana",
       "auto",
       "0-3",
       {}},
      {"a cpuset of CPUs that do not exist",
       "cpu 0-3\nfile /proc/self/cgroup 0::/\nfile /sys/fs/cgroup/cpuset.cpus.effective 40-50",
       "auto",
       "0-3",
       {}},
      {"all are isolated", "cpu 0-3\nfile /sys/devices/system/cpu/isolated 0-3", "auto", "0-3", {}},
      {"siblings without itself",
       "cpu 0-1\nfile /sys/devices/system/cpu/cpu0/topology/thread_siblings_list 7",
       "auto",
       "0-1",
       {}},
      {"an interrupt on a CPU that does not exist",
       "cpu 0-1\nnic eth0 virtio0\nirq 9 virtio0-input.0 @0:99999 on=77",
       "auto",
       "0-1",
       {}},
      {"a clock of one CPU alone",
       "cpu 0-3\nfile /sys/devices/system/cpu/cpu3/cpufreq/"
       "cpuinfo_max_freq 5000000",
       "auto",
       "0-3",
       {}},
  };
  for (const Row& row : rows) expect(row);
}

}  // namespace
}  // namespace placement
