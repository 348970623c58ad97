// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/read_nics.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "supervisor/host/interrupts.h"

namespace host {
namespace {

constexpr int kNodesMax = 1024;
constexpr const char* kNet = "/sys/class/net/";

bool is_usb_bus(std::string_view name) {
  return name.starts_with("usb") && base::parse_number<int>(name.substr(3)).has_value();
}

// What drivers call their interrupts after.
std::vector<std::string> interrupt_names(const TreeReader& tree, const std::string& interface) {
  std::vector<std::string> names{interface};
  const std::string device = tree.real(kNet + interface + "/device");
  const auto folders = base::split(device, '/');
  const auto bus = std::find_if(folders.begin(), folders.end(), is_usb_bus);
  if (bus != folders.end()) {
    names.emplace_back(*bus);
  } else if (!device.empty()) {
    names.emplace_back(folders.back());
  }
  return names;
}

void add_queues(const TreeReader& tree, base::Nic& nic) {
  const std::string folder = kNet + nic.name + "/queues";
  for (const std::string& queue : tree.names(folder)) {
    const bool rx = queue.starts_with("rx-");
    if (!rx && !queue.starts_with("tx-")) continue;
    nic.queues.push_back(
        {queue, tree.mask(folder + "/" + queue + (rx ? "/rps_cpus" : "/xps_cpus"))});
  }
  // "rx-2" before "rx-10".
  std::stable_sort(nic.queues.begin(), nic.queues.end(), [](const auto& a, const auto& b) {
    return std::pair(a.name[0], a.name.size()) < std::pair(b.name[0], b.name.size());
  });
}

}  // namespace

std::vector<base::Nic> read_nics(const TreeReader& tree) {
  std::vector<base::Nic> nics;
  const auto interrupts = parse_interrupts(tree.text("/proc/interrupts"));
  for (const std::string& name : tree.names("/sys/class/net")) {
    if (!tree.exists(kNet + name + "/device")) continue;
    base::Nic nic;
    nic.name = name;
    nic.up = tree.text(kNet + name + "/operstate") == "up";
    nic.node =
        static_cast<int>(tree.number(kNet + name + "/device/numa_node", 0, kNodesMax).value_or(-1));
    const auto names = interrupt_names(tree, name);
    for (const base::Interrupt& interrupt : interrupts) {
      if (std::none_of(names.begin(), names.end(), [&](const std::string& one) {
            return names_device(interrupt.words, one);
          })) {
        continue;
      }
      const std::string folder = "/proc/irq/" + std::to_string(interrupt.number);
      nic.interrupts.push_back(interrupt);
      nic.interrupts.back().allowed = tree.cpus(folder + "/smp_affinity_list");
      nic.interrupts.back().effective = tree.cpus(folder + "/effective_affinity_list");
    }
    add_queues(tree, nic);
    nics.push_back(std::move(nic));
  }
  return nics;
}

}  // namespace host
