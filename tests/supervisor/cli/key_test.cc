// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/supervisor/cli/bench.h"

namespace cli {
namespace {

// As of a key that is missing: whoever has tunctl need not know stock's command for it.
TEST(Key, AFileThatIsNoneNamesTheCommandThatMakesOne) {
  for (const char* text : {"", "rubbish\n", "-----BEGIN CERTIFICATE-----\n"}) {
    Bench bench;
    ASSERT_EQ(bench.make_site("a"), kOk);
    bench.files.put("/etc/tunctl/keys/a/a.key", text, 0600);
    EXPECT_EQ(bench.run({"check", "a"}), kInvalid) << text;
    EXPECT_NE(bench.err.find("; `tunctl key gen a --force` makes one in its place"),
              std::string::npos)
        << bench.err;
    EXPECT_EQ(bench.err.find("openvpn --genkey"), std::string::npos) << bench.err;
    EXPECT_EQ(bench.run({"key", "gen", "a", "--force"}), kOk) << bench.err;
    EXPECT_EQ(bench.run({"check", "a"}), kOk) << bench.err;
  }
}

void write(Bench& bench, const std::string& path, const std::string& text) {
  ASSERT_EQ(bench.files.make_folder(path.substr(0, path.rfind('/')), 0755), "");
  ASSERT_EQ(bench.files.write(path, text, 0600), "");
}

void keep(Bench& bench, const std::string& config) {
  write(bench, "/etc/tunctl/sites/a.toml", "config = \"a.conf\"\n");
  write(bench, "/etc/tunctl/ovpn/a.conf", config);
}

TEST(Key, OfAKeptConfigGoesWhereItsSecretLineLooks) {
  Bench bench;
  keep(bench, "dev tun3\nsecret static.key\nremote 192.0.2.7\nifconfig 10.8.0.1 10.8.0.2\n");
  EXPECT_EQ(bench.run({"check", "a"}), kInvalid);
  EXPECT_EQ(bench.run({"key", "gen", "a"}), kOk) << bench.err;
  EXPECT_EQ(bench.out, "/etc/tunctl/keys/a/static.key\n");
  EXPECT_EQ(bench.files.mode("/etc/tunctl/keys/a/static.key"), 0600u);
  EXPECT_EQ(bench.run({"check", "a"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"key", "gen", "a"}), kFailed) << "a key is never replaced unasked";
  EXPECT_EQ(bench.run({"key", "gen", "a", "--force"}), kOk) << bench.err;
}

TEST(Key, IsNotMadeWhereTheSiteNamesNone) {
  const std::string link = "dev tun3\nremote 192.0.2.7\n";
  for (const std::string& text :
       {link + "cipher none\nauth none\n", link + "<secret>\n</secret>\n"}) {
    Bench bench;
    keep(bench, text);
    EXPECT_EQ(bench.run({"key", "gen", "a"}), kInvalid) << text;
    EXPECT_FALSE(bench.files.status("/etc/tunctl/keys/a"));
  }
  Bench bench;
  ASSERT_EQ(bench.run({"new", "b", "--mode", "none", "--remote", "192.0.2.7"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"key", "gen", "b"}), kInvalid);
  EXPECT_NE(bench.err.find("mode none has no key"), std::string::npos) << bench.err;
}

TEST(Key, FingerprintIsTheKeysAndNotTheFiles) {
  Bench bench;
  ASSERT_EQ(bench.make_site("a"), kOk);
  ASSERT_EQ(bench.run({"key", "fingerprint", "a"}), kOk) << bench.err;
  const std::string printed = bench.out.substr(2);
  ASSERT_EQ(bench.run({"render", "a", "--far-end", "--stdout"}), kOk) << bench.err;
  bench.input = bench.out;
  ASSERT_EQ(bench.run({"import", "-", "--as", "b"}), kOk) << bench.err;
  ASSERT_EQ(bench.run({"key", "fingerprint", "b"}), kOk) << bench.err;
  EXPECT_EQ(bench.out, "b " + printed);
}

}  // namespace
}  // namespace cli
