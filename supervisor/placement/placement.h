// SPDX-License-Identifier: Apache-2.0
// run.cpus -> the CPUs the threads of a tunnel are bound to, and why.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/machine.h"

namespace placement {

struct CpuChoice {
  std::vector<int> cpus;             // that exist, ascending; empty: leave the affinity
  std::vector<int> missing;          // asked for and not there
  std::vector<std::string> reasons;  // of a word's choice, a sentence each; the first says it all
};

// `text` is taskset's list, "all" or empty. A list of which no CPU exists is a Problem (no place).
base::Result<CpuChoice> choose_cpus(std::string_view text, int cpu_count);

struct Wish {
  std::string_view word;  // of site::is_cpus_word()
  int threads = 0;        // run.threads; 0: auto
};

// Where another tunnel's engine runs.
struct Neighbour {
  std::string site;
  std::vector<int> cpus;  // ascending; its busiest thread has the first. Empty: anywhere
};

// Never fails: where there is nothing to choose the affinity is left, and the reasons say so. The
// same for the same arguments, whatever order the neighbours have.
CpuChoice decide(const Wish& wish, const base::Machine& machine,
                 const std::vector<Neighbour>& neighbours);

}  // namespace placement
