// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/read_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <string_view>
#include <thread>
#include <vector>

#include "base/cpu_list.h"
#include "base/text.h"
#include "supervisor/host/interrupts.h"
#include "supervisor/host/read_nics.h"
#include "supervisor/host/tree_reader.h"

namespace host {
namespace {

constexpr std::int64_t kCapacityMax = 1024;    // SCHED_CAPACITY_SCALE
constexpr std::int64_t kKhzMax = 100'000'000;  // beyond it, it is no clock rate
constexpr std::int64_t kCountMax = std::int64_t{1} << 60;
constexpr std::int64_t kCacheLevelMax = 9;
constexpr const char* kCpuFolder = "/sys/devices/system/cpu/";
constexpr std::array kFeatures{"aes",    "vaes",    "pclmulqdq", "vpclmulqdq", "sha_ni",
                               "avx2",   "avx512f", "pmull",     "sha1",       "sha2",
                               "sha512", "neon",    "asimd"};

using Cpus = std::vector<int>;

bool has(const Cpus& cpus, int cpu) {
  return std::find(cpus.begin(), cpus.end(), cpu) != cpus.end();
}

// /proc/cpuinfo: blocks of "name : value", one a CPU; older kernels for ARM say at the end once
// what holds for all.
struct CpuInfo {
  Cpus cpus;
  std::map<int, std::string> parts;
  std::string part, model, hardware, flags;  // of the last, the first, any

  explicit CpuInfo(const std::string& text) {
    std::string implementer;
    int cpu = -1;
    for (const auto line : base::split(text, '\n')) {
      const auto colon = line.find(':');
      if (colon == std::string_view::npos) continue;
      const auto name = base::trim(line.substr(0, colon));
      const auto value = base::trim(line.substr(colon + 1));
      if (name == "processor") {
        cpu = base::parse_number<int>(value).value_or(-1);
        if (cpu >= 0 && cpu < base::kCpusMax) cpus.push_back(cpu);
      } else if (name == "CPU implementer" && value.starts_with("0x")) {
        implementer = value.substr(2);
      } else if (name == "CPU part" && value.starts_with("0x")) {
        part = implementer + ":" + std::string(value.substr(2));
        parts[cpu] = part;
      } else if ((name == "model name" || name == "Processor") && model.empty()) {
        model = value;
      } else if (name == "Hardware") {
        hardware = value;
      } else if ((name == "flags" || name == "Features") && flags.empty()) {
        flags = value;
      }
    }
  }

  std::string part_of(int cpu) const {
    const auto found = parts.find(cpu);
    // Once for all, at the end, or behind the last CPU alone.
    return found != parts.end() ? found->second : parts.size() == 1 ? part : "";
  }
};

class MachineReader {
 public:
  explicit MachineReader(const std::string& root)
      : tree_(root), info_(tree_.text("/proc/cpuinfo")) {}

  base::Machine read() {
    machine_.model = model();
    add_cpus();
    machine_.isolated = tree_.cpus(kCpuFolder + std::string("isolated"));
    machine_.allowed = allowed();
    machine_.nics = read_nics(tree_);
    for (const auto word : base::split_words(info_.flags)) {
      const bool known = std::find(kFeatures.begin(), kFeatures.end(), word) != kFeatures.end();
      if (known) machine_.features.emplace_back(word);
    }
    add_throttling();
    machine_.net_rx = parse_softirqs(tree_.text("/proc/softirqs"), "NET_RX");
    return std::move(machine_);
  }

 private:
  std::string model() const {
    std::string board = tree_.text("/proc/device-tree/model");
    if (!board.empty()) return board;
    return info_.model.empty() ? info_.hardware : info_.model;
  }

  void add_cpus() {
    Cpus online = tree_.cpus(kCpuFolder + std::string("online"));
    if (online.empty()) online = info_.cpus;
    std::sort(online.begin(), online.end());
    online.erase(std::unique(online.begin(), online.end()), online.end());
    const Cpus core = tree_.cpus("/sys/devices/cpu_core/cpus");  // Intel's, where it has both
    const Cpus atom = tree_.cpus("/sys/devices/cpu_atom/cpus");
    for (const int number : online) {
      base::Cpu cpu = read_cpu(number);
      cpu.part = has(core, number) ? "core" : has(atom, number) ? "atom" : info_.part_of(number);
      machine_.cpus.push_back(std::move(cpu));
    }
    for (const int cpu : tree_.cpus(kCpuFolder + std::string("present"))) {
      if (!has(online, cpu)) machine_.offline.push_back(cpu);
    }
    add_nodes();
  }

  base::Cpu read_cpu(int number) const {
    const std::string folder = fmt::format("{}cpu{}", kCpuFolder, number);
    base::Cpu cpu;
    cpu.number = number;
    if (const auto capacity = tree_.number(folder + "/cpu_capacity", 1, kCapacityMax)) {
      cpu.capacity = static_cast<int>(*capacity);
    }
    cpu.max_khz = tree_.number(folder + "/cpufreq/cpuinfo_max_freq", 1, kKhzMax);
    cpu.now_khz = tree_.number(folder + "/cpufreq/scaling_cur_freq", 1, kKhzMax);
    cpu.governor = tree_.text(folder + "/cpufreq/scaling_governor");
    cpu.rate_driver = tree_.text(folder + "/cpufreq/scaling_driver");
    cpu.siblings = with(tree_.cpus(folder + "/topology/thread_siblings_list"), number);
    cpu.cache = last_cache(folder + "/cache", number);
    return cpu;
  }

  // A group that does not hold the CPU itself is none.
  static Cpus with(Cpus group, int number) { return has(group, number) ? group : Cpus{number}; }

  Cpus last_cache(const std::string& folder, int number) const {
    std::int64_t highest = 0;
    Cpus sharers{number};
    for (const std::string& name : tree_.names(folder)) {
      if (!name.starts_with("index")) continue;
      const auto level = tree_.number(folder + "/" + name + "/level", 1, kCacheLevelMax);
      if (!level || *level < highest) continue;
      highest = *level;
      sharers = with(tree_.cpus(folder + "/" + name + "/shared_cpu_list"), number);
    }
    return sharers;
  }

  void add_nodes() {
    const std::string folder = "/sys/devices/system/node/";
    for (const std::string& name : tree_.names(folder)) {
      const auto node = name.starts_with("node")
                            ? base::parse_number<int>(std::string_view(name).substr(4))
                            : std::nullopt;
      if (!node || *node < 0) continue;
      const Cpus cpus = tree_.cpus(folder + name + "/cpulist");
      for (base::Cpu& cpu : machine_.cpus) {
        if (has(cpus, cpu.number)) cpu.node = *node;
      }
    }
  }

  // The cpuset of this process, and what the first process of this system or container was given;
  // not our own affinity, which is what shall be chosen.
  Cpus allowed() const {
    Cpus set = cpuset();
    Cpus first;
    const std::string status = tree_.text("/proc/1/status");
    for (const auto line : base::split(status, '\n')) {
      constexpr std::string_view kName = "Cpus_allowed_list:";
      if (!line.starts_with(kName)) continue;
      const auto list = base::parse_cpu_list(base::trim(line.substr(kName.size())), base::kCpusMax);
      if (list) first = *list;
    }
    if (set.empty()) return first;
    Cpus both;
    std::copy_if(set.begin(), set.end(), std::back_inserter(both),
                 [&first](int cpu) { return has(first, cpu); });
    return both.empty() ? set : both;
  }

  Cpus cpuset() const {
    const std::string groups = tree_.text("/proc/self/cgroup");
    for (const auto line : base::split(groups, '\n')) {
      const auto fields = base::split(line, ':');
      if (fields.size() < 3) continue;
      const auto controllers = base::split(fields[1], ',');
      const bool old =
          std::find(controllers.begin(), controllers.end(), "cpuset") != controllers.end();
      if (!old && !fields[1].empty()) continue;
      const auto cpus =
          old ? group_cpus("/sys/fs/cgroup/cpuset", fields[2], "/cpuset.effective_cpus")
              : group_cpus("/sys/fs/cgroup", fields[2], "/cpuset.cpus.effective");
      if (!cpus.empty()) return cpus;
    }
    return {};
  }

  // A group without the controller has the CPUs of the nearest one above that has it.
  Cpus group_cpus(const std::string& top, std::string_view group, const std::string& file) const {
    std::string path = group.find("..") == std::string_view::npos ? std::string(group) : "";
    while (true) {
      if (path == "/") path.clear();
      const Cpus cpus = tree_.cpus(top + path + file);
      if (!cpus.empty() || path.empty()) return cpus;
      path.resize(std::min(path.rfind('/'), path.size() - 1));
    }
  }

  void add_throttling() {
    const std::string folder = "/sys/class/thermal/";
    for (const std::string& name : tree_.names(folder)) {
      if (!name.starts_with("cooling_device")) continue;
      const std::string type = tree_.text(folder + name + "/type");
      const bool cpus = type.find("cpufreq") != std::string::npos || type == "Processor";
      const auto state = tree_.number(folder + name + "/cur_state", 1, kCountMax);
      if (!cpus || !state) continue;
      machine_.throttled.push_back(
          fmt::format("{} cools at step {} of {}", type, *state,
                      tree_.number(folder + name + "/max_state", 1, kCountMax).value_or(*state)));
    }
    std::int64_t times = 0;
    for (const base::Cpu& cpu : machine_.cpus) {
      times =
          std::max(times, tree_
                              .number(fmt::format("{}cpu{}/thermal_throttle/core_throttle_count",
                                                  kCpuFolder, cpu.number),
                                      0, kCountMax)
                              .value_or(0));
    }
    if (times > 0) {
      machine_.throttled.push_back(fmt::format("a core was too hot {} times since boot", times));
    }
  }

  const TreeReader tree_;
  const CpuInfo info_;
  base::Machine machine_;
};

}  // namespace

base::Machine read_machine(const std::string& root) { return MachineReader(root).read(); }

base::Machine watch_machine(base::Duration interval, const std::string& root) {
  const auto before = read_net_rx(root);
  const base::TimePoint begin = base::monotonic_now();
  base::Machine machine = read_machine(root);
  const base::Duration left = begin + interval - base::monotonic_now();
  if (left > base::Duration{}) std::this_thread::sleep_for(left);
  const auto passed =
      std::chrono::duration_cast<std::chrono::milliseconds>(base::monotonic_now() - begin);
  machine.net_rx_per_second = per_second(before, read_net_rx(root), passed.count());
  return machine;
}

std::map<int, std::uint64_t> read_net_rx(const std::string& root) {
  return parse_softirqs(TreeReader(root).text("/proc/softirqs"), "NET_RX");
}

std::map<int, std::uint64_t> per_second(const std::map<int, std::uint64_t>& before,
                                        const std::map<int, std::uint64_t>& after,
                                        std::int64_t milliseconds) {
  std::map<int, std::uint64_t> rates;
  if (milliseconds <= 0) return rates;
  for (const auto& [cpu, count] : after) {
    const auto old = before.find(cpu);
    const std::uint64_t was = old == before.end() ? 0 : old->second;
    const std::uint64_t more = count > was ? count - was : 0;
    rates[cpu] = more * 1000 / static_cast<std::uint64_t>(milliseconds);
  }
  return rates;
}

}  // namespace host
