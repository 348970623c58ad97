// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace base {
namespace {

using Words = std::vector<std::string_view>;

TEST(Text, SplitsAndTrims) {
  EXPECT_EQ(split("a,,b,", ','), (Words{"a", "", "b", ""}));
  EXPECT_EQ(split_words("  a \t b\r\n"), (Words{"a", "b"}));
  EXPECT_EQ(split_words(" \t"), Words{});
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim("  "), "");
}

TEST(Text, NumbersAreWholeOrNothing) {
  EXPECT_EQ(parse_number<int>("42"), 42);
  EXPECT_EQ(parse_number<unsigned>("-1"), std::nullopt);
  EXPECT_EQ(parse_number<int>("4x"), std::nullopt);
  EXPECT_EQ(parse_number<int>(" 4"), std::nullopt);
  EXPECT_EQ(parse_number<std::uint16_t>("65536"), std::nullopt);
}

TEST(Text, NearestOnlyWhenNear) {
  const std::string_view names[] = {"cpus", "engine", "threads", "ready"};
  EXPECT_EQ(nearest("cpu", names), "cpus");
  EXPECT_EQ(nearest("engin", names), "engine");
  EXPECT_EQ(nearest("thread", names), "threads");
  EXPECT_EQ(nearest("remote", names), std::nullopt);
}

}  // namespace
}  // namespace base
