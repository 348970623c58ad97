// SPDX-License-Identifier: Apache-2.0
#include "supervisor/site/plain_text.h"

#include <gtest/gtest.h>

#include "supervisor/site/site.h"

namespace site {
namespace {

TEST(PlainText, KnowsWhereStringsAndCommentsEnd) {
  const struct {
    const char* toml;
    std::size_t line, column;  // 0: nothing foreign
  } rows[] = {
      {"\xef\xbb\xbf# a", 0, 0},
      {"# ä\na = 'ä' # ä", 0, 0},
      {R"(a = "\"ä")", 0, 0},
      {"a = \"\"\"\nä\n\"\"\" # ä", 0, 0},
      {"a = '''\nä\n''' ä", 3, 5},
      {"a = \"x\nä", 2, 1},
      {"ä", 1, 1},
      {"a = \"ä\"ä", 1, 8},
      {R"(a = '\' ä)", 1, 9},
  };
  for (const auto& row : rows) {
    const auto found = find_foreign_character(row.toml);
    ASSERT_EQ(found.has_value(), row.line > 0) << row.toml;
    if (!found) continue;
    EXPECT_EQ(found->line, row.line) << row.toml;
    EXPECT_EQ(found->column, row.column) << row.toml;
  }
}

TEST(PlainText, IsToldOfASiteFile) {
  const auto reading = read_site("a", "a.toml", "remote = \"ä\" # ü\nlocal = “10.0.0.1”\n");
  ASSERT_EQ(reading.problems.size(), 1u);
  EXPECT_EQ(base::to_string(reading.problems[0]),
            "a.toml:2:9: a character beyond ASCII outside of quotes; write plain quotes (\") and "
            "blanks here; text in quotes may hold any");
}

TEST(PlainText, ATableWithoutANameIsAnErrorAndNoAbort) {
  const auto reading = read_site("a", "a.toml", "[=1\n");
  ASSERT_EQ(reading.problems.size(), 1u);
  EXPECT_EQ(base::to_string(reading.problems[0].place), "a.toml:1:2");
}

}  // namespace
}  // namespace site
