// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/supervisor/cli/bench.h"
#include "tests/support/sample_certificate.h"
#include "tests/support/test_pki.h"

namespace cli {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kHead = "client\ndev tun\nremote vpn.example 1194\n" + support::kSampleCa;
constexpr const char* kUnit = "tunctl@nl.service";
constexpr const char* kStored = "/etc/tunctl/keys/nl/auth-user-pass";
constexpr const char* kEncrypted =
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMII=\n-----END ENCRYPTED PRIVATE KEY-----\n";

struct Provider : Bench {
  explicit Provider(const std::string& lines = "auth-user-pass\n") {
    files.put("/srv/admin/nl.ovpn", kHead + lines);
    services.units[kUnit].loaded = true;
    services.units[kUnit].active_state = "inactive";
  }
  int import(std::vector<std::string> more = {}) {
    std::vector<std::string> words{"import", "nl.ovpn"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

TEST(Credentials, AreAskedForByImportOnATerminal) {
  Provider bench;
  bench.in_is_terminal = true;
  bench.answers = {"joe", "secret word"};
  ASSERT_EQ(bench.import(), kOk) << bench.err;
  EXPECT_EQ(bench.asked, "user name for nl: (shown)password for nl: (unseen)");
  EXPECT_EQ(bench.files.text(kStored), "joe\nsecret word\n");
  EXPECT_EQ(bench.files.mode(kStored), 0600u);
  EXPECT_EQ(bench.files.mode("/etc/tunctl/keys/nl"), 0700u);
  EXPECT_THAT(bench.out, HasSubstr("next: tunctl enable --now nl\n"));
  EXPECT_THAT(bench.out + bench.err, Not(HasSubstr("secret word")));
  EXPECT_EQ(bench.run({"check", "nl"}), kOk);
  EXPECT_EQ(bench.err, "");
  EXPECT_EQ(bench.run({"enable", "nl"}), kOk) << bench.err;
}

TEST(Credentials, CanBeGivenLater) {
  Provider bench;
  ASSERT_EQ(bench.import(), kOk) << bench.err;
  EXPECT_THAT(bench.err,
              HasSubstr("auth-user-pass: nobody has given the user name and the password"));
  EXPECT_THAT(bench.out, HasSubstr("next: tunctl credentials nl\n"));
  EXPECT_EQ(bench.run({"check", "nl"}), kOk);
  EXPECT_THAT(bench.err,
              HasSubstr("nl.conf:17:1: warning: auth-user-pass: nobody has given the user "
                        "name and the password; `tunctl credentials nl`"));
  for (const char* verb : {"enable", "start", "restart", "run"}) {
    const int changes = bench.files.changes;
    bench.services.calls.clear();
    EXPECT_EQ(bench.run({verb, "nl"}), kInvalid) << verb;
    EXPECT_THAT(bench.err, HasSubstr("; `tunctl credentials nl`\n")) << verb;
    EXPECT_EQ(bench.files.changes, changes);
    EXPECT_TRUE(bench.services.calls.empty()) << verb;
  }
  bench.input = "joe\r\np w\r\nthis is not looked at\n";
  EXPECT_EQ(bench.run({"credentials", "nl"}), kOk) << bench.err;
  EXPECT_EQ(bench.out, "nl: auth-user-pass stored\nnext: tunctl enable --now nl\n");
  EXPECT_EQ(bench.files.text(kStored), "joe\np w\n");
  EXPECT_EQ(bench.run({"enable", "nl"}), kOk) << bench.err;
}

TEST(Credentials, OfARunningSiteAreUsedFromItsReloadOn) {
  Provider bench;
  ASSERT_EQ(bench.import(), kOk) << bench.err;
  bench.files.put("/srv/admin/login", "joe\nword\n", 0600);
  bench.services.units[kUnit].active_state = "active";
  EXPECT_EQ(bench.run({"credentials", "nl", "--credentials", "login"}), kOk) << bench.err;
  EXPECT_THAT(bench.out, HasSubstr("next: tunctl reload nl"));
}

TEST(Credentials, ComeWithTheImport) {
  Provider bench;
  bench.files.put("/srv/admin/login", "joe\nword\n", 0600);
  EXPECT_EQ(bench.import({"--credentials", "login"}), kOk) << bench.err;
  EXPECT_EQ(bench.files.text(kStored), "joe\nword\n");
  Provider second;
  second.input = "joe\nword";
  EXPECT_EQ(second.import({"--credentials", "-"}), kOk) << second.err;
  EXPECT_EQ(second.files.text(kStored), "joe\nword\n");
  Provider third;
  third.input = "joe\n";
  EXPECT_EQ(third.import({"--credentials", "-"}), kFailed);
  EXPECT_THAT(third.err, HasSubstr("there is no password for nl on standard input"));
  EXPECT_EQ(third.files.changes, 0);
  EXPECT_EQ(third.run({"import", "-", "--as", "nl", "--credentials", "-"}), kUsage);
  Provider fourth("");
  EXPECT_EQ(fourth.import({"--credentials", "-"}), kInvalid);
}

TEST(Credentials, AnEmptyAnswerAtATerminalIsForLater) {
  Provider bench;
  bench.in_is_terminal = true;
  bench.answers = {""};
  EXPECT_EQ(bench.import(), kOk) << bench.err;
  EXPECT_EQ(bench.files.text(kStored), "(absent)");
  EXPECT_THAT(bench.out, HasSubstr("next: tunctl credentials nl\n"));
  EXPECT_EQ(bench.run({"credentials", "nl"}), kFailed);
  EXPECT_EQ(bench.files.text(kStored), "(absent)");
}

// What a line names and what was given to tunctl: the latter is newer.
TEST(Credentials, OfALineThatNamesAFile) {
  Provider bench("auth-user-pass pass.txt\n");
  bench.files.put("/srv/admin/pass.txt", "joe\nold\n", 0600);
  ASSERT_EQ(bench.import(), kOk) << bench.err;
  EXPECT_EQ(bench.files.text("/etc/tunctl/keys/nl/pass.txt"), "joe\nold\n");
  EXPECT_EQ(bench.run({"check", "nl"}), kOk);
  EXPECT_EQ(bench.err, "");
  bench.input = "joe\nnew\n";
  EXPECT_EQ(bench.run({"credentials", "nl"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"render", "nl", "--to", "/tmp/x"}), kOk) << bench.err;
  EXPECT_EQ(bench.files.text("/tmp/x/auth-user-pass"), "joe\nnew\n");
  EXPECT_THAT(bench.files.text("/tmp/x/nl.conf"),
              HasSubstr("auth-user-pass /tmp/x/auth-user-pass\n"));
}

TEST(Credentials, WhereTheNamedFileIsNotThere) {
  Provider bench("auth-user-pass /config/login.conf\n");
  ASSERT_EQ(bench.import(), kOk) << bench.err;
  EXPECT_THAT(bench.err, HasSubstr(", and there is no /config/login.conf"));
  EXPECT_EQ(bench.run({"enable", "nl"}), kInvalid);
  bench.input = "joe\nnew\n";
  EXPECT_EQ(bench.run({"credentials", "nl"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"enable", "nl"}), kOk) << bench.err;
}

TEST(Credentials, AWrongFileIsNamedAndCanBeReplaced) {
  Provider bench("auth-user-pass pass.txt\n");
  bench.files.put("/srv/admin/pass.txt", "only a name\n", 0600);
  ASSERT_EQ(bench.import(), kOk) << bench.err;
  EXPECT_EQ(bench.run({"enable", "nl"}), kInvalid);
  EXPECT_THAT(bench.err, HasSubstr("/etc/tunctl/keys/nl/pass.txt: there is no password on line 2; "
                                   "`tunctl credentials nl`"));
  bench.input = "joe\nnew\n";
  EXPECT_EQ(bench.run({"credentials", "nl"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"enable", "nl"}), kOk) << bench.err;
}

TEST(Credentials, OfAnEncryptedKey) {
  Provider bench("cert c.pem\nkey k.pem\n");
  bench.files.put("/srv/admin/c.pem", support::kSampleCertificate);
  bench.files.put("/srv/admin/k.pem", kEncrypted, 0600);
  bench.in_is_terminal = true;
  bench.answers = {"open sesame"};
  ASSERT_EQ(bench.import(), kOk) << bench.err;
  EXPECT_EQ(bench.asked, "passphrase of nl's private key: (unseen)");
  EXPECT_EQ(bench.files.text("/etc/tunctl/keys/nl/askpass"), "open sesame\n");
  EXPECT_THAT(bench.out, HasSubstr("runs on the native fast path"));
  EXPECT_EQ(bench.run({"render", "nl", "--to", "/tmp/x"}), kOk) << bench.err;
  EXPECT_THAT(bench.files.text("/tmp/x/nl.conf"),
              HasSubstr("# tunctl adds:\naskpass /tmp/x/askpass\n"));
}

TEST(Credentials, OfAKeyThatIsNotEncryptedAreNotAskedFor) {
  Provider bench("cert c.pem\nkey k.pem\n");
  bench.files.put("/srv/admin/c.pem", support::shared_pki().client.certificate);
  bench.files.put("/srv/admin/k.pem", support::shared_pki().client.key, 0600);
  bench.in_is_terminal = true;
  ASSERT_EQ(bench.import(), kOk) << bench.err;
  EXPECT_EQ(bench.asked, "");
  EXPECT_EQ(bench.run({"credentials", "nl"}), kFailed);
  EXPECT_THAT(bench.err, HasSubstr("nl wants neither user name nor passphrase"));
}

TEST(Credentials, SeveralAreALineEach) {
  Provider bench(
      "proto tcp\nauth-user-pass\naskpass\ncert c\nkey k\nhttp-proxy proxy.example 3128 stdin\n");
  bench.files.put("/srv/admin/c", support::shared_pki().client.certificate);
  bench.files.put("/srv/admin/k", support::shared_pki().client.key, 0600);
  bench.input = "joe\nword\nphrase\nproxy-joe\nproxy-word\n";
  ASSERT_EQ(bench.import({"--credentials", "-"}), kOk) << bench.err;
  EXPECT_EQ(bench.files.text(kStored), "joe\nword\n");
  EXPECT_EQ(bench.files.text("/etc/tunctl/keys/nl/askpass"), "phrase\n");
  EXPECT_EQ(bench.files.text("/etc/tunctl/keys/nl/http-proxy-user-pass"),
            "proxy-joe\nproxy-word\n");
  EXPECT_EQ(bench.run({"check", "nl"}), kOk);
  EXPECT_THAT(bench.out, HasSubstr("native fast path"));
  EXPECT_EQ(bench.run({"render", "nl", "--to", "/tmp/x"}), kOk) << bench.err;
  const std::string config = bench.files.text("/tmp/x/nl.conf");
  EXPECT_THAT(config, HasSubstr("\nhttp-proxy proxy.example 3128 /tmp/x/http-proxy-user-pass\n"));
  EXPECT_THAT(config, HasSubstr("\naskpass /tmp/x/askpass\n"));
}

TEST(Credentials, OfProxiesAreCopiedWithTheirConfig) {
  Provider bench("proto tcp\nauth-user-pass a\nsocks-proxy proxy.example 1080 sub/socks.txt\n");
  bench.files.put("/srv/admin/a", "joe\nword\n", 0600);
  bench.files.put("/srv/admin/sub/socks.txt", "s\nw\n", 0600);
  ASSERT_EQ(bench.import(), kOk) << bench.err;
  EXPECT_EQ(bench.files.text("/etc/tunctl/keys/nl/socks.txt"), "s\nw\n");
  EXPECT_EQ(bench.run({"check", "nl"}), kOk);
  EXPECT_EQ(bench.err, "");
  EXPECT_EQ(bench.run({"render", "nl", "--to", "/tmp/x"}), kOk) << bench.err;
  EXPECT_THAT(bench.files.text("/tmp/x/nl.conf"),
              HasSubstr("\nsocks-proxy proxy.example 1080 /tmp/x/socks-proxy\n"));
  EXPECT_EQ(bench.files.text("/tmp/x/socks-proxy"), "s\nw\n");
}

TEST(Credentials, AProxyThatMayAskIsNotWaitedFor) {
  Provider bench("proto tcp\nauth-user-pass a\nhttp-proxy proxy.example 3128 auto\n");
  bench.files.put("/srv/admin/a", "joe\nword\n", 0600);
  ASSERT_EQ(bench.import(), kOk) << bench.err;
  EXPECT_EQ(bench.run({"enable", "nl"}), kOk) << bench.err;
  bench.in_is_terminal = true;
  bench.answers = {"joe", "word", "px", "pw"};
  EXPECT_EQ(bench.run({"credentials", "nl"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"render", "nl", "--to", "/tmp/x"}), kOk) << bench.err;
  EXPECT_THAT(bench.files.text("/tmp/x/nl.conf"),
              HasSubstr("http-proxy proxy.example 3128 auto\n"
                        "http-proxy-user-pass /tmp/x/http-proxy-user-pass\n"));
}

TEST(Credentials, InsideOfABlockAreRefusedByName) {
  Provider bench(
      "auth-user-pass\n<connection>\nremote h 1 tcp\nhttp-proxy p 3128 f.txt\n</connection>\n");
  EXPECT_EQ(bench.import(), kInvalid);
  EXPECT_THAT(bench.err, HasSubstr("nl.ovpn:20:1: http-proxy: a login inside of <connection>"));
}

// 2.7's `username-only`: what takes the password's place goes over the wire as a word.
TEST(Credentials, OfAUserAlone) {
  Provider bench("auth-user-pass username-only\n");
  bench.in_is_terminal = true;
  bench.answers = {"joe"};
  ASSERT_EQ(bench.import(), kOk) << bench.err;
  EXPECT_EQ(bench.files.text(kStored), "joe\n");
  EXPECT_EQ(bench.run({"render", "nl", "--to", "/tmp/x"}), kOk) << bench.err;
  EXPECT_EQ(bench.files.text("/tmp/x/auth-user-pass"), "joe\n[[BLANK]]\n");
}

TEST(Credentials, GoWithTheSite) {
  Provider bench;
  bench.input = "joe\nword\n";
  ASSERT_EQ(bench.import({"--credentials", "-"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"remove", "nl"}), kOk) << bench.err;
  EXPECT_EQ(bench.files.text(kStored), "(absent)");
}

// What systemd holds for the unit is read by nobody here, and by no `tunctl run`.
TEST(Credentials, OfSystemd) {
  Provider bench;
  ASSERT_EQ(bench.import(), kOk) << bench.err;
  const std::string site = bench.files.text("/etc/tunctl/sites/nl.toml");
  bench.files.put("/etc/tunctl/sites/nl.toml",
                  site + "[credentials]\nauth-user-pass = \"credential:vpn\"\n");
  EXPECT_EQ(bench.run({"check", "nl"}), kOk);
  EXPECT_EQ(bench.err, "");
  EXPECT_EQ(bench.run({"enable", "nl"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"run", "nl"}), kInvalid);
  EXPECT_THAT(bench.err, HasSubstr("without a unit there are no credentials of systemd's"));
  EXPECT_EQ(bench.run({"credentials", "nl"}), kFailed);
  bench.files.put("/etc/tunctl/sites/nl.toml",
                  site + "[credentials]\nauth-user-pass = \"login.txt\"\n");
  EXPECT_EQ(bench.run({"enable", "nl"}), kInvalid);
  bench.input = "joe\nword\n";
  EXPECT_EQ(bench.run({"credentials", "nl"}), kOk) << bench.err;
  EXPECT_EQ(bench.files.text("/etc/tunctl/keys/nl/login.txt"), "joe\nword\n");
  EXPECT_EQ(bench.run({"enable", "nl"}), kOk) << bench.err;
}

TEST(Credentials, AStaticKeyOfSystemd) {
  Bench bench;
  ASSERT_EQ(bench.make_site("a"), kOk) << bench.err;
  std::string site = bench.files.text("/etc/tunctl/sites/a.toml");
  const auto at = site.find("\"a.key\"");
  ASSERT_NE(at, std::string::npos) << site;
  site.replace(at, 7, "\"credential:psk\"");
  bench.files.put("/etc/tunctl/sites/a.toml", site);
  bench.files.entries.erase("/etc/tunctl/keys/a/a.key");
  EXPECT_EQ(bench.run({"check", "a"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"run", "a"}), kInvalid);
  EXPECT_EQ(bench.run({"render", "a", "--far-end", "--stdout"}), kInvalid);
  EXPECT_THAT(bench.err, HasSubstr("the key is held by systemd"));
}

TEST(Credentials, OfNoSuchSite) {
  Provider bench;
  EXPECT_EQ(bench.run({"credentials", "nope"}), kNoSuchSite);
  ASSERT_EQ(bench.make_site("a"), kOk);
  EXPECT_EQ(bench.run({"credentials", "a"}), kFailed);
}

}  // namespace
}  // namespace cli
