// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "base/error.h"
#include "base/log.h"

namespace base {
namespace {

TEST(Printable, LeavesTextsAsTheyAre) {
  for (const std::string_view text :
       {"", "plain ~ text", "a\tb\nc", "Zürich, Ελλάδα, 東京, 🔒", "\xc2\xa0", "\\x1b"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, EscapesWhatATerminalObeys) {
  const struct {
    std::string_view bytes;
    std::string_view shown;
  } rows[] = {
      {"\x1b[2K\x1b[1A", "\\x1b[2K\\x1b[1A"},  // wipes this line, and goes one up
      {"a\rb", "a\\x0db"},
      {"\x07\x08\x7f", "\\x07\\x08\\x7f"},
      {std::string_view("\0", 1), "\\x00"},
      {"\xc2\x9b"
       "2K",
       "\\xc2\\x9b2K"},  // CSI as UTF-8
      {"\x9b"
       "2K",
       "\\x9b2K"},  // and as a byte
      {"\xe2\x80\xae"
       "cod.exe",
       "\\xe2\\x80\\xaecod.exe"},           // right to left
      {"\xe2\x80\xa8", "\\xe2\\x80\\xa8"},  // a line separator
      {"\xc0\x9b", "\\xc0\\x9b"},           // an overlong form
      {"\xe0\x82\x9b", "\\xe0\\x82\\x9b"},
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // half a surrogate pair
      {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},  // beyond Unicode
      {"\xc3", "\\xc3"},                             // cut off
      {"\xe2\x82", "\\xe2\\x82"},
  };
  for (const auto& row : rows) EXPECT_EQ(printable(row.bytes), row.shown);
}

TEST(Printable, ALineHasNoBreakInIt) { EXPECT_EQ(printable_line("a\n<0>b\tc"), "a\\x0a<0>b\tc"); }

TEST(Printable, ALoggableTextIsBounded) {
  EXPECT_EQ(loggable("short \x1b"), "short \\x1b");
  EXPECT_EQ(loggable(std::string(256, 'a')), std::string(256, 'a'));
  EXPECT_EQ(loggable(std::string(257, 'a')), std::string(256, 'a') + "...");
  EXPECT_EQ(loggable(std::string(1000, '\x1b')).size(), 259u);
  EXPECT_EQ(loggable(std::string(255, 'a') + "ü"), std::string(255, 'a') + "...");
}

TEST(Printable, ProblemsAre) {
  const Problem problem{{"a\x1b.conf", 3, 1}, "no '\x1b[8m'", "write\x7f"};
  EXPECT_EQ(to_string(problem), "a\\x1b.conf:3:1: no '\\x1b[8m'; write\\x7f");
}

TEST(Printable, LogLinesAre) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  fd_sink(ends[1], true)(LogLevel::kError, "a\x1b[2J\n<0>forged");
  std::array<char, 64> bytes{};
  const ssize_t size = ::read(ends[0], bytes.data(), bytes.size());
  ::close(ends[0]);
  ::close(ends[1]);
  ASSERT_GT(size, 0);
  EXPECT_EQ(std::string_view(bytes.data(), static_cast<std::size_t>(size)),
            "<3>a\\x1b[2J\\x0a<0>forged\n");
}

}  // namespace
}  // namespace base
