// SPDX-License-Identifier: Apache-2.0
#include "supervisor/placement/nic_cpus.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace placement {
namespace {

constexpr std::uint64_t kCountsThatTell = 100;  // of one interrupt, since boot
constexpr std::uint64_t kBusyCard = 1000;       // likewise, of all of a card's
constexpr std::uint64_t kQuietPart = 50;        // an interrupt with a smaller part is no queue's
constexpr std::uint64_t kPartOfOneCpu = 5;      // a fifth
// Network softirqs: a CPU that handles this many in a second, and this part of all, is busy.
constexpr std::uint64_t kBusySoftirqs = 1000;
constexpr std::uint64_t kBusyPart = 4;

using Counts = std::map<int, std::uint64_t>;

std::uint64_t sum(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0},
                         [](std::uint64_t all, const auto& row) { return all + row.second; });
}

bool is_online(const base::Machine& machine, int cpu) {
  return std::any_of(machine.cpus.begin(), machine.cpus.end(),
                     [cpu](const base::Cpu& other) { return other.number == cpu; });
}

std::vector<const base::Nic*> cards(const base::Machine& machine) {
  std::vector<const base::Nic*> up, all;
  for (const base::Nic& nic : machine.nics) {
    all.push_back(&nic);
    if (nic.up) up.push_back(&nic);
  }
  return up.empty() ? all : up;
}

}  // namespace

std::vector<int> delivered_to(const base::Interrupt& interrupt) {
  if (!interrupt.effective.empty()) return interrupt.effective;
  std::vector<int> cpus;
  const std::uint64_t all = sum(interrupt.counts);
  if (all >= kCountsThatTell) {
    for (const auto& [cpu, count] : interrupt.counts) {
      if (count >= all / kPartOfOneCpu) cpus.push_back(cpu);
    }
    return cpus;
  }
  return interrupt.allowed.size() == 1 ? interrupt.allowed : cpus;
}

std::map<int, std::string> nic_cpus(const base::Machine& machine) {
  std::map<int, std::string> busy;
  const auto add = [&](const std::vector<int>& cpus, const std::string& words) {
    for (const int cpu : cpus) {
      if (is_online(machine, cpu)) busy.try_emplace(cpu, words);
    }
  };
  for (const base::Nic* nic : cards(machine)) {
    std::uint64_t all = 0;
    for (const auto& interrupt : nic->interrupts) all += sum(interrupt.counts);
    for (const auto& interrupt : nic->interrupts) {
      const bool quiet = all >= kBusyCard && sum(interrupt.counts) < all / kQuietPart;
      if (!quiet) add(delivered_to(interrupt), nic->name + "'s interrupts");
    }
    for (const base::NicQueue& queue : nic->queues) {
      if (queue.name.starts_with("rx")) add(queue.cpus, "packets that " + nic->name + " received");
    }
  }
  const std::uint64_t all = sum(machine.net_rx_per_second);
  for (const auto& [cpu, count] : machine.net_rx_per_second) {
    if (count < kBusySoftirqs || count < all / kBusyPart) continue;
    add({cpu}, std::to_string(count) + " network softirqs a second");
  }
  return busy;
}

int nic_node(const base::Machine& machine) {
  const auto all = cards(machine);
  const auto near =
      std::find_if(all.begin(), all.end(), [](const base::Nic* nic) { return nic->node >= 0; });
  return near == all.end() ? -1 : (*near)->node;
}

}  // namespace placement
