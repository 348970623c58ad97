// SPDX-License-Identifier: Apache-2.0
// TLS between two ends in memory: whom either trusts, and what it says when it does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "base/error.h"
#include "fastpath/crypto/tls_session.h"
#include "fastpath/crypto/valid_from.h"
#include "tests/support/test_pki.h"

namespace {

using config::CertificateConfig;
using config::TlsRole;
using crypto::FileFound;
using support::Identity;
using support::kTestNow;
using support::shared_pki;
using testing::HasSubstr;

config::ConfigFile text_file(const std::string& name, const std::string& text) {
  config::ConfigFile file;
  file.name = name;
  file.text = text;
  return file;
}

CertificateConfig config_of(const Identity& own) {
  CertificateConfig config;
  config.ca = text_file("ca.crt", shared_pki().pki.ca());
  config.cert = text_file("own.crt", own.certificate);
  config.key = text_file("own.key", own.key);
  return config;
}

struct Pair {
  CertificateConfig client = config_of(shared_pki().client);
  CertificateConfig server = config_of(shared_pki().server);
  base::UnixSeconds client_clock = kTestNow, server_clock = kTestNow;
  crypto::FindFile find_file = {};
};

struct Outcome {
  bool established = false;
  std::string client_failure, server_failure;
  std::string client_description, name_of_client, name_of_server;
  bool same_export = false, talked = false;
};

void move_bytes(crypto::TlsSession& from, crypto::TlsSession& to) {
  std::array<std::uint8_t, 700> bytes{};
  while (const std::size_t size = from.take_output(bytes)) {
    to.feed(base::ByteSpan(bytes).first(size));
  }
}

bool exports_agree(crypto::TlsSession& a, crypto::TlsSession& b) {
  base::Bytes first(256), second(256);
  return a.export_keys("EXPORTER-OpenVPN-datakeys", first) &&
         b.export_keys("EXPORTER-OpenVPN-datakeys", second) && first == second;
}

bool text_arrives(crypto::TlsSession& from, crypto::TlsSession& to) {
  if (!from.write(base::as_bytes("hello"))) return false;
  move_bytes(from, to);
  const auto record = to.read();
  return record && base::as_text(record->view()) == "hello" && !to.read();
}

Outcome shake_hands(const Pair& pair) {
  crypto::Library library;
  const crypto::TlsContext client_context(library, pair.client, TlsRole::kClient, pair.find_file);
  const crypto::TlsContext server_context(library, pair.server, TlsRole::kServer, pair.find_file);
  crypto::TlsSession client(client_context, pair.client_clock);
  crypto::TlsSession server(server_context, pair.server_clock);
  for (int turn = 0; turn < 10; ++turn) {
    client.advance();
    move_bytes(client, server);
    server.advance();
    move_bytes(server, client);
  }
  client.read();  // the server's verdict on a TLS 1.3 client comes after the handshake
  Outcome outcome;
  outcome.established = client.established() && server.established();
  outcome.client_failure = client.failure();
  outcome.server_failure = server.failure();
  if (!outcome.established || client.failed() || server.failed()) {
    outcome.established = false;
    return outcome;
  }
  outcome.client_description = client.description();
  outcome.name_of_client = server.peer_name();
  outcome.name_of_server = client.peer_name();
  outcome.same_export = exports_agree(client, server);
  outcome.talked = text_arrives(client, server) && text_arrives(server, client);
  return outcome;
}

TEST(TlsSession, BothVersionsWork) {
  for (const char* version : {"1.2", "1.3"}) {
    Pair pair;
    pair.client.version_max = version;
    const Outcome outcome = shake_hands(pair);
    EXPECT_TRUE(outcome.established) << outcome.client_failure << outcome.server_failure;
    EXPECT_TRUE(outcome.same_export && outcome.talked);
    EXPECT_THAT(outcome.client_description, HasSubstr(std::string("TLSv") + version));
    EXPECT_EQ(outcome.name_of_client, "client");
    EXPECT_EQ(outcome.name_of_server, "server");
  }
}

// What the client says when it does not take the server, which is as it should be but for `change`.
std::string refusal(const std::function<void(Pair&)>& change) {
  Pair pair;
  change(pair);
  const Outcome outcome = shake_hands(pair);
  EXPECT_EQ(outcome.established, outcome.client_failure.empty() && outcome.server_failure.empty());
  return outcome.client_failure;
}

Identity server_with(support::CertificateWish wish) {
  wish.common_name = "server";
  return shared_pki().pki.issue(wish);
}

void use(CertificateConfig& config, const Identity& identity) {
  config.cert.text = identity.certificate;
  config.key.text = identity.key;
}

TEST(Certificates, OutOfTheirTimeAreToldWithDateAndRemedy) {
  EXPECT_THAT(refusal([](Pair& pair) { pair.client_clock = kTestNow + 2 * 86400; }),
              testing::AllOf(HasSubstr("the peer's certificate (O=Test, CN=server) expired on "
                                       "2027-01-16 08:00 UTC"),
                             HasSubstr("the clock here says 2027-01-17 08:00 UTC"),
                             HasSubstr("renew it, or set the clock")));
  EXPECT_THAT(refusal([](Pair& pair) { pair.client_clock = kTestNow - 2 * 86400; }),
              testing::AllOf(HasSubstr("valid only from 2027-01-14 08:00 UTC on"),
                             HasSubstr("set the clock")));
  EXPECT_THAT(refusal([](Pair& pair) { pair.client_clock = kTestNow + 11 * 86400; }),
              HasSubstr("expired on"));
  EXPECT_EQ(refusal([](Pair&) {}), "");
}

TEST(Certificates, OfThisEndAreCheckedToo) {
  crypto::Library library;
  const CertificateConfig config = config_of(shared_pki().client);
  const crypto::TlsContext context(library, config, TlsRole::kClient, {});
  EXPECT_EQ(context.own_certificate_trouble(kTestNow), "");
  EXPECT_THAT(context.own_certificate_trouble(kTestNow + 2 * 86400),
              HasSubstr("this end's own certificate (O=Test, CN=client) expired on"));
}

TEST(Certificates, SayFromWhenOnAHandshakeCanSucceed) {
  using support::kTestNow;
  config::CertificateConfig config;
  EXPECT_EQ(crypto::valid_from(config), std::nullopt);
  config.cert.text = shared_pki().pki.issue({.from = kTestNow + 5000}).certificate;
  EXPECT_EQ(crypto::valid_from(config), kTestNow + 5000);
  config.ca.text = shared_pki().pki.issue({.from = kTestNow + 9000}).certificate;
  EXPECT_EQ(crypto::valid_from(config), kTestNow + 9000);
  // A successor that lies beside its predecessor is nothing to wait for.
  config.ca.text += shared_pki().pki.issue({.from = kTestNow}).certificate;
  EXPECT_EQ(crypto::valid_from(config), kTestNow + 5000);
  config.cert.text = config.ca.text = "no certificate";
  EXPECT_EQ(crypto::valid_from(config), std::nullopt);
}

TEST(Certificates, OfAnotherAuthorityAreRefused) {
  const support::TestPki other("other-ca");
  EXPECT_THAT(
      refusal([&](Pair& pair) { use(pair.server, other.issue({.common_name = "server"})); }),
      HasSubstr("ca must hold the certificate that signed it"));
}

TEST(Certificates, RemoteCertTlsWantsTheRightKind) {
  const auto wanting = [](Pair& pair) { pair.client.remote_cert_tls = TlsRole::kServer; };
  EXPECT_EQ(refusal(wanting), "");
  EXPECT_THAT(refusal([&](Pair& pair) {
                wanting(pair);
                use(pair.server, server_with({.extended_key_usage = ""}));
              }),
              HasSubstr("not good for 'TLS Web Server Authentication'"));
  EXPECT_THAT(refusal([&](Pair& pair) {
                wanting(pair);
                use(pair.server,
                    server_with({.key_usage = "", .extended_key_usage = "serverAuth"}));
              }),
              HasSubstr("no key usage"));
}

TEST(Certificates, KeyUsagesAreAnyOfTheList) {
  EXPECT_EQ(refusal([](Pair& pair) { pair.client.key_usages = {0x20, 0x88}; }), "");
  EXPECT_THAT(refusal([](Pair& pair) {
                pair.client.key_usages = {0x20, 0xA0};
              }),
              HasSubstr("remote-cert-ku"));
  for (const char* name : {"serverAuth", "TLS Web Server Authentication", "1.3.6.1.5.5.7.3.1"}) {
    EXPECT_EQ(refusal([&](Pair& pair) { pair.client.extended_key_usage = name; }), "") << name;
  }
  EXPECT_THAT(refusal([](Pair& pair) { pair.client.extended_key_usage = "codeSigning"; }),
              HasSubstr("codeSigning"));
}

TEST(Certificates, NamesAreComparedAsVerifyX509NameSays) {
  using Kind = CertificateConfig::Name::Kind;
  const auto named = [](Kind kind, const char* value) {
    return refusal([=](Pair& pair) { pair.client.peer_name = {kind, value}; });
  };
  EXPECT_EQ(named(Kind::kName, "server"), "");
  EXPECT_EQ(named(Kind::kNamePrefix, "serv"), "");
  EXPECT_EQ(named(Kind::kSubject, "O=Test, CN=server"), "");
  EXPECT_THAT(named(Kind::kName, "serv"), HasSubstr("its name is 'server'"));
  EXPECT_THAT(named(Kind::kNamePrefix, "x"), HasSubstr("verify-x509-name wants 'x'"));
  EXPECT_THAT(named(Kind::kSubject, "CN=server"), HasSubstr("'O=Test, CN=server'"));
}

TEST(Certificates, FingerprintsAloneAreEnough) {
  const Identity own = shared_pki().pki.self_signed({.common_name = "alone"});
  const auto pinned = [&](const std::string& fingerprint) {
    return refusal([&](Pair& pair) {
      pair.client.ca = {};
      pair.client.fingerprints = {"00:11", fingerprint};
      use(pair.server, own);
    });
  };
  EXPECT_EQ(pinned(own.fingerprint), "");
  EXPECT_THAT(pinned(shared_pki().server.fingerprint), HasSubstr("is not in peer-fingerprint"));
}

TEST(Certificates, VerifyHashIsTheIssuers) {
  const auto hashed = [](const std::string& value) {
    return refusal([&](Pair& pair) {
      pair.client.issuer_hash = CertificateConfig::Hash{.digest = "SHA256", .values = {value}};
    });
  };
  EXPECT_THAT(hashed(shared_pki().server.fingerprint), HasSubstr("is not in verify-hash"));
}

TEST(Certificates, RevokedOnesAreRefused) {
  const auto listed = [](long serial, base::UnixSeconds until) {
    return refusal([&](Pair& pair) {
      pair.client.crl = text_file("crl.pem", shared_pki().pki.revoke(serial, until));
    });
  };
  EXPECT_THAT(listed(2, kTestNow + 86400), HasSubstr("revoked"));
  EXPECT_EQ(listed(9, kTestNow + 86400), "");
  EXPECT_THAT(listed(9, kTestNow - 60), HasSubstr("the list of crl-verify expired on"));
  std::vector<std::string> asked;
  EXPECT_THAT(refusal([&](Pair& pair) {
                pair.client.crl_directory = "revoked";
                pair.find_file = [&](const std::string& path) {
                  asked.push_back(path);
                  return path == "revoked/2" ? FileFound::kThere : FileFound::kNotThere;
                };
              }),
              HasSubstr("crl-verify's folder has a file"));
  EXPECT_THAT(asked, testing::Contains("revoked/2"));
}

// A folder that cannot be read any more must not make revoked certificates good again.
TEST(Certificates, AreRefusedWhereTheFolderOfRevokedOnesCannotBeSearched) {
  for (const FileFound found : {FileFound::kNotThere, FileFound::kCannotTell}) {
    const std::string why = refusal([&](Pair& pair) {
      pair.client.crl_directory = "revoked";
      pair.find_file = [&](const std::string&) { return found; };
    });
    EXPECT_EQ(why.empty(), found == FileFound::kNotThere) << why;
    if (found == FileFound::kNotThere) continue;
    EXPECT_THAT(why, HasSubstr("crl-verify's folder revoked cannot be searched"));
  }
  EXPECT_NE(refusal([](Pair& pair) { pair.client.crl_directory = "revoked"; }), "");
}

TEST(Certificates, AServerWantsOne) {
  Pair pair;
  pair.client.cert = pair.client.key = {};
  EXPECT_THAT(shake_hands(pair).server_failure, HasSubstr("write cert and key there"));
}

TEST(Certificates, TheFarEndsAlertSaysWhatToDo) {
  Pair pair;
  pair.server_clock = kTestNow + 2 * 86400;
  const Outcome outcome = shake_hands(pair);
  EXPECT_FALSE(outcome.established);
  EXPECT_THAT(outcome.client_failure, HasSubstr("refused our certificate as expired"));
}

TEST(Certificates, LieInEncryptedKeysAndBundles) {
  Pair pair;
  pair.client.key.text = support::TestPki::encrypted(shared_pki().client.key, "sesame");
  pair.client.passphrase = "sesame";
  EXPECT_TRUE(shake_hands(pair).established);
  pair.client = {};
  pair.client.pkcs12 = text_file("own.p12", shared_pki().pki.bundle(shared_pki().client, "open"));
  pair.client.passphrase = "open";
  EXPECT_TRUE(shake_hands(pair).established);
}

TEST(Versions, WithoutACommonOneAreTold) {
  Pair pair;
  pair.client.version_max = "1.2";
  pair.server.version_min = "1.3";
  EXPECT_THAT(shake_hands(pair).client_failure, HasSubstr("versions of TLS"));
}

std::string context_refusal(const std::function<void(CertificateConfig&)>& change) {
  CertificateConfig config = config_of(shared_pki().client);
  change(config);
  crypto::Library library;
  try {
    const crypto::TlsContext context(library, config, TlsRole::kClient, {});
  } catch (const base::FatalError& error) {
    EXPECT_EQ(error.exit_status(), crypto::kExitConfig);
    return error.what();
  }
  return "";
}

TEST(TlsContext, NamesTheFileAndTheRemedy) {
  EXPECT_THAT(context_refusal([](auto& config) { config.cert.text = "x"; }),
              HasSubstr("own.crt: holds no certificate"));
  EXPECT_THAT(context_refusal([](auto& config) {
                config.cert = {"[inline]", "x", {"/run/a.conf", 7, 1}};
              }),
              testing::StartsWith("/run/a.conf:7:1: holds no certificate; it should be PEM"));
  EXPECT_THAT(context_refusal([](auto& config) { config.key.text = shared_pki().server.key; }),
              HasSubstr("own.key: the private key does not belong to the certificate"));
  EXPECT_THAT(context_refusal([](auto& config) { config.ca.text = ""; }), HasSubstr("ca.crt"));
  EXPECT_THAT(context_refusal([](auto& config) {
                config.key.text = support::TestPki::encrypted(config.key.text, "sesame");
              }),
              HasSubstr("write askpass FILE"));
  EXPECT_THAT(context_refusal([](auto& config) {
                config.key.text = support::TestPki::encrypted(config.key.text, "sesame");
                config.passphrase = "wrong";
              }),
              HasSubstr("is the passphrase of askpass right?"));
  EXPECT_THAT(context_refusal([](auto& config) { config.ca = {}; }), HasSubstr("peer-fingerprint"));
  EXPECT_THAT(context_refusal([](auto& config) { config.ciphers = "NONSENSE"; }),
              HasSubstr("tls-cipher"));
  EXPECT_THAT(context_refusal([](auto& config) { config.groups = "nonsense"; }),
              HasSubstr("tls-groups"));
  EXPECT_THAT(context_refusal([](auto& config) { config.version_min = "9"; }),
              HasSubstr("tls-version-min"));
  EXPECT_EQ(context_refusal([](auto& config) {
              config.ciphers = "TLS-ECDHE-ECDSA-WITH-AES-256-GCM-SHA384";
              config.ciphersuites = "TLS-AES-256-GCM-SHA384";
              config.groups = "X25519:P-256";
              config.profile = "preferred";
            }),
            "");
}

}  // namespace
