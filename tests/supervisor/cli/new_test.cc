// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/supervisor/cli/bench.h"

namespace cli {
namespace {

TEST(New, WritesASiteThatIsSoundAndSaysWhatIsNext) {
  Bench bench;
  EXPECT_EQ(bench.make_site("site-a"), kOk) << bench.err;
  EXPECT_EQ(bench.out,
            "wrote /etc/tunctl/sites/site-a.toml\n"
            "key   /etc/tunctl/keys/site-a/site-a.key\n"
            "next, here:     tunctl enable --now site-a\n"
            "next, far end:  tunctl render site-a --far-end --stdout | ssh root@192.0.2.7 tunctl "
            "import - --as site-a\n");
  EXPECT_EQ(bench.files.mode("/etc/tunctl/keys/site-a/site-a.key"), 0600u);
  EXPECT_EQ(bench.files.mode("/etc/tunctl/keys"), 0700u);
  EXPECT_EQ(bench.run({"check"}), kOk) << bench.err;
  EXPECT_EQ(bench.out, "site-a: ok, native fast path\n");
  EXPECT_EQ(bench.err, "");
}

TEST(New, ChoosesPortsAndAddressesThatNoOtherSiteHas) {
  Bench bench;
  ASSERT_EQ(bench.make_site("a"), kOk);
  ASSERT_EQ(bench.make_site("b"), kOk);
  const std::string text = bench.files.text("/etc/tunctl/sites/b.toml");
  EXPECT_NE(text.find("port = 1195"), std::string::npos) << text;
  EXPECT_NE(text.find("ifconfig = [\"10.8.1.1\", \"10.8.1.2\"]"), std::string::npos) << text;
  EXPECT_EQ(bench.run({"check"}), kOk) << bench.err;
}

TEST(New, TakesItsOptions) {
  Bench bench;
  EXPECT_EQ(bench.run({"new",         "a",           "--mode",      "static-key",  "--port",
                       "2011",        "--ifconfig",  "10.1.0.1",    "10.1.0.2",    "--dev",
                       "tun3",        "--cpus",      "1-2",         "--engine",    "openvpn",
                       "--cipher",    "AES-128-CBC", "--auth",      "SHA512",      "--route",
                       "10.2.0.0/16", "--route",     "10.3.0.0/16", "--far-route", "10.4.0.0/16"}),
            kOk)
      << bench.err;
  EXPECT_NE(bench.out.find("--far-end --remote THIS-HOST --stdout | ssh root@FAR-HOST"),
            std::string::npos);
  EXPECT_EQ(bench.run({"render", "a", "--for", "2.6"}), kOk) << bench.err;
  for (const char* line :
       {"port 2011\n", "dev tun3\n", "ifconfig 10.1.0.1 10.1.0.2\n", "cipher AES-128-CBC\n",
        "auth SHA512\n", "route 10.2.0.0 255.255.0.0\n", "route 10.3.0.0 255.255.0.0\n"}) {
    EXPECT_NE(bench.out.find(line), std::string::npos) << line << bench.out;
  }
  EXPECT_EQ(bench.run({"check", "a"}), kOk);
  EXPECT_EQ(bench.out, "a: ok, stock OpenVPN (engine = \"openvpn\"), CPUs 1-2\n");
}

TEST(New, RefusesWhatTheFileWouldRefuse) {
  const struct {
    std::vector<std::string> words;
    const char* complaint;
  } rows[] = {
      {{"new", "a/b"}, "'a/b' is no name for a site"},
      {{"new", "a", "--port", "0"}, "--port takes a number from 1 to 65535"},
      {{"new", "a", "--ifconfig", "10.1.0.1", "10.1.0.1"}, "both ends have the address"},
      {{"new", "a", "--mode", "static-key", "--cipher", "AES-256-GCM"},
       "does not work with a static key"},
      {{"new", "a", "--cpus", "9"}, "no CPU of '9' exists"},
      {{"new", "a", "--remote", "a b"}, "is no host with an optional port"},
      {{"new", "a", "--mode", "tls"}, "--mode"},
      {{"new"}, "NAME is required"},
  };
  for (const auto& row : rows) {
    Bench bench;
    EXPECT_EQ(bench.run(row.words), kUsage) << row.complaint;
    EXPECT_NE(bench.err.find(row.complaint), std::string::npos) << bench.err;
    EXPECT_EQ(bench.files.changes, 0);
  }
}

TEST(New, SaysThatATunnelInClearTextTakesAnybody) {
  constexpr const char* kWarning =
      "tunctl: warning: anyone can send into this tunnel, in clear text, and the first one is "
      "taken "
      "for its peer; acknowledge-cleartext = true in the site file says that this is meant; "
      "--remote names the peer\n";
  Bench bench;
  EXPECT_EQ(bench.run({"new", "a", "--mode", "none"}), kOk) << bench.err;
  EXPECT_EQ(bench.err, kWarning);
  EXPECT_EQ(bench.run({"new", "b", "--mode", "static-key", "--cipher", "none", "--auth", "none"}),
            kOk)
      << bench.err;
  EXPECT_EQ(bench.err, kWarning);
  EXPECT_EQ(bench.run({"new", "c", "--mode", "none", "--remote", "192.0.2.7"}), kOk) << bench.err;
  EXPECT_EQ(bench.err, "");
}

TEST(New, OverwritesNeitherSiteNorKey) {
  Bench bench;
  ASSERT_EQ(bench.make_site("a"), kOk);
  const std::string key = bench.files.text("/etc/tunctl/keys/a/a.key");
  EXPECT_EQ(bench.make_site("a"), kFailed);
  EXPECT_NE(bench.err.find("/etc/tunctl/sites/a.toml is there already"), std::string::npos);
  bench.files.entries.erase("/etc/tunctl/sites/a.toml");
  EXPECT_EQ(bench.make_site("a"), kOk);
  EXPECT_EQ(bench.files.text("/etc/tunctl/keys/a/a.key"), key);
}

TEST(Key, GenRefusesToReplaceUnlessForced) {
  Bench bench;
  ASSERT_EQ(bench.make_site("a"), kOk);
  const std::string key = bench.files.text("/etc/tunctl/keys/a/a.key");
  EXPECT_EQ(bench.run({"key", "gen", "a"}), kFailed);
  EXPECT_EQ(bench.files.text("/etc/tunctl/keys/a/a.key"), key);
  EXPECT_EQ(bench.run({"key", "gen", "a", "--force"}), kOk);
  EXPECT_NE(bench.files.text("/etc/tunctl/keys/a/a.key"), key);
  EXPECT_EQ(bench.run({"key", "gen", "b"}), kOk);
  EXPECT_EQ(bench.out, "/etc/tunctl/keys/b/b.key\n");
  EXPECT_EQ(bench.files.mode("/etc/tunctl/keys/b/b.key"), 0600u);
  EXPECT_EQ(bench.run({"key", "fingerprint", "nope"}), kNoSuchSite);
}

TEST(New, WithAnAuthorityNamesWhatItMakes) {
  Bench bench;
  ASSERT_EQ(bench.run({"new", "a", "--mode", "pki", "--far-remote", "gw.example"}), kOk)
      << bench.err;
  EXPECT_EQ(bench.out,
            "wrote /etc/tunctl/sites/a.toml\n"
            "next, here:     put ca.crt, tls.crt and tls.key into /etc/tunctl/keys/a\n"
            "next, here:     tunctl enable --now a\n"
            "next, far end:  tunctl new a --mode pki --role client --remote gw.example --port 1194 "
            "--ifconfig 10.8.0.2 10.8.0.1\n");
  EXPECT_EQ(bench.files.text("/etc/tunctl/keys/a/tls.key"), "(absent)");
  EXPECT_EQ(bench.run({"check", "a"}), kInvalid);
  EXPECT_NE(bench.err.find("put the one there that the site's authority made"), std::string::npos);
  EXPECT_EQ(bench.run({"key", "gen", "a"}), kInvalid);
  EXPECT_NE(bench.err.find("the authority of mode pki makes its keys"), std::string::npos);
  EXPECT_EQ(bench.run({"new", "b", "--mode", "pki", "--remote", "h", "--peer-fingerprint", "AA"}),
            kUsage);
  EXPECT_NE(bench.err.find("--peer-fingerprint goes with --mode fingerprint"), std::string::npos);
}

}  // namespace
}  // namespace cli
