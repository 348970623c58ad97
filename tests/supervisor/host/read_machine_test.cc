// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/read_machine.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "base/cpu_list.h"
#include "supervisor/host/interrupts.h"
#include "tests/supervisor/host/temporary_folder.h"
#include "tests/support/machine_tree.h"
#include "tests/support/machines.h"

namespace host {
namespace {

base::Machine planted(std::string_view lines) {
  const TemporaryFolder folder;
  support::plant_machine(folder.path(), lines);
  return read_machine(folder.path());
}

TEST(ReadMachine, SeesCoresAndCard) {
  const base::Machine n2 = planted(support::kN2);
  EXPECT_EQ(n2.model, "Hardkernel ODROID-N2");
  ASSERT_EQ(n2.cpus.size(), 6u);
  EXPECT_EQ(n2.cpus[1].part, "41:d03");
  EXPECT_EQ(n2.cpus[1].capacity, 592);
  EXPECT_EQ(n2.cpus[1].max_khz, 1896000);
  EXPECT_EQ(n2.cpus[5].part, "41:d09");
  EXPECT_EQ(n2.cpus[5].siblings, std::vector{5});
  ASSERT_EQ(n2.nics.size(), 1u);
  EXPECT_TRUE(n2.nics[0].up);
  ASSERT_EQ(n2.nics[0].interrupts.size(), 1u);
  const base::Interrupt& interrupt = n2.nics[0].interrupts[0];
  EXPECT_EQ(interrupt.words, "GICv2 40 Level eth0");
  EXPECT_EQ(interrupt.effective, std::vector{0});
  EXPECT_EQ(base::format_cpu_list(interrupt.allowed), "0-5");
  EXPECT_EQ(interrupt.counts, (std::map<int, std::uint64_t>{{0, 6'000'000}}));
}

TEST(ReadMachine, FindsACardsInterruptsByItsDeviceOrItsBus) {
  const base::Machine pi = planted(support::kPi3);
  ASSERT_EQ(pi.nics.size(), 2u);
  EXPECT_EQ(pi.nics[0].interrupts.size(), 1u);  // eth0's, by the name of the USB bus
  EXPECT_TRUE(pi.nics[1].interrupts.empty());   // wlan0's is not known
  EXPECT_FALSE(pi.nics[1].up);
  EXPECT_EQ(planted(support::kXu4).nics[0].interrupts.size(), 1u);  // usb6, not usb5
  EXPECT_EQ(planted(support::kServer).nics[0].interrupts.size(), 17u);
  EXPECT_EQ(planted(support::kContainer).nics.size(), 0u);  // a veth has no device
}

TEST(ReadMachine, SeesThreadsCachesAndNodes) {
  const base::Machine hybrid = planted(support::kHybrid);
  EXPECT_EQ(hybrid.cpus[3].siblings, (std::vector{2, 3}));
  EXPECT_EQ(hybrid.cpus[3].part, "core");
  EXPECT_EQ(hybrid.cpus[20].part, "atom");
  const base::Machine server = planted(support::kServer);
  EXPECT_EQ(server.cpus[33].node, 1);
  EXPECT_EQ(base::format_cpu_list(server.cpus[33].cache), "32-35");
  EXPECT_EQ(server.nics[0].node, 1);
}

TEST(ReadMachine, ReadsWhatAnOldKernelSaysOnceOfAllCores) {
  const base::Machine board = planted(support::kBananaPi);
  EXPECT_EQ(board.cpus[0].part, "41:c07");
  EXPECT_EQ(board.cpus[1].part, "41:c07");
}

TEST(ReadMachine, FindsItsCpuset) {
  const auto allowed = [](const std::string& files) {
    return base::format_cpu_list(planted("cpu 0-7\n" + files).allowed);
  };
  EXPECT_EQ(allowed("file /proc/version x"), "");
  EXPECT_EQ(allowed("file /proc/self/cgroup 0::/system.slice/tunctl.slice/a.service\n"
                    "file /sys/fs/cgroup/system.slice/cpuset.cpus.effective 2-3"),
            "2-3");
  EXPECT_EQ(allowed("file /proc/self/cgroup 4:cpu,cpuset:/box\n"
                    "file /sys/fs/cgroup/cpuset/box/cpuset.effective_cpus 1"),
            "1");
  EXPECT_EQ(allowed("file /proc/1/status Cpus_allowed_list: 4-5"), "4-5");
  EXPECT_EQ(allowed("file /proc/self/cgroup 0::/\nfile /sys/fs/cgroup/cpuset.cpus.effective 2-5\n"
                    "file /proc/1/status Cpus_allowed_list: 4-7"),
            "4-5");
  EXPECT_EQ(allowed("file /proc/self/cgroup 0::/../../etc\n"
                    "file /sys/fs/cgroup/cpuset.cpus.effective 6"),
            "6");
}

TEST(ReadMachine, SeesHeatAndInstructions) {
  const base::Machine machine = planted(
      "cpu 0-1\n"
      "file /proc/cpuinfo Features : fp asimd aes pmull sha1 sha2 crc32\n"
      "file /sys/class/thermal/cooling_device0/type cpufreq-cpu0\n"
      "file /sys/class/thermal/cooling_device0/cur_state 2\n"
      "file /sys/class/thermal/cooling_device0/max_state 9\n"
      "file /sys/class/thermal/cooling_device1/type pwm-fan\n"
      "file /sys/class/thermal/cooling_device1/cur_state 1\n"
      "file /sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count 12");
  EXPECT_EQ(machine.features, (std::vector<std::string>{"asimd", "aes", "pmull", "sha1", "sha2"}));
  EXPECT_EQ(machine.throttled,
            (std::vector<std::string>{"cpufreq-cpu0 cools at step 2 of 9",
                                      "a core was too hot 12 times since boot"}));
}

TEST(ReadMachine, IsAtHomeHere) {
  const base::Machine here = read_machine();
  ASSERT_FALSE(here.cpus.empty());
  EXPECT_LE(static_cast<int>(here.cpus.size()), base::configured_cpu_count());
}

TEST(ReadMachine, TakesWhatCannotBeReadForMissing) {
  const TemporaryFolder folder;
  support::plant_machine(folder.path(), support::kPi4);
  const std::string cpu = folder / "sys/devices/system/cpu/cpu1/";
  std::filesystem::remove(cpu + "cpu_capacity");
  std::filesystem::create_directory(cpu + "cpu_capacity");
  std::filesystem::remove(cpu + "cpufreq/cpuinfo_max_freq");
  ASSERT_EQ(::mkfifo((cpu + "cpufreq/cpuinfo_max_freq").c_str(), 0600), 0);  // nobody writes it
  std::filesystem::remove_all(folder / "sys/devices/system/cpu/cpu2");
  std::filesystem::create_symlink("cpu2", folder / "sys/devices/system/cpu/cpu2");
  std::filesystem::remove(folder / "sys/class/net/eth0");
  std::filesystem::create_symlink("/", folder / "sys/class/net/eth0");
  std::ofstream(folder / "proc/interrupts") << std::string(100'000, 'x');
  const base::Machine machine = read_machine(folder.path());
  ASSERT_EQ(machine.cpus.size(), 4u);
  EXPECT_FALSE(machine.cpus[1].capacity);
  EXPECT_FALSE(machine.cpus[1].max_khz);
  EXPECT_FALSE(machine.cpus[2].capacity);
  EXPECT_EQ(machine.cpus[3].capacity, 1024);
  EXPECT_TRUE(machine.nics.empty());
}

// A CPU goes, a card is renamed, a file is cut off: whatever it is, the reader comes to an end with
// numbers that are some.
TEST(ReadMachine, BearsEntriesThatChangeMeanwhile) {
  const TemporaryFolder folder;
  support::plant_machine(folder.path(), support::kRk3588);
  std::atomic<bool> over = false;
  std::thread meddler([&] {
    const std::string cpu = folder / "sys/devices/system/cpu/cpu5";
    const std::string nic = folder / "sys/class/net/eth0";
    while (!over) {
      std::error_code ignored;
      std::filesystem::rename(cpu, cpu + "x", ignored);
      std::filesystem::rename(nic, nic + "x", ignored);
      std::ofstream(folder / "proc/cpuinfo") << "processor : 4096\nCPU part : 0x";
      std::ofstream(folder / "sys/devices/system/cpu/isolated") << "0-99999999999";
      std::filesystem::rename(cpu + "x", cpu, ignored);
      std::filesystem::rename(nic + "x", nic, ignored);
    }
  });
  for (int round = 0; round < 100; ++round) {
    const base::Machine machine = read_machine(folder.path());
    EXPECT_EQ(machine.cpus.size(), 8u);
    EXPECT_TRUE(machine.isolated.empty());
  }
  over = true;
  meddler.join();
}

TEST(Interrupts, ColumnsAreTheCpusOfTheHead) {
  const std::string text =
      "           CPU0       CPU2\n"
      "  9:          0         12   IO-APIC   9-fasteoi   acpi\n"
      " 38:          7       7180  PCI-MSIX-0000:00:03.0   1-edge      virtio2-input.0\n"
      " 39:          7\n"
      "NMI:          0          0   Non-maskable interrupts\n"
      "ERR:          0\n";
  const auto found = parse_interrupts(text);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].counts, (std::map<int, std::uint64_t>{{2, 12}}));
  EXPECT_EQ(found[1].number, 38);
  EXPECT_EQ(found[1].counts, (std::map<int, std::uint64_t>{{0, 7}, {2, 7180}}));
  EXPECT_EQ(found[1].words, "PCI-MSIX-0000:00:03.0 1-edge virtio2-input.0");
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_LE(parse_interrupts(text.substr(0, size)).size(), 2u);
  }
  EXPECT_TRUE(parse_interrupts("CPU0 CPU-1\n 1: 2 3 x\n").empty());
  EXPECT_TRUE(parse_interrupts("CPU0\n 1: -2 x\n 2: 99999999999999999999999 x\n").empty());
}

TEST(Interrupts, SoftirqsOfOneKind) {
  const std::string text = "  CPU0 CPU1\n NET_TX: 1 2\n NET_RX: 975126 0\n BLOCK: 4 5\n";
  EXPECT_EQ(parse_softirqs(text, "NET_RX"), (std::map<int, std::uint64_t>{{0, 975126}}));
  EXPECT_TRUE(parse_softirqs(text, "NET").empty());
}

TEST(Interrupts, DevicesAreNamedWhole) {
  EXPECT_TRUE(names_device("IR-PCI-MSI 5-edge i40e-eth0-TxRx-0", "eth0"));
  EXPECT_TRUE(names_device("dwc_otg, dwc_otg_hcd:usb1", "usb1"));
  EXPECT_TRUE(names_device("mlx5_comp0@pci:0000:81:00.0", "0000:81:00.0"));
  EXPECT_FALSE(names_device("eth01 eth00", "eth0"));
  EXPECT_FALSE(names_device("veth0", "eth0"));
  EXPECT_FALSE(names_device("eth0", ""));
}

TEST(NetRx, RatesComeOfTwoReadings) {
  using Counts = std::map<int, std::uint64_t>;
  EXPECT_EQ(per_second({{0, 100}, {1, 50}}, {{0, 300}, {1, 50}, {2, 7}}, 100),
            (Counts{{0, 2000}, {1, 0}, {2, 70}}));
  EXPECT_EQ(per_second({{0, 100}}, {{0, 3}}, 100), (Counts{{0, 0}}));
  EXPECT_EQ(per_second({}, {{0, 3}}, 0), Counts{});
}

}  // namespace
}  // namespace host
