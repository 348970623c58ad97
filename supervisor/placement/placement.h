// SPDX-License-Identifier: Apache-2.0
// run.cpus -> the CPUs the threads of a tunnel are bound to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace placement {

struct CpuChoice {
  std::vector<int> cpus;     // that exist, ascending; empty: not asked for, leave the affinity
  std::vector<int> missing;  // asked for and not there
};

// `text` is taskset's list, "all" or empty. A list of which no CPU exists is a Problem (no place).
base::Result<CpuChoice> choose_cpus(std::string_view text, int cpu_count);

}  // namespace placement
