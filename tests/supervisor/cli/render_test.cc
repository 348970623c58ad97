// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ovpn/static_key.h"
#include "tests/supervisor/cli/bench.h"
#include "tests/support/test_pki.h"

namespace cli {
namespace {

constexpr const char* kKeyBegin = "-----BEGIN OpenVPN Static key V1-----";

TEST(RenderVerb, HidesTheKeyUnlessAskedFor) {
  Bench bench;
  ASSERT_EQ(bench.make_site("a"), kOk);
  EXPECT_EQ(bench.run({"render", "a"}), kOk);
  EXPECT_EQ(bench.out.find(kKeyBegin), std::string::npos);
  EXPECT_NE(bench.out.find("<secret>\n# not shown; --show-secrets shows it\n</secret>\n"),
            std::string::npos);
  EXPECT_EQ(bench.run({"render", "a", "--show-secrets"}), kOk);
  EXPECT_NE(bench.out.find(kKeyBegin), std::string::npos);
  EXPECT_EQ(bench.run({"render", "a", "--stdout"}), kOk);
  EXPECT_NE(bench.out.find(kKeyBegin), std::string::npos);
}

TEST(RenderVerb, HidesAnyBlockThatMayBeSecretHoweverItIsWritten) {
  for (const char* tag : {"  <secret>", "\t\"<secret>\"", "<secret> # here"}) {
    Bench bench;
    bench.input = std::string("dev tun\nremote 192.0.2.7\nifconfig 10.8.0.1 10.8.0.2\n") + tag +
                  "\n" + ovpn::format_static_key(ovpn::generate_static_key()) +
                  " </secret>\nverb 3\n";
    ASSERT_EQ(bench.run({"import", "-", "--as", "a"}), kOk) << bench.err;
    EXPECT_EQ(bench.run({"render", "a"}), kOk);
    EXPECT_EQ(bench.out.find(kKeyBegin), std::string::npos) << bench.out;
    EXPECT_NE(bench.out.find("</secret>\nverb 3\n"), std::string::npos) << bench.out;
  }
  Bench bench;
  bench.input =
      "client\nauth-user-pass\ndev tun\nproto tcp\nremote gw\nhttp-proxy p "
      "80\n<http-proxy-user-pass>\n"
      "name\npassword\n</http-proxy-user-pass>\n<ca>\n" +
      support::shared_pki().pki.ca() + "</ca>\n";
  ASSERT_EQ(bench.run({"import", "-", "--as", "a"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"render", "a"}), kOk);
  EXPECT_EQ(bench.out.find("password"), std::string::npos) << bench.out;
  EXPECT_NE(bench.out.find("<ca>\n-----BEGIN CERTIFICATE-----\n"), std::string::npos) << bench.out;
}

// A folder with a config whose key is missing would look like a whole one.
TEST(RenderVerb, WritesTheConfigLast) {
  for (int step = 0; step < 3; ++step) {
    Bench bench;
    ASSERT_EQ(bench.make_site("a"), kOk);
    bench.files.fail_from = bench.files.changes + step;
    bench.files.dead = true;
    EXPECT_EQ(bench.run({"render", "a", "--to", "/tmp/out"}), kFailed) << step;
    EXPECT_EQ(bench.files.text("/tmp/out/a.conf"), "(absent)") << step;
  }
}

TEST(RenderVerb, ShowsNoKeyOnATerminal) {
  Bench bench;
  ASSERT_EQ(bench.make_site("a"), kOk);
  bench.out_is_terminal = true;
  EXPECT_EQ(bench.run({"render", "a", "--stdout"}), kFailed);
  EXPECT_EQ(bench.out, "");
  EXPECT_NE(bench.err.find("--show-secrets"), std::string::npos);
  EXPECT_EQ(bench.run({"render", "a", "--stdout", "--show-secrets"}), kOk);
  EXPECT_NE(bench.out.find(kKeyBegin), std::string::npos);
}

TEST(RenderVerb, WritesAFolder) {
  Bench bench;
  ASSERT_EQ(bench.make_site("a"), kOk);
  EXPECT_EQ(bench.run({"render", "a", "--to", "/tmp/out"}), kOk) << bench.err;
  EXPECT_EQ(bench.out, "/tmp/out/a.conf\n/tmp/out/a.key\n");
  EXPECT_NE(bench.files.text("/tmp/out/a.conf").find("secret a.key\n"), std::string::npos);
  EXPECT_EQ(bench.files.mode("/tmp/out/a.conf"), 0644u);
  EXPECT_EQ(bench.files.mode("/tmp/out/a.key"), 0600u);
  EXPECT_EQ(bench.files.mode("/tmp/out"), 0700u);
}

TEST(RenderVerb, TellsWhatItCannotDo) {
  Bench bench;
  ASSERT_EQ(bench.run({"new", "a", "--mode", "static-key"}), kOk);
  EXPECT_EQ(bench.run({"render", "a", "--far-end"}), kInvalid);
  EXPECT_EQ(bench.err,
            "tunctl: neither end would call the other; say how the far end reaches this machine: "
            "--remote HOST, or remote below [far-end]\n");
  EXPECT_EQ(bench.run({"render", "a", "--far-end", "--remote", "gw"}), kOk);
  EXPECT_NE(bench.out.find("remote gw\n"), std::string::npos);
  EXPECT_EQ(bench.run({"render", "a", "--remote", "gw"}), kUsage);
  EXPECT_EQ(bench.run({"render", "a", "--to", "/x", "--stdout"}), kUsage);
  EXPECT_EQ(bench.run({"render", "nope"}), kNoSuchSite);
}

TEST(RenderVerb, NamesAMissingKeyOnce) {
  Bench bench;
  ASSERT_EQ(bench.make_site("a"), kOk);
  bench.files.entries.erase("/etc/tunctl/keys/a/a.key");
  EXPECT_EQ(bench.run({"check", "a"}), kInvalid);
  EXPECT_EQ(bench.err,
            "tunctl: /etc/tunctl/sites/a.toml:17:1: cannot read /etc/tunctl/keys/a/a.key: No such "
            "file or directory; `tunctl key gen a` makes one, or copy the far end's there\n");
}

}  // namespace
}  // namespace cli
