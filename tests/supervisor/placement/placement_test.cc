// SPDX-License-Identifier: Apache-2.0
#include "supervisor/placement/placement.h"

#include <gtest/gtest.h>

namespace placement {
namespace {

TEST(Placement, ResolvesListsAgainstTheMachine) {
  const struct {
    const char* text;
    int count;
    std::vector<int> cpus, missing;
  } rows[] = {
      {"", 4, {}, {}},
      {"all", 3, {0, 1, 2}, {}},
      {"2-5", 8, {2, 3, 4, 5}, {}},
      {"0,3-", 5, {0, 3, 4}, {}},
      {"2-5", 4, {2, 3}, {4, 5}},
      {"0-6:3", 8, {0, 3, 6}, {}},
  };
  for (const auto& row : rows) {
    const auto choice = choose_cpus(row.text, row.count);
    ASSERT_TRUE(choice) << row.text;
    EXPECT_EQ(choice->cpus, row.cpus) << row.text;
    EXPECT_EQ(choice->missing, row.missing) << row.text;
  }
}

TEST(Placement, RefusesAListWithoutACpuThatExists) {
  EXPECT_EQ(base::to_string(choose_cpus("4-7", 4).error()),
            "no CPU of '4-7' exists; this machine has CPUs 0-3");
  EXPECT_EQ(base::to_string(choose_cpus("1", 1).error()),
            "no CPU of '1' exists; this machine has only CPU 0");
  EXPECT_FALSE(choose_cpus("x", 4));
}

}  // namespace
}  // namespace placement
