// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "supervisor/host/read_machine.h"
#include "supervisor/launch/launch_plan.h"
#include "tests/supervisor/cli/bench.h"
#include "tests/supervisor/host/temporary_folder.h"
#include "tests/support/machine_tree.h"
#include "tests/support/machines.h"

namespace cli {
namespace {

using testing::HasSubstr;

struct Board : Bench {
  explicit Board(std::string_view lines) {
    const TemporaryFolder folder;
    support::plant_machine(folder.path(), lines);
    machine = host::read_machine(folder.path());
    speed = {5e6, 50e6, 100e6};
  }
  void put_tunnel(const std::string& site, std::vector<int> cpus) {
    launch::LaunchPlan plan;
    plan.site = site;
    plan.cpus = std::move(cpus);
    files.put("/run/tunctl/" + site + "/launch.json", launch::format_launch_plan(plan));
  }
};

TEST(Topology, IsAPictureOfTheCores) {
  Board board(support::kN2);
  board.machine.net_rx_per_second = {{0, 1200}, {3, 0}};
  board.put_tunnel("site-a", {2, 3, 4, 5});
  board.put_tunnel("workshop-long", {3});
  EXPECT_EQ(board.run({"topology"}), kOk) << board.err;
  EXPECT_EQ(board.out,
            "Hardkernel ODROID-N2\n"
            "\n"
            "4 x Cortex-A73, up to 1.80 GHz\n"
            "┌──────────┬──────────┬──────────┬──────────┐\n"
            "│CPU 2     │CPU 3     │CPU 4     │CPU 5     │\n"
            "│1.80 GHz  │1.80 GHz  │1.80 GHz  │1.80 GHz  │\n"
            "│site-a    │site-a +1 │site-a    │site-a    │\n"
            "└──────────┴──────────┴──────────┴──────────┘\n"
            "\n"
            "2 x Cortex-A53, up to 1.90 GHz, 58 % of the fastest by cpu_capacity\n"
            "┌──────────┬──────────┐\n"
            "│CPU 0     │CPU 1     │\n"
            "│1.90 GHz  │1.90 GHz  │\n"
            "│eth0      │          │\n"
            "└──────────┴──────────┘\n"
            "\n"
            "eth0         up; 1 interrupt, on CPU 0\n"
            "Softirqs     1200 a second on CPU 0\n"
            "\n"
            "Encrypted on one CPU, in Mbit/s, by size of packet:\n"
            "CIPHER                CPU  64 B  1400 B  8192 B\n"
            "AES-256-GCM           2    40    400     800\n"
            "CHACHA20-POLY1305     2    40    400     800\n"
            "AES-256-CBC + SHA256  2    40    400     800\n"
            "AES-256-GCM           1    40    400     800\n"
            "CHACHA20-POLY1305     1    40    400     800\n"
            "AES-256-CBC + SHA256  1    40    400     800\n"
            "\n"
            "One more tunnel with cpus = \"auto\" would be placed so:\n"
            "  auto: CPU 4\n"
            "  CPUs 2-5 (Cortex-A73) are the fastest by cpu_capacity: 173 % of CPUs 0-1\n"
            "    (Cortex-A53)\n"
            "  CPU 0 has eth0's interrupts, and is none of these\n"
            "  2 other tunnels are on 4 of these 4 CPUs; this one takes 1 of them\n");
}

std::size_t columns_of(std::string_view line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; }));
}

TEST(Topology, FitsIn80ColumnsWhateverTheMachine) {
  const std::string names = std::string(support::kServer) +
                            "\n nic a-name-of-15chr pci0000:00/0000:00:1f.6\n"
                            " irq 12 PCI-MSI_0-edge_a-name-of-15chr @1:5,3:5,5:5 on=1,3,5\n"
                            " file /proc/device-tree/model " +
                            std::string(300, 'M') + "\n";
  for (const std::string& machine :
       {std::string(support::kPi1), std::string(support::kHybrid), std::string(support::kVm),
        std::string(support::kContainer), names}) {
    Board board(machine);
    for (int site = 0; site < 12; ++site) {
      board.put_tunnel("a-long-site-" + std::to_string(site), {0, 1, 40});
    }
    EXPECT_EQ(board.run({"topology"}), kOk) << board.err;
    for (const auto line : base::split(board.out, '\n')) EXPECT_LE(columns_of(line), 80u) << line;
  }
}

TEST(Topology, ShowsThreadsOfACoreInOneBox) {
  Board board(support::kHybrid);
  EXPECT_EQ(board.run({"topology"}), kOk) << board.err;
  EXPECT_THAT(board.out, HasSubstr("16 x P-core"));
  EXPECT_THAT(board.out, HasSubstr("│CPU 0-1   │CPU 2-3   │"));
  EXPECT_THAT(board.out, HasSubstr("│CPU 16    │CPU 17    │"));
  EXPECT_THAT(board.out, HasSubstr("5 interrupts, on CPU 2,5,17-19"));
}

TEST(Topology, MeasuresTheCiphersOfItsSites) {
  Board board(support::kPi4);
  ASSERT_EQ(board.run({"new", "a", "--mode", "static-key", "--remote", "192.0.2.7", "--cipher",
                       "AES-128-CBC", "--auth", "SHA1"}),
            kOk)
      << board.err;
  EXPECT_EQ(board.run({"topology"}), kOk) << board.err;
  EXPECT_THAT(board.out, HasSubstr("AES-128-CBC + SHA1    1    40    400     800\n"));
  board.speed.reset();
  EXPECT_EQ(board.run({"topology"}), kOk) << board.err;
  EXPECT_THAT(board.out, HasSubstr("AES-128-CBC + SHA1    1    -     -       -\n"));
}

TEST(Topology, PrintsJson) {
  Board board(support::kN2);
  board.put_tunnel("site-a", {2, 3});
  EXPECT_EQ(board.run({"topology", "--json"}), kOk) << board.err;
  const auto json = nlohmann::json::parse(board.out);
  EXPECT_EQ(json.at("schema"), "tunctl.topology/1");
  EXPECT_EQ(json.at("model"), "Hardkernel ODROID-N2");
  EXPECT_EQ(json.at("cpus").size(), 6u);
  EXPECT_EQ(json.at("cpus").at(0).at("max-khz"), 1896000);
  EXPECT_EQ(json.at("classes").at(0).at("cpus"), (std::vector{2, 3, 4, 5}));
  EXPECT_EQ(json.at("classes").at(0).at("name"), "Cortex-A73");
  EXPECT_EQ(json.at("nics").at(0).at("interrupts").at(0).at("cpus"), std::vector{0});
  EXPECT_EQ(json.at("tunnels").at(0).at("site"), "site-a");
  EXPECT_EQ(json.at("ciphers").at(0).at("bytes-per-second").at("1400"), 50'000'000);
  EXPECT_EQ(json.at("auto").at("cpus"), (std::vector{4, 5}));
}

TEST(Topology, SaysThatItSeesNothing) {
  Bench bench;
  EXPECT_EQ(bench.run({"topology"}), kFailed);
  EXPECT_THAT(bench.err, HasSubstr("what CPUs there are could not be read"));
}

}  // namespace
}  // namespace cli
