// SPDX-License-Identifier: Apache-2.0
#include "supervisor/placement/placement.h"

#include <numeric>

#include "base/cpu_list.h"

namespace placement {

base::Result<CpuChoice> choose_cpus(std::string_view text, int cpu_count) {
  CpuChoice choice;
  if (text.empty()) return choice;
  if (text == "all") {
    choice.cpus.resize(static_cast<std::size_t>(cpu_count));
    std::iota(choice.cpus.begin(), choice.cpus.end(), 0);
    return choice;
  }
  const auto asked = base::parse_cpu_list(text, cpu_count);
  if (!asked) return asked.error();
  for (const int cpu : *asked) (cpu < cpu_count ? choice.cpus : choice.missing).push_back(cpu);
  if (choice.cpus.empty()) {
    const std::string last = std::to_string(cpu_count - 1);
    return base::Problem{{},
                         "no CPU of '" + std::string(text) + "' exists",
                         cpu_count == 1 ? std::string("this machine has only CPU 0")
                                        : "this machine has CPUs 0-" + last};
  }
  return choice;
}

}  // namespace placement
