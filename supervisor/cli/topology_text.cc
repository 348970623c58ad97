// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/cpu_list.h"
#include "base/printable.h"
#include "base/text.h"
#include "supervisor/cli/table.h"
#include "supervisor/cli/topology.h"
#include "supervisor/placement/nic_cpus.h"

namespace cli {
namespace {

constexpr std::size_t kLabel = 12;
constexpr double kBitsPerByte = 8;
constexpr double kMega = 1e6;
constexpr double kKhzPerGhz = 1e6;

std::string labelled(std::string_view label, std::string_view text) {
  return wrapped(fmt::format("{:<{}} ", label, kLabel), text, kLabel + 1);
}

template <typename Of>
std::string common_value(const Topology& topology, const placement::CoreClass& kind, const Of& of) {
  std::set<std::string> values;
  for (const base::Cpu& cpu : topology.machine.cpus) {
    if (std::find(kind.cpus.begin(), kind.cpus.end(), cpu.number) != kind.cpus.end()) {
      values.insert(of(cpu));
    }
  }
  return values.size() == 1 ? *values.begin() : "";
}

std::string head_of(const Topology& topology, const placement::CoreClass& kind) {
  std::string text = kind.name.empty() ? fmt::format("{} CPU{}", kind.cpus.size(),
                                                     kind.cpus.size() == 1 ? "" : "s")
                                       : fmt::format("{} x {}", kind.cpus.size(), kind.name);
  const std::string clock = common_value(topology, kind, [](const base::Cpu& cpu) {
    return cpu.max_khz
               ? fmt::format("up to {:.2f} GHz", static_cast<double>(*cpu.max_khz) / kKhzPerGhz)
               : std::string();
  });
  const std::string governor =
      common_value(topology, kind, [](const base::Cpu& cpu) { return cpu.governor; });
  if (!clock.empty()) text += ", " + clock;
  if (!governor.empty()) text += ", governor " + governor;
  const auto& kinds = topology.kinds;
  if (kind.speed < kinds.classes.front().speed) {
    text += fmt::format(", {:.0f} % of the fastest by {}",
                        100 * kind.speed / kinds.classes.front().speed, kinds.source);
  }
  return wrapped("", text, 2);
}

std::string list_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// Groups of CPUs that share something, each once: "0-3, 4-7". Empty: nothing is shared.
template <typename Of>
std::string groups(const base::Machine& machine, const Of& of) {
  std::vector<std::string> lists;
  bool shared = false;
  for (const base::Cpu& cpu : machine.cpus) {
    const std::string list = base::format_cpu_list(of(cpu));
    shared = shared || of(cpu).size() > 1;
    if (std::find(lists.begin(), lists.end(), list) == lists.end()) lists.push_back(list);
  }
  return shared ? list_of(lists) : "";
}

std::string nodes(const base::Machine& machine) {
  std::map<int, std::vector<int>> found;
  for (const base::Cpu& cpu : machine.cpus) found[cpu.node].push_back(cpu.number);
  if (found.size() < 2) return "";
  std::vector<std::string> words;
  for (const auto& [node, cpus] : found) {
    words.push_back(fmt::format("{} has {}", node, base::format_cpu_list(cpus)));
  }
  return list_of(words);
}

std::string facts(const Topology& topology) {
  const base::Machine& machine = topology.machine;
  std::string text;
  const auto say = [&text](std::string_view label, const std::string& words) {
    if (!words.empty()) text += labelled(label, words);
  };
  say("Caches", groups(machine, [](const base::Cpu& cpu) { return cpu.cache; }));
  say("Memory", nodes(machine));
  say("Offline", base::format_cpu_list(machine.offline));
  say("Isolated", base::format_cpu_list(machine.isolated));
  if (!machine.allowed.empty() && machine.allowed.size() < machine.cpus.size()) {
    say("Cpuset", base::format_cpu_list(machine.allowed));
  }
  say("Throttled", list_of(machine.throttled));
  say("Instructions", list_of(machine.features));
  return text;
}

std::string nic_words(const base::Nic& nic) {
  std::string text = nic.up ? "up" : "not up";
  std::set<int> cpus;
  for (const auto& interrupt : nic.interrupts) {
    const auto on = placement::delivered_to(interrupt);
    if (!interrupt.counts.empty()) cpus.insert(on.begin(), on.end());
  }
  if (nic.interrupts.empty()) {
    text += "; its interrupts are not known";
  } else {
    text += fmt::format("; {} interrupt{}, on CPU {}", nic.interrupts.size(),
                        nic.interrupts.size() == 1 ? "" : "s",
                        cpus.empty() ? "?" : base::format_cpu_list({cpus.begin(), cpus.end()}));
  }
  for (const base::NicQueue& queue : nic.queues) {
    if (queue.cpus.empty()) continue;
    text += fmt::format("; {} {} CPU {}", queue.name,
                        queue.name.starts_with("rx") ? "is handed to" : "is filled by",
                        base::format_cpu_list(queue.cpus));
  }
  return text;
}

std::string softirq_words(const base::Machine& machine) {
  std::vector<std::string> words;
  for (const auto& [cpu, rate] : machine.net_rx_per_second) {
    if (rate > 0) words.push_back(fmt::format("{} a second on CPU {}", rate, cpu));
  }
  if (!machine.net_rx_per_second.empty() && words.empty()) return "none now";
  return list_of(words);
}

std::string speed_table(const Topology& topology) {
  std::vector<std::vector<std::string>> rows{{"CIPHER", "CPU", "64 B", "1400 B", "8192 B"}};
  for (const pki::CipherSpeed& speed : topology.speeds) {
    const auto& task = speed.task;
    std::vector<std::string> row{task.cipher + (task.auth.empty() ? "" : " + " + task.auth),
                                 std::to_string(speed.cpu)};
    for (std::size_t at = 0; at < pki::kSpeedSizes.size(); ++at) {
      row.push_back(!speed.bytes_per_second ? "-"
                                            : fmt::format("{:.0f}", (*speed.bytes_per_second)[at] *
                                                                        kBitsPerByte / kMega));
    }
    rows.push_back(std::move(row));
  }
  return rows.size() < 2
             ? ""
             : "Encrypted on one CPU, in Mbit/s, by size of packet:\n" + format_table(rows);
}

}  // namespace

std::string topology_text(const Topology& topology) {
  const base::Machine& machine = topology.machine;
  std::string text = wrapped("", machine.model.empty() ? "This machine" : machine.model, 2);
  for (const placement::CoreClass& kind : topology.kinds.classes) {
    text += "\n" + head_of(topology, kind) + core_picture(topology, kind);
  }
  const std::string all = facts(topology);
  if (!all.empty()) text += "\n" + all;
  std::string network;
  for (const base::Nic& nic : machine.nics) {
    network += labelled(nic.name, nic_words(nic));
  }
  const std::string softirqs = softirq_words(machine);
  if (!softirqs.empty()) network += labelled("Softirqs", softirqs);
  if (!network.empty()) text += "\n" + network;
  const std::string speeds = speed_table(topology);
  if (!speeds.empty()) text += "\n" + speeds;
  text += "\nOne more tunnel with cpus = \"auto\" would be placed so:\n";
  for (const std::string& reason : topology.choice.reasons) text += wrapped("  ", reason, 4);
  return text;
}

}  // namespace cli
