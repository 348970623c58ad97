// SPDX-License-Identifier: Apache-2.0
// The kinds of cores that a machine has, fastest first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/machine.h"

namespace placement {

struct CoreClass {
  std::vector<int> cpus;  // ascending
  std::string name;       // "Cortex-A73", "P-core"; empty: not known
  double speed = 0;       // against the other classes; 0: not known

  friend bool operator==(const CoreClass&, const CoreClass&) = default;
};

struct CoreClasses {
  std::vector<CoreClass> classes;  // at least one if there is a CPU
  std::string_view source;  // what told them apart: "cpu_capacity", "clock rate", "kind of core"...
};

// Of the CPUs that are online. By cpu_capacity where that tells CPUs apart, else by clock rates,
// which count for what a core of its kind does in a cycle, else by the kind alone.
CoreClasses core_classes(const base::Machine& machine);

std::string core_name(std::string_view part);  // of base::Cpu::part; empty: not known

}  // namespace placement
