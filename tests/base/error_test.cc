// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(Problem, PrintsOnlyThePartsThatAreKnown) {
  EXPECT_EQ(to_string(Problem{{"a.toml", 3, 7}, "no", "write yes"}), "a.toml:3:7: no; write yes");
  EXPECT_EQ(to_string(Problem{{"a.toml", 3, 0}, "no", {}}), "a.toml:3: no");
  EXPECT_EQ(to_string(Problem{{}, "no", {}}), "no");
}

TEST(Result, HoldsOneOrTheOther) {
  Result<int> good(7);
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(*good, 7);
  const Result<int> bad(Problem{{}, "why", {}});
  EXPECT_FALSE(bad);
  EXPECT_EQ(bad.error().message, "why");
  EXPECT_DEATH(static_cast<void>(bad.value()), "");
}

}  // namespace
}  // namespace base
