// SPDX-License-Identifier: Apache-2.0
// A site that joins a server: what `new` writes and says, and what is told of what is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ovpn/static_key.h"
#include "supervisor/pki/make.h"
#include "tests/supervisor/cli/bench.h"

namespace cli {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kKeys = "/etc/tunctl/keys/office/";
const std::string kSite = "/etc/tunctl/sites/office.toml";
constexpr const char* kServer =
    "8D:05:F6:0A:5E:12:80:9C:45:1B:2F:63:7A:D0:99:3E:51:C8:E4:07:B3:6F:2D:18:AA:4C:70:95:0E:DB:36:"
    "F1";

class Client : public testing::Test, public Bench {
 protected:
  int make(std::vector<std::string> more = {}) {
    std::vector<std::string> words{"new", "office", "--type", "client", "--remote", "vpn.example"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }

  // What the server's admin hands out.
  void give_keys() {
    const std::string key = pki::make_key();
    const auto certificate = pki::make_certificate("tls.key", key, "joe");
    ASSERT_TRUE(certificate);
    for (const char* file : {"ca.crt", "tls.crt"}) files.put(kKeys + file, *certificate, 0600);
    files.put(kKeys + "tls.key", key, 0600);
  }
};

TEST_F(Client, IsWrittenAndSaysWhatIsMissing) {
  ASSERT_EQ(make(), kOk) << err;
  EXPECT_EQ(out,
            "wrote " + kSite +
                "\nnext, here:     put ca.crt, tls.crt and tls.key into /etc/tunctl/keys/office; "
                "whoever runs the server has them\n"
                "next, here:     tunctl enable --now office\n");
  EXPECT_EQ(files.mode("/etc/tunctl/keys/office"), 0700u);
  EXPECT_EQ(files.text(kKeys + "tls.key"), "(absent)");
  EXPECT_EQ(run({"check", "office"}), kInvalid);
  EXPECT_THAT(err, HasSubstr("whoever runs the server gives it to you; put it there"));
  give_keys();
  EXPECT_EQ(run({"check", "office"}), kOk) << err;
  EXPECT_EQ(out, "office: ok, native fast path\n");
  EXPECT_EQ(run({"render", "office"}), kOk) << err;
  for (const char* line : {"client\n", "nobind\n", "remote vpn.example\n", "dev office\n",
                           "remote-cert-tls server\n"}) {
    EXPECT_THAT(out, HasSubstr(line));
  }
  for (const char* line : {"auth ", "cipher ", "port ", "ifconfig"}) {
    EXPECT_THAT(out, Not(HasSubstr(std::string("\n") + line)));
  }
}

TEST_F(Client, AsksForNameAndPasswordInPlaceOfACertificate) {
  ASSERT_EQ(make({"--auth-user-pass", "--remote", "vpn.example:443 tcp", "--port", "2011"}), kOk)
      << err;
  EXPECT_THAT(out,
              HasSubstr("next, here:     put ca.crt into /etc/tunctl/keys/office; whoever runs "
                        "the server has it\n"
                        "next, here:     tunctl credentials office\n"
                        "next, here:     tunctl enable --now office\n"));
  give_keys();
  services.units["tunctl@office.service"].loaded = true;
  EXPECT_EQ(run({"enable", "office"}), kInvalid);
  EXPECT_THAT(err, HasSubstr("nobody has given the user name and the password"));
  input = "joe\nsecret\n";
  EXPECT_EQ(run({"credentials", "office"}), kOk) << err;
  EXPECT_EQ(files.text(kKeys + "auth-user-pass"), "joe\nsecret\n");
  EXPECT_EQ(run({"enable", "office"}), kOk) << err;
  EXPECT_EQ(run({"render", "office"}), kOk) << err;
  EXPECT_THAT(out, HasSubstr("port 2011\nremote vpn.example\nremote vpn.example 443 tcp\n"));
  EXPECT_THAT(out, HasSubstr("auth-user-pass\n"));
  EXPECT_THAT(out, Not(HasSubstr("cert tls.crt")));
}

TEST_F(Client, OfAFingerprintMakesItsKeyAndTellsTheServer) {
  ASSERT_EQ(make({"--mode", "fingerprint"}), kOk) << err;
  const auto at = out.find("peer-fingerprint ");
  ASSERT_NE(at, std::string::npos) << out;
  const std::string own = out.substr(at + 17, 95);
  EXPECT_THAT(out, HasSubstr("tunctl key trust office FINGERPRINT, of the server's certificate\n"));
  EXPECT_EQ(run({"check", "office"}), kInvalid);
  EXPECT_THAT(err,
              HasSubstr("the fingerprint of the server's certificate is not known yet; whoever "
                        "runs the server knows it"));
  EXPECT_EQ(run({"key", "trust", "office", own}), kFailed);
  EXPECT_EQ(run({"key", "trust", "office", kServer}), kOk) << err;
  EXPECT_EQ(run({"check", "office"}), kOk) << err;
  EXPECT_EQ(run({"key", "fingerprint", "office"}), kOk);
  EXPECT_EQ(out, "office " + own + "\n");
  EXPECT_EQ(run({"key", "gen", "office", "--force"}), kOk) << err;
  EXPECT_THAT(out, HasSubstr("next, server:   peer-fingerprint "));
}

TEST_F(Client, KnowsTheServerByAFingerprintAndIsKnownByAPassword) {
  ASSERT_EQ(make({"--peer-fingerprint", kServer, "--auth-user-pass"}), kOk) << err;
  EXPECT_EQ(out, "wrote " + kSite +
                     "\nnext, here:     tunctl credentials office\n"
                     "next, here:     tunctl enable --now office\n");
  input = "joe\nsecret\n";
  ASSERT_EQ(run({"credentials", "office"}), kOk) << err;
  EXPECT_EQ(run({"check", "office"}), kOk) << err;
  EXPECT_EQ(run({"render", "office", "--for", "2.5"}), kInvalid);
  EXPECT_THAT(err, HasSubstr("update it to 2.6, or use mode = \"pki\""));
}

TEST_F(Client, TakesFilesThatAreThereAndTellsOfWrongOnes) {
  files.put(kKeys + "ca.crt", "x", 0600);
  ASSERT_EQ(make(), kOk) << err;
  EXPECT_THAT(out, HasSubstr("put tls.crt and tls.key into"));
  give_keys();
  files.put(kSite, files.text(kSite) + "\n", 0644);
  std::string text = files.text(kSite);
  text.insert(text.find("\n[run]"), "tls-crypt-v2 = \"tc2.key\"\n");
  files.put(kSite, text, 0644);
  files.put(kKeys + "tc2.key", ovpn::format_static_key(ovpn::generate_static_key()), 0600);
  EXPECT_EQ(run({"check", "office"}), kInvalid);
  EXPECT_THAT(err, HasSubstr(kKeys + "tc2.key: tls-crypt-v2: "));
}

TEST_F(Client, HasNoFarEndThatCouldBeRendered) {
  ASSERT_EQ(make(), kOk) << err;
  give_keys();
  EXPECT_EQ(run({"render", "office", "--far-end", "--stdout"}), kInvalid);
  EXPECT_EQ(err, "tunctl: " + kSite +
                     ":5:1: the far end of a client is a server, which has keys and clients that "
                     "this site knows nothing of; its config is written where it runs\n");
  EXPECT_EQ(run({"key", "gen", "office"}), kInvalid);
  EXPECT_THAT(err, HasSubstr("a client's keys come from whoever runs its server; put them into"));
}

TEST_F(Client, RefusesWhatIsOfTwoEquals) {
  const struct {
    std::vector<std::string> words;
    const char* complaint;
  } rows[] = {
      {{"--ifconfig", "10.8.0.1", "10.8.0.2"}, "--ifconfig goes with --type p2p"},
      {{"--far-remote", "gw"}, "--far-remote goes with --type p2p"},
      {{"--far-route", "10.0.0.0/8"}, "--far-route goes with --type p2p"},
      {{"--role", "client"}, "--role goes with --type p2p"},
      {{"--mode", "static-key"}, "a client speaks TLS: --mode pki or fingerprint"},
      {{"--mode", "pki", "--peer-fingerprint", kServer}, "goes with --mode fingerprint"},
      {{"--cipher", "AES-257-GCM"}, "no cipher is called 'AES-257-GCM'"},
      {{"--type", "server"}, "--type"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(make(row.words), kUsage) << row.complaint;
    EXPECT_THAT(err, HasSubstr(row.complaint));
  }
  EXPECT_EQ(run({"new", "office", "--type", "client"}), kUsage);
  EXPECT_THAT(err, HasSubstr("--type client needs --remote HOST"));
  EXPECT_EQ(run({"new", "office", "--auth-user-pass"}), kUsage);
  EXPECT_THAT(err, HasSubstr("--auth-user-pass goes with --type client"));
  EXPECT_EQ(files.changes, 0);
}

}  // namespace
}  // namespace cli
