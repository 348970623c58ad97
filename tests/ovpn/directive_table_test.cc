// SPDX-License-Identifier: Apache-2.0
#include "ovpn/directive_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ovpn/lexer.h"

namespace ovpn {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TableCheck check(const std::string& text) {
  const LexResult lexed = lex_config("t", text);
  EXPECT_THAT(lexed.problems, IsEmpty()) << text;
  return check_directives(lexed.profile);
}

std::string only_problem(const std::string& text) {
  const TableCheck result = check(text);
  return result.problems.size() == 1 ? base::to_string(result.problems[0])
                                     : std::to_string(result.problems.size()) + " problems";
}

TEST(DirectiveTable, IsSortedAndWhole) {
  const auto rows = directive_table();
  EXPECT_EQ(rows.size(), 327u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_LE(rows[i].args_min, rows[i].args_max) << rows[i].name;
    EXPECT_LE(rows[i].stock_since, rows[i].stock_until) << rows[i].name;
    EXPECT_TRUE(i == 0 || rows[i - 1].name < rows[i].name) << rows[i].name;
    EXPECT_EQ(find_row(rows[i].name), &rows[i]);
    const bool needs_note =
        rows[i].native == NativeUse::kRefused || rows[i].native == NativeUse::kRemoved;
    EXPECT_TRUE(!needs_note || !rows[i].note.empty()) << rows[i].name;
  }
  EXPECT_EQ(find_row("no-such"), nullptr);
}

TEST(DirectiveTable, KnowsWhichReleaseTakesWhat) {
  EXPECT_TRUE(find_row("no-replay")->stock_takes(6));
  EXPECT_FALSE(find_row("no-replay")->stock_takes(7));
  EXPECT_FALSE(find_row("allow-deprecated-insecure-static-crypto")->stock_takes(6));
  EXPECT_TRUE(find_row("allow-deprecated-insecure-static-crypto")->stock_takes(7));
  EXPECT_FALSE(find_row("providers")->stock_takes(5));
  EXPECT_FALSE(find_row("block-outside-dns")->stock_takes(6));
}

TEST(CheckDirectives, TellsUnknownNames) {
  EXPECT_EQ(only_problem("verb 3\nremot 10.0.0.1\n"),
            "t:2:1: unknown directive 'remot'; did you mean 'remote'?");
  EXPECT_EQ(
      only_problem("ifconfig_pool_persist x\n"),
      "t:1:1: unknown directive 'ifconfig_pool_persist'; did you mean 'ifconfig-pool-persist'?");
  EXPECT_EQ(only_problem("zzzzzzzz\n"),
            "t:1:1: unknown directive 'zzzzzzzz'; no OpenVPN from 2.4 to 2.7 has it; remove the "
            "line, or see openvpn(8)");
}

TEST(CheckDirectives, RepeatsNoKey) {
  const std::string line = "0123456789abcdef0123456789abcdef\n";
  EXPECT_EQ(only_problem("dev tun\n-----BEGIN OpenVPN Static key V1-----\n" + line + line +
                         "-----END OpenVPN Static key V1-----\nverb 3\n"),
            "t:2:1: this is a key, not a directive; write a key between <secret> and </secret>, or "
            "'secret FILE'");
  // A PEM body's last line is short.
  for (const std::string& pem : {line + "QmFzZTY0\n", line + line}) {
    EXPECT_EQ(only_problem(pem).find("this is a key"), 7u) << only_problem(pem);
  }
}

TEST(CheckDirectives, CountsArguments) {
  EXPECT_EQ(only_problem("remote\n"), "t:1:1: 'remote' takes 1 to 3 arguments, not 0");
  EXPECT_EQ(only_problem("nobind yes\n"), "t:1:1: 'nobind' takes no argument, not 1");
  EXPECT_EQ(only_problem("dev\n"), "t:1:1: 'dev' takes 1 argument, not 0");
  EXPECT_THAT(only_problem("up /bin/a b\n"), HasSubstr("one pair of quotes"));
  EXPECT_THAT(only_problem("remote <put the address of it here> 1194\n"), HasSubstr("template"));
  EXPECT_EQ(only_problem("verb 3 # three\n"), "0 problems");
}

TEST(CheckDirectives, TellsWhatIsGone) {
  EXPECT_EQ(only_problem("tls-remote x\n"),
            "t:1:1: 'tls-remote' is no directive of today's OpenVPN; write 'verify-x509-name NAME "
            "name'");
  const TableCheck keysize = check("keysize 256\nblock-outside-dns\n");
  EXPECT_THAT(keysize.problems, IsEmpty());
  EXPECT_EQ(keysize.warnings.size(), 2u);
}

TEST(CheckDirectives, KnowsBlocks) {
  EXPECT_EQ(only_problem("<secret>\nx\n</secret>\n"), "0 problems");
  EXPECT_THAT(only_problem("<remote>\nx\n</remote>\n"), HasSubstr("cannot be a block"));
  EXPECT_THAT(only_problem("connection\n"), HasSubstr("is a block"));
  EXPECT_EQ(only_problem("<connection>\nremote h 1 udp\n</connection>\n"), "0 problems");
  EXPECT_EQ(only_problem("verb 3\n<connection>\nremote h\n  verb 3\n</connection>\n"),
            "t:4:3: 'verb' cannot stand inside <connection>; write it outside of the block");
  EXPECT_EQ(only_problem("<connection>\nremot h\n</connection>\n"),
            "t:2:1: unknown directive 'remot'; did you mean 'remote'?");
  EXPECT_THAT(only_problem("iroute 10.0.0.0\n"), HasSubstr("client-config-dir"));
}

// Each row was put before OpenVPN 2.6.14.
TEST(CheckDirectives, IsLenientWhereStockIs) {
  for (const char* text :
       {"setenv opt nonsense 1 2\n", "setenv opt ping 1 2 3\n",
        "ignore-unknown-option foo --bar\nfoo\nbar 1\n", "ignore-unknown-option ping\nping 1 2\n",
        "setenv FORWARD_COMPATIBLE 1\nnonsense\n"}) {
    EXPECT_EQ(only_problem(text), "0 problems") << text;
    EXPECT_FALSE(check(text).warnings.empty()) << text;
  }
  EXPECT_EQ(check("foo\nignore-unknown-option foo\n").problems.size(), 1u);
}

}  // namespace
}  // namespace ovpn
