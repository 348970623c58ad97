// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include "base/problem_list.h"

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

TEST(Shortened, SaysHowManyAreLeftOut) {
  const Problems three{{{"f", 1, 0}, "a", ""}, {{"f", 2, 0}, "b", ""}, {{"f", 3, 0}, "c", ""}};
  EXPECT_EQ(shortened(three, 3), three);
  const Problems two = shortened(three, 1);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(to_string(two[1]), "f: and 2 other problems; is this the right file?");
  const Problems many(kProblemsMax, three[0]);
  EXPECT_EQ(to_string(shortened(many).back()),
            "f: and 980 or more other problems; is this the right file?");
}

}  // namespace
}  // namespace base
