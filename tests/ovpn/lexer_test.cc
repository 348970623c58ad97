// SPDX-License-Identifier: Apache-2.0
#include "ovpn/lexer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ovpn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> words_of(const std::string& line) {
  const LexResult result = lex_config("t", line);
  if (result.problems.size() == 1) return {"!" + result.problems[0].message};
  if (result.profile.directives.empty()) return {};
  const Directive& first = result.profile.directives.front();
  std::vector<std::string> words{first.name};
  words.insert(words.end(), first.args.begin(), first.args.end());
  return words;
}

// Each row was put before OpenVPN 2.6.14, which reads the same words.
TEST(LexConfig, SplitsWordsAsStockDoes) {
  EXPECT_THAT(words_of("echo a\\ foo x\n"), ElementsAre("echo", "a foo", "x"));
  EXPECT_THAT(words_of("echo a\"b c\n"), ElementsAre("echo", "a\"b", "c"));
  EXPECT_THAT(words_of("\"a\"b c\n"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(words_of("\"a\\\"b\"\n"), ElementsAre("a\"b"));
  EXPECT_THAT(words_of("'a \\b'c\n"), ElementsAre("a \\b", "c"));
  EXPECT_THAT(words_of("a;b c#d ;x\n"), ElementsAre("a;b", "c#d"));
  EXPECT_THAT(words_of("\\\\a\n"), ElementsAre("\\a"));
  EXPECT_THAT(words_of("\\ foo\n"), ElementsAre("foo"));
  EXPECT_THAT(words_of("echo \\#b\n"), ElementsAre("echo"));
  EXPECT_THAT(words_of("echo \"\" ''\n"), ElementsAre("echo", "", ""));
  EXPECT_THAT(words_of("  --verb\t3 # loud\r\n"), ElementsAre("verb", "3"));
  EXPECT_THAT(words_of("echo \"# no; comment\"\n"), ElementsAre("echo", "# no; comment"));
  EXPECT_THAT(words_of("verb 3"), ElementsAre("verb", "3"));
  EXPECT_THAT(words_of("# only a comment\n ; and one more\n\n"), IsEmpty());
  EXPECT_THAT(words_of("\xef\xbb\xbf"
                       "dev tun\n"),
              ElementsAre("dev", "tun"));
}

TEST(LexConfig, RefusesBadWords) {
  EXPECT_THAT(words_of("ca C:\\vpn\\ca.crt\n"), ElementsAre("!a single backslash"));
  EXPECT_THAT(words_of("echo \\'b\n"), ElementsAre("!a single backslash"));
  EXPECT_THAT(words_of("echo x\\"), ElementsAre("!a single backslash"));
  EXPECT_THAT(words_of("echo x\\\n"), ElementsAre("!a backslash at the end of the line"));
  EXPECT_THAT(words_of("echo \"x\n"), ElementsAre("!no closing quote (\") for this word"));
  EXPECT_THAT(words_of("echo 'x\n"), ElementsAre("!no closing quote (') for this word"));
  EXPECT_THAT(words_of("echo \"x\\"), ElementsAre("!a single backslash"));
  EXPECT_THAT(words_of("e 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"),
              ElementsAre("!more than 16 words on one line"));
  EXPECT_EQ(words_of("e 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 # 16\n").size(), 16u);
}

TEST(LexConfig, PlacesCountFromOne) {
  const LexResult result = lex_config("site.conf", "dev tun\n\n   proto 'udp\n\tverb 3\n");
  ASSERT_EQ(result.profile.directives.size(), 2u);
  EXPECT_EQ(result.profile.directives[0].place, (base::Place{"site.conf", 1, 1}));
  EXPECT_EQ(result.profile.directives[1].place, (base::Place{"site.conf", 4, 2}));
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_EQ(base::to_string(result.problems[0].place), "site.conf:3:10");
}

TEST(LexConfig, ReadsInlineBlocks) {
  const LexResult result = lex_config("t",
                                      "<secret>\r\n  a 'b\r\n# kept\r\n</secret> rest\r\n"
                                      "<ca> # why not\n" +
                                          std::string(300, 'x') + "\n\t</ca>");
  ASSERT_THAT(result.problems, IsEmpty());
  ASSERT_EQ(result.profile.directives.size(), 2u);
  EXPECT_EQ(result.profile.directives[0].name, "secret");
  EXPECT_EQ(result.profile.directives[0].body, "  a 'b\n# kept\n");
  EXPECT_EQ(result.profile.directives[1].body, std::string(300, 'x') + "\n");
  EXPECT_EQ(result.profile.directives[1].place.line, 5u);
}

TEST(LexConfig, RefusesBlocksThatDoNotPair) {
  const LexResult open = lex_config("t", "verb 1\n <ca>\nx\n x </ca>\n");
  ASSERT_EQ(open.problems.size(), 1u);
  EXPECT_EQ(base::to_string(open.problems[0]),
            "t:2:2: the block <ca> is never closed; write </ca> on a line of its own after it");
  const LexResult closing = lex_config("t", "</ca>\n");
  ASSERT_EQ(closing.problems.size(), 1u);
  EXPECT_THAT(closing.problems[0].message, HasSubstr("without an opening one"));
  // Two words are no block; the directive table will not know the name.
  EXPECT_EQ(lex_config("t", "<ca> x\n").profile.directives[0].name, "<ca>");
}

TEST(LexConfig, CountsLineBytesAsStockDoes) {
  EXPECT_THAT(lex_config("t", "#" + std::string(253, 'x') + "\n").problems, IsEmpty());
  EXPECT_THAT(lex_config("t", "#" + std::string(254, 'x')).problems, IsEmpty());
  EXPECT_EQ(lex_config("t", "#" + std::string(254, 'x') + "\n").problems.size(), 1u);
  EXPECT_EQ(lex_config("t", "#" + std::string(255, 'x')).problems.size(), 1u);
  std::string macintosh;
  for (int i = 0; i < 60; ++i) macintosh += "verb 3\r";
  const LexResult result = lex_config("t", macintosh);
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_THAT(result.problems[0].remedy, HasSubstr("bare CR"));
}

TEST(LexConfig, NamesWhatIsNoConfig) {
  using std::string_literals::operator""s;
  const auto first = [](const std::string& text) {
    const LexResult result = lex_config("t", text);
    return result.problems.empty() ? "" : base::to_string(result.problems[0]);
  };
  EXPECT_THAT(first("verb 3\ndev t\0n\n"s), HasSubstr("t:2: the text holds a NUL byte"));
  EXPECT_THAT(first("\xff\xfev\0e\0"s), HasSubstr("UTF-16"));
  EXPECT_THAT(first("\xfe\xff\0v\0e"s), HasSubstr("UTF-16"));
  EXPECT_THAT(first("../providers/nl.ovpn"), HasSubstr("only the name of another file"));
  EXPECT_THAT(first("verb 3\n<<<<<<< HEAD\n"), HasSubstr("t:2:1: this is a git conflict marker"));
  EXPECT_THAT(first("<ca>\n=======\n</ca>\n"), HasSubstr("conflict marker inside <ca>"));
  EXPECT_THAT(first("\n<!DOCTYPE html>\n<html>\n"), HasSubstr("t:1:1: the text is a web page"));
  EXPECT_THAT(first("<HTML><body></body></HTML>"), HasSubstr("the text is a web page"));
  EXPECT_EQ(first("wPNSDj+hkA1Y7Y6VCUwFhQh8Y4hZ4hOlT2nEwZr3yEo=\n"), "") << "a key is not repeated";
  EXPECT_EQ(first("client\n"), "");
  EXPECT_EQ(first(""), "");
}

TEST(LexArguments, SplitsAtDashes) {
  const std::vector<std::string> arguments{"a.conf", "--verb", "3", "--route", "10.0.0.0", "-1"};
  const LexResult result = lex_arguments(arguments);
  EXPECT_THAT(result.problems, IsEmpty());
  ASSERT_EQ(result.profile.directives.size(), 3u);
  EXPECT_EQ(result.profile.arg("config"), "a.conf");
  EXPECT_EQ(result.profile.arg("verb"), "3");
  EXPECT_THAT(result.profile.directives[2].args, ElementsAre("10.0.0.0", "-1"));
  const std::vector<std::string> dashes{"--verb", "--"};
  EXPECT_EQ(lex_arguments(dashes).problems.size(), 1u);
}

TEST(FormatDirective, LexesBackToTheSame) {
  const std::vector<Directive> rows{
      {"echo", {"", "a b", "it's", "'q'", "#c", ";c", "c#", "\\", "\"", "t\tt"}, {}, {}},
      {"--x", {}, {}, {}},
      {"secret", {}, "line\n  two\n", {}},
      {"ca", {}, "", {}},
  };
  for (const Directive& row : rows) {
    const std::string text = format_directive(row);
    LexResult result = lex_config("", text);
    ASSERT_THAT(result.problems, IsEmpty()) << text;
    ASSERT_EQ(result.profile.directives.size(), 1u) << text;
    result.profile.directives[0].place = {};
    EXPECT_EQ(result.profile.directives[0], row) << text;
  }
}

TEST(LexConfig, SurvivesTruncationAnywhere) {
  const std::string text = "dev tun # x\n<secret>\nab\n</secret>\necho \"a\\\" b\" 'c'\n";
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const LexResult result = lex_config("t", text.substr(0, length));
    EXPECT_LE(result.profile.directives.size(), 3u);
    EXPECT_LE(result.problems.size(), 1u);
  }
}

}  // namespace
}  // namespace ovpn
