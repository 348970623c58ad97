// SPDX-License-Identifier: Apache-2.0
// Certificates and keys that would end an engine at its start are told by import and check, at
// their line; what is stale is a warning.
#include <algorithm>

#include <gtest/gtest.h>

#include "ovpn/static_key.h"
#include "tests/supervisor/cli/bench.h"
#include "tests/support/test_pki.h"

namespace cli {
namespace {

constexpr const char* kBegin = "client\ndev tun\nremote vpn.example\n";  // three lines
constexpr base::UnixSeconds kDay = 86400;

std::string block(const std::string& name, const std::string& text) {
  return "<" + name + ">\n" + text + "</" + name + ">\n";
}

struct Blocks {
  std::string ca = support::shared_pki().pki.ca();
  std::string cert = support::shared_pki().client.certificate;
  std::string key = support::shared_pki().client.key;
  std::string more = {};

  std::string config() const {
    return kBegin + block("ca", ca) + block("cert", cert) + block("key", key) + more;
  }
  std::size_t line_of(const std::string& text) const {
    const std::string all = config();
    return 1 + static_cast<std::size_t>(std::count(
                   all.begin(), all.begin() + static_cast<std::ptrdiff_t>(all.find(text)), '\n'));
  }
};

struct KeyMaterial : testing::Test {
  KeyMaterial() { bench.now = support::kTestNow; }

  // The same words from import and, over what somebody put there by hand, from check and enable.
  void expect(const Blocks& blocks, int status, const std::string& tag, const std::string& words) {
    const std::string place = ":" + std::to_string(blocks.line_of(tag)) + ":";
    bench.files = {};
    bench.files.put("/srv/admin/a.ovpn", blocks.config(), 0600);
    expect_words({"import", "a.ovpn", "--as", "b"}, status, "a.ovpn" + place, words);
    bench.files.put("/etc/tunctl/ovpn/a.ovpn", blocks.config(), 0600);
    bench.files.put("/etc/tunctl/sites/a.toml", "config = \"a.ovpn\"\n");
    expect_words({"check", "a"}, status, "/etc/tunctl/ovpn/a.ovpn" + place, words);
    if (status == kOk) return;
    expect_words({"enable", "a"}, status, "/etc/tunctl/ovpn/a.ovpn" + place, words);
  }
  void expect_words(const std::vector<std::string>& command, int status, const std::string& place,
                    const std::string& words) {
    const int changes = bench.files.changes;
    EXPECT_EQ(bench.run(command), status) << command[0] << " " << words << "\n" << bench.err;
    const auto at = bench.err.find(words);
    ASSERT_NE(at, std::string::npos) << command[0] << " " << words << "\n" << bench.err;
    const auto begin = bench.err.rfind('\n', at) + 1;
    EXPECT_EQ(bench.err.find("tunctl: " + place, begin), begin) << place << "\n" << bench.err;
    if (status != kOk) {
      EXPECT_EQ(bench.files.changes, changes) << command[0];
    }
  }

  Bench bench;
};

TEST_F(KeyMaterial, GoodOnesAreNotTalkedAbout) {
  bench.files.put("/srv/admin/a.ovpn", Blocks().config(), 0600);
  EXPECT_EQ(bench.run({"import", "a.ovpn"}), kOk) << bench.err;
  EXPECT_EQ(bench.err.find("key:"), std::string::npos) << bench.err;
}

TEST_F(KeyMaterial, WhatEndsAnEngineIsRefusedWithItsLine) {
  const auto& shared = support::shared_pki();
  const std::string fixed = ovpn::format_static_key(ovpn::generate_static_key());
  const std::string server_key =
      "-----BEGIN OpenVPN tls-crypt-v2 server key-----\nAAAA\n"
      "-----END OpenVPN tls-crypt-v2 server key-----\n";
  Blocks blocks;
  blocks.key = shared.server.key;
  expect(blocks, kInvalid, "<key>",
         "key: this key is not the one of the certificate beside it; put the two that belong "
         "together there");
  blocks = {};
  blocks.cert = shared.client.key;
  expect(blocks, kInvalid, "<cert>",
         "cert: this is a PEM private key, not a certificate; it takes PEM text");
  blocks = {};
  blocks.key = fixed;
  expect(blocks, kInvalid, "<key>",
         "key: this is an OpenVPN static key, not a private key; it takes PEM text");
  blocks = {};
  blocks.ca = "junk\n";
  expect(blocks, kInvalid, "<ca>", "ca: there is no certificate in it; it takes PEM text");
  blocks.ca = "";
  expect(blocks, kInvalid, "<ca>", "ca: there is nothing in it; it takes PEM text");
  blocks.ca = shared.pki.ca();
  blocks.ca.erase(200, 70);
  expect(blocks, kInvalid, "<ca>", "ca: the certificate in it is damaged; copy it again");
  blocks = {};
  blocks.key.erase(60, 20);
  expect(blocks, kInvalid, "<key>", "key: the private key in it is damaged");
  blocks = {};
  blocks.more = block("tls-auth", shared.server.key);
  expect(blocks, kInvalid, shared.server.key,
         "tls-auth: this is a PEM private key, not an OpenVPN");
  blocks.more = block("tls-crypt", "");
  expect(blocks, kInvalid, "</tls-crypt>\n", "tls-crypt: the key file is empty; it has to be the");
  blocks.more = block("tls-crypt-v2", server_key);
  expect(blocks, kInvalid, "<tls-crypt-v2>",
         "tls-crypt-v2: this is the server's tls-crypt-v2 key, which must never leave the server; "
         "ask its admin for a client key");
  blocks.more = block("tls-crypt-v2", fixed);
  expect(blocks, kInvalid, "<tls-crypt-v2>",
         "tls-crypt-v2: this is an OpenVPN static key, not a tls-crypt-v2 client key; it takes");
}

TEST_F(KeyMaterial, FilesAreNamedByTheirPath) {
  bench.files.put("/srv/admin/a.ovpn", std::string(kBegin) + "ca c/ca.crt\ncert me.crt\nkey k\n");
  bench.files.put("/srv/admin/c/ca.crt", support::shared_pki().pki.ca());
  bench.files.put("/srv/admin/me.crt", support::shared_pki().client.certificate);
  bench.files.put("/srv/admin/k", support::shared_pki().server.key, 0600);
  EXPECT_EQ(bench.run({"import", "a.ovpn"}), kInvalid);
  EXPECT_NE(bench.err.find("tunctl: /srv/admin/k: key: this key is not the one of the cert"),
            std::string::npos)
      << bench.err;
  bench.files.put("/srv/admin/k", support::shared_pki().client.key, 0600);
  EXPECT_EQ(bench.run({"import", "a.ovpn"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"check", "a"}), kOk) << bench.err;
  bench.files.put("/etc/tunctl/keys/a/ca.crt", "", 0600);
  EXPECT_EQ(bench.run({"check", "a"}), kInvalid);
  EXPECT_NE(bench.err.find("tunctl: /etc/tunctl/keys/a/ca.crt: ca: there is nothing in it"),
            std::string::npos)
      << bench.err;
}

TEST_F(KeyMaterial, IntoAPkcs12FileIsLookedAsFarAsItOpens) {
  const auto& pki = support::shared_pki().pki;
  const auto now = support::kTestNow;
  const auto old = pki.issue({.common_name = "c", .from = now - 9 * kDay, .until = now - kDay});
  constexpr const char* kExpired =
      "me.p12: warning: pkcs12: certificate O = Test, CN = c expired on 2027-01-14; have a new one";
  constexpr const char* kSoon =
      "me.p12: warning: pkcs12: certificate O = Test, CN = test-ca expires on 2027-01-25";
  bench.files.put("/srv/admin/a.ovpn", std::string(kBegin) + "pkcs12 me.p12\n");
  bench.files.put("/srv/admin/me.p12", pki.bundle(old, ""), 0600);
  EXPECT_EQ(bench.run({"import", "a.ovpn"}), kOk) << bench.err;
  for (const char* words : {kExpired, kSoon}) {
    EXPECT_NE(bench.err.find(words), std::string::npos) << bench.err;
  }
  bench.files.put("/etc/tunctl/keys/a/me.p12", pki.bundle(old, "secret"), 0600);
  EXPECT_EQ(bench.run({"check", "a"}), kOk) << bench.err;
  EXPECT_EQ(bench.err.find("expired"), std::string::npos) << bench.err;
  bench.files.put("/etc/tunctl/keys/a/askpass", "secret\n", 0600);
  EXPECT_EQ(bench.run({"check", "a"}), kOk) << bench.err;
  EXPECT_NE(bench.err.find(kExpired), std::string::npos) << bench.err;
}

TEST_F(KeyMaterial, TheLastOfSeveralCounts) {
  Blocks blocks;
  const std::string good = blocks.ca;
  blocks.ca = "junk\n";
  blocks.more = block("ca", good);
  bench.files.put("/srv/admin/a.ovpn", blocks.config(), 0600);
  EXPECT_EQ(bench.run({"import", "a.ovpn"}), kOk) << bench.err;
  blocks.ca = good;
  blocks.more = block("ca", "junk\n");
  bench.files.put("/srv/admin/b.ovpn", blocks.config(), 0600);
  EXPECT_EQ(bench.run({"import", "b.ovpn"}), kInvalid) << bench.err;
}

TEST_F(KeyMaterial, WhatIsStaleIsAWarningWithItsDate) {
  const auto& pki = support::shared_pki().pki;
  const auto with = [](const support::Identity& made) {
    Blocks blocks;
    blocks.cert = made.certificate;
    blocks.key = made.key;
    return blocks;
  };
  const auto now = support::kTestNow;
  expect(with(pki.issue({.common_name = "c", .from = now - 9 * kDay, .until = now - kDay})), kOk,
         "-----BEGIN CERT",
         "warning: ca: certificate O = Test, CN = test-ca expires on 2027-01-25, "
         "in 10 days; see to a new one in time");
  Blocks blocks =
      with(pki.issue({.common_name = "c", .from = now - 9 * kDay, .until = now - kDay}));
  expect(blocks, kOk, blocks.cert,
         "warning: cert: certificate O = Test, CN = c expired on 2027-01-14; have a new one made");
  blocks = with(pki.issue({.common_name = "c", .from = now + kDay, .until = now + 90 * kDay}));
  expect(blocks, kOk, blocks.cert,
         "warning: cert: certificate O = Test, CN = c is valid only from 2027-01-16 on, and the "
         "clock here says 2027-01-15; is the clock right?");
  blocks = with(pki.issue({.common_name = "c", .until = now + 90 * kDay, .digest = "SHA1"}));
  expect(blocks, kOk, blocks.cert,
         "cert: certificate O = Test, CN = c is signed with SHA1, which OpenSSL 3 refuses at the "
         "start; have it signed anew with SHA-256; `tls-cert-profile insecure` takes it");
  blocks.more = "tls-cert-profile insecure\n";
  expect(blocks, kOk, blocks.cert, "is signed with SHA1, which can be forged; have it signed anew");
  blocks = with(pki.issue({.common_name = "c", .until = now + 90 * kDay, .rsa_bits = 1024}));
  expect(blocks, kOk, blocks.cert, "has an RSA key of 1024 bits, which can be broken; have one");
  blocks.more = "tls-cert-profile preferred\n";
  expect(blocks, kOk, blocks.cert,
         "has an RSA key of 1024 bits, which OpenSSL 3 refuses; have one");
  const auto root = pki.self_signed(
      {.common_name = "r", .until = now + 90 * kDay, .authority = true, .digest = "SHA1"});
  blocks = {};
  blocks.ca += root.certificate;
  expect(blocks, kOk, root.certificate,
         "ca: certificate O = Test, CN = r is signed with SHA1; as a root it is taken, but OpenSSL "
         "3 refuses what it signed so");
}

}  // namespace
}  // namespace cli
