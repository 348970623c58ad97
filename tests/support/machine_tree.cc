// SPDX-License-Identifier: Apache-2.0
#include "tests/support/machine_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <vector>

#include "base/cpu_list.h"
#include "base/text.h"

namespace support {
namespace {

using Words = std::vector<std::string>;

void put(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

std::string option(const Words& words, const std::string& name) {
  for (const std::string& word : words) {
    if (word.starts_with(name + "=")) return word.substr(name.size() + 1);
  }
  return "";
}

std::vector<int> list(const std::string& text) {
  const auto cpus = base::parse_cpu_list(text, base::kCpusMax);
  if (!cpus) throw std::runtime_error("no CPU list: " + text);
  return *cpus;
}

std::string rest_of(const Words& words, std::size_t from) {
  std::string text;
  for (std::size_t at = from; at < words.size(); ++at) {
    text += (at == from ? "" : " ") + words[at];
  }
  return text;
}

class Planter {
 public:
  explicit Planter(const std::string& root) : root_(root) {}

  void take(const Words& words) {
    if (words[0] == "model") {
      put(root_ + "/proc/device-tree/model", rest_of(words, 1) + std::string(1, '\0'));
    } else if (words[0] == "cpu") {
      for (const int cpu : list(words[1])) cpus_[cpu] = words;
    } else if (words[0] == "nic") {
      add_nic(words);
    } else if (words[0] == "irq") {
      interrupts_.push_back(words);
    } else if (words[0] == "queue") {
      put(root_ + "/sys/class/net/" + words[1] + "/queues/" + words[2] + "/rps_cpus",
          words[3] + "\n");
    } else if (words[0] == "file") {
      files_.push_back(words);
    } else {
      throw std::runtime_error("what is " + words[0]);
    }
  }

  void finish() {
    std::vector<int> numbers;
    for (const auto& [cpu, words] : cpus_) numbers.push_back(cpu);
    for (const char* name : {"online", "present", "possible"}) {
      put(cpu_folder() + name, base::format_cpu_list(numbers) + "\n");
    }
    put(cpu_folder() + "isolated", "\n");
    std::map<std::string, std::vector<int>> nodes;
    std::string info, last;
    for (const auto& [cpu, words] : cpus_) {
      add_cpu(cpu, words);
      if (const auto node = option(words, "node"); !node.empty()) nodes[node].push_back(cpu);
      info += "processor\t: " + std::to_string(cpu) + "\n";
      const std::string part = info_of(option(words, "part"));
      (words.back() == "info" ? last : info) += words.back() == "info" && !last.empty() ? "" : part;
      info += "\n";
    }
    put(root_ + "/proc/cpuinfo", info + last);
    for (const auto& [node, cpus] : nodes) {
      put(root_ + "/sys/devices/system/node/node" + node + "/cpulist",
          base::format_cpu_list(cpus) + "\n");
    }
    add_interrupts();
    // Last, so that a test can write over any of the others.
    for (const Words& file : files_) put(root_ + file[1], rest_of(file, 2) + "\n");
  }

 private:
  std::string cpu_folder() const { return root_ + "/sys/devices/system/cpu/"; }

  static std::string info_of(const std::string& part) {
    if (part.find(':') == std::string::npos) return "";
    return "CPU implementer\t: 0x" + part.substr(0, 2) + "\nCPU part\t: 0x" + part.substr(3) + "\n";
  }

  void add_cpu(int cpu, const Words& words) {
    const std::string folder = cpu_folder() + "cpu" + std::to_string(cpu);
    const auto value = [&](const char* name, const std::string& path) {
      const std::string text = option(words, name);
      if (!text.empty()) put(folder + path, text + "\n");
    };
    value("capacity", "/cpu_capacity");
    value("khz", "/cpufreq/cpuinfo_max_freq");
    value("khz", "/cpufreq/scaling_cur_freq");
    if (const auto part = option(words, "part"); part == "core" || part == "atom") {
      hybrid_[part].push_back(cpu);
      put(root_ + "/sys/devices/cpu_" + part + "/cpus",
          base::format_cpu_list(hybrid_[part]) + "\n");
    }
    std::vector<int> siblings{cpu};
    if (const auto smt = option(words, "smt"); smt == "pairs") {
      siblings = {cpu / 2 * 2, cpu / 2 * 2 + 1};
    } else if (smt.starts_with("+")) {
      const int half = std::stoi(smt);
      siblings = {cpu % half, cpu % half + half};
    }
    put(folder + "/topology/thread_siblings_list", base::format_cpu_list(siblings) + "\n");
    if (const auto text = option(words, "cache"); !text.empty()) {
      const int size = std::stoi(text), first = cpu / size * size;
      put(folder + "/cache/index3/level", "3\n");
      put(folder + "/cache/index3/shared_cpu_list",
          std::to_string(first) + "-" + std::to_string(first + size - 1) + "\n");
    }
  }

  void add_nic(const Words& words) {
    const std::string device = root_ + "/sys/devices/" + words[2];
    std::filesystem::create_directories(device);
    const std::string nic = device + "/net/" + words[1];
    put(nic + "/operstate", words.back() == "down" ? "down\n" : "up\n");
    if (const auto node = option(words, "node"); !node.empty())
      put(device + "/numa_node", node + "\n");
    std::filesystem::create_directories(root_ + "/sys/class/net");
    std::filesystem::create_symlink(std::filesystem::relative(device, nic), nic + "/device");
    std::filesystem::create_symlink(std::filesystem::relative(nic, root_ + "/sys/class/net"),
                                    root_ + "/sys/class/net/" + words[1]);
  }

  void add_interrupts() {
    std::string text = "    ";
    for (const auto& [cpu, words] : cpus_) text += "       CPU" + std::to_string(cpu);
    text += "\n";
    for (const Words& words : interrupts_) {
      std::map<int, std::string> counts;
      for (const auto part : base::split(words[3], ',')) {
        const auto colon = part.find(':');
        const auto at = part.substr(part.starts_with('@') ? 1 : 0, colon - part.starts_with('@'));
        counts[std::stoi(std::string(at))] = part.substr(colon + 1);
      }
      text += " " + words[1] + ":";
      for (const auto& [cpu, unused] : cpus_)
        text += " " + (counts.contains(cpu) ? counts[cpu] : "0");
      std::string name = words[2];
      std::replace(name.begin(), name.end(), '_', ' ');
      text += "  " + name + "\n";
      const std::string folder = root_ + "/proc/irq/" + words[1];
      if (const auto on = option(words, "on"); !on.empty()) {
        put(folder + "/effective_affinity_list", on + "\n");
      }
      if (const auto may = option(words, "may"); !may.empty()) {
        put(folder + "/smp_affinity_list", may + "\n");
      }
    }
    put(root_ + "/proc/interrupts", text + "ERR:          0\n");
  }

  const std::string root_;
  std::map<int, Words> cpus_;
  std::map<std::string, std::vector<int>> hybrid_;
  std::vector<Words> interrupts_, files_;
};

}  // namespace

void plant_machine(const std::string& root, std::string_view lines) {
  Planter planter(root);
  for (const auto line : base::split(lines, '\n')) {
    Words words;
    for (const auto word : base::split_words(line)) words.emplace_back(word);
    if (!words.empty()) planter.take(words);
  }
  planter.finish();
}

}  // namespace support
