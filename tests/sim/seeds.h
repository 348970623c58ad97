// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace sim {

// Runs `body(seed)` for every seed of this run: the one in TUNCTL_SIM_SEED, or the TUNCTL_SIM_COUNT
// ones from TUNCTL_SIM_FIRST on, or `usual` many, or with TUNCTL_NIGHTLY set `nightly` many. Stops
// at the first that fails and says how to run it again.
template <typename Body>
void for_each_seed(std::uint64_t usual, std::uint64_t nightly, Body body) {
  std::uint64_t first = 0, count = std::getenv("TUNCTL_NIGHTLY") != nullptr ? nightly : usual;
  const char* from = std::getenv("TUNCTL_SIM_FIRST");
  const char* many = std::getenv("TUNCTL_SIM_COUNT");
  if (from != nullptr && many != nullptr) {
    first = std::stoull(from);
    count = std::stoull(many);
  }
  if (const char* one = std::getenv("TUNCTL_SIM_SEED")) {
    first = std::stoull(one);
    count = 1;
  }
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    body(seed);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "failing seed " << seed << "; again with TUNCTL_SIM_SEED=" << seed;
      return;
    }
  }
}

}  // namespace sim
