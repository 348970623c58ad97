// SPDX-License-Identifier: Apache-2.0
#include "fastpath/config/tls_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fastpath/config/tunnel_config.h"
#include "ovpn/lexer.h"
#include "ovpn/native_support.h"

namespace {

using config::ControlWrap;
using config::TlsConfig;
using config::TlsRole;
using config::TunnelConfig;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kClient =
    "client\ndev tun\nproto udp\nremote vpn.example 1194\nca ca.crt\ncert c.crt\nkey c.key\n";

base::Result<TunnelConfig, base::Problems> make(const std::string& text) {
  const auto lexed = ovpn::lex_config("t.ovpn", text);
  EXPECT_THAT(lexed.problems, IsEmpty()) << text;
  return config::make_tunnel_config(lexed.profile);
}

TunnelConfig read_all(const std::string& text) {
  auto result = make(text);
  if (!result) {
    for (const auto& problem : result.error()) ADD_FAILURE() << to_string(problem);
    return {};
  }
  return std::move(*result);
}

TlsConfig read(const std::string& lines) {
  const TunnelConfig config = read_all(kClient + lines);
  EXPECT_TRUE(config.tls);
  return config.tls.value_or(TlsConfig{});
}

std::string problem(const std::string& lines) {
  const auto result = make(kClient + lines);
  if (result.ok()) return "";
  return result.error().size() == 1 ? to_string(result.error()[0])
                                    : std::to_string(result.error().size()) + " problems";
}

std::string warnings(const std::string& lines) {
  std::string all;
  for (const auto& warning : read_all(kClient + lines).warnings) all += to_string(warning) + "\n";
  return all;
}

TEST(TlsConfig, APlainClientHasStocksDefaults) {
  const TunnelConfig whole = read_all(kClient);
  ASSERT_TRUE(whole.tls);
  const TlsConfig& c = *whole.tls;
  EXPECT_EQ(c.role, TlsRole::kClient);
  EXPECT_TRUE(c.pull.pull);
  EXPECT_EQ(c.wrap.kind, ControlWrap::kNone);
  EXPECT_EQ(c.certificate.ca.name, "ca.crt");
  EXPECT_EQ(c.certificate.key.name, "c.key");
  EXPECT_EQ(c.certificate.version_min, "1.2");
  EXPECT_FALSE(c.credentials.wanted);
  EXPECT_EQ(c.renegotiation.reneg_seconds, 3600);
  EXPECT_EQ(c.renegotiation.transition_window_seconds, 3600);
  EXPECT_EQ(c.renegotiation.hand_window_seconds, 60);
  EXPECT_EQ(c.renegotiation.max_packet_bytes, 1250);
  EXPECT_THAT(c.negotiation.data_ciphers,
              ElementsAre("AES-256-GCM", "AES-128-GCM", "CHACHA20-POLY1305"));
  EXPECT_EQ(c.negotiation.fallback, std::nullopt);
  EXPECT_EQ(c.negotiation.occ_cipher, "BF-CBC");
  EXPECT_EQ(c.negotiation.auth, "SHA1");
  EXPECT_FALSE(whole.crypto.null_mode);
  EXPECT_EQ(whole.link.local_port, std::nullopt);  // nobind
  EXPECT_EQ(whole.keepalive.ping_restart_seconds, 120);
  EXPECT_THAT(whole.warnings, IsEmpty());
}

TEST(TlsConfig, PullChangesDefaultsOnlyWhereNothingIsSaid) {
  EXPECT_EQ(read_all(std::string(kClient) + "lport 5\n").link.local_port, "5");
  EXPECT_EQ(read_all(std::string(kClient) + "bind\n").link.local_port, "1194");
  EXPECT_EQ(read_all(std::string(kClient) + "ping-restart 0\n").keepalive.ping_restart_seconds, 0);
  EXPECT_EQ(read_all(std::string(kClient) + "ping-exit 9\n").keepalive.ping_restart_seconds, 0);
  const TunnelConfig p2p = read_all(
      "tls-server\ndev tun\nifconfig 10.0.0.1 10.0.0.2\npeer-fingerprint " + std::string("00") +
      [] {
        std::string rest;
        for (int i = 1; i < 32; ++i) rest += ":aB";
        return rest;
      }() +
      "\ncert c\nkey k\n");
  ASSERT_TRUE(p2p.tls);
  EXPECT_EQ(p2p.tls->role, TlsRole::kServer);
  EXPECT_FALSE(p2p.tls->pull.pull);
  EXPECT_EQ(p2p.link.local_port, "1194");
  EXPECT_EQ(p2p.keepalive.ping_restart_seconds, 0);
  ASSERT_EQ(p2p.tls->certificate.fingerprints.size(), 1u);
  EXPECT_TRUE(p2p.tls->certificate.fingerprints[0].starts_with("00:AB:AB"));
}

TEST(TlsConfig, WrapsOfTheControlChannel) {
  const TlsConfig line = read("tls-auth ta.key 1\nauth SHA512\n");
  EXPECT_EQ(line.wrap.kind, ControlWrap::kTlsAuth);
  EXPECT_EQ(line.wrap.key.name, "ta.key");
  EXPECT_EQ(line.wrap.direction, 1);
  EXPECT_EQ(line.wrap.digest, "SHA512");
  const TlsConfig block = read("key-direction 0\n<tls-auth>\nabc\n</tls-auth>\n");
  EXPECT_EQ(block.wrap.direction, 0);
  EXPECT_EQ(block.wrap.key.name, "[inline]");
  EXPECT_EQ(block.wrap.key.text, "abc\n");
  EXPECT_EQ(read("tls-auth ta.key\n").wrap.direction, std::nullopt);
  EXPECT_EQ(read("tls-crypt tc.key\n").wrap.kind, ControlWrap::kTlsCrypt);
  EXPECT_EQ(read("<tls-crypt-v2>\nx\n</tls-crypt-v2>\n").wrap.kind, ControlWrap::kTlsCryptV2);
  EXPECT_THAT(problem("tls-auth ta.key 5\n"),
              HasSubstr("t.ovpn:8:1: tls-auth: '5' is no key direction"));
  EXPECT_THAT(problem("tls-auth [inline]\n"), HasSubstr("there is no <tls-auth> block"));
}

TEST(TlsConfig, TheOldCipherLineIsReadAs25DidAndThatIsSaid) {
  const TlsConfig c = read("cipher aes-256-cbc\n");
  EXPECT_THAT(c.negotiation.data_ciphers,
              ElementsAre("AES-256-GCM", "AES-128-GCM", "CHACHA20-POLY1305", "AES-256-CBC"));
  EXPECT_EQ(c.negotiation.fallback, "AES-256-CBC");
  EXPECT_EQ(c.negotiation.occ_cipher, "AES-256-CBC");
  EXPECT_THAT(warnings("cipher AES-256-CBC\n"),
              HasSubstr("t.ovpn:8:1: cipher AES-256-CBC: offered after AES-256-GCM, and used with "
                        "a peer that cannot negotiate, as OpenVPN 2.5 did"));
  EXPECT_EQ(warnings("cipher AES-256-GCM\n"), "");
  EXPECT_THAT(warnings("cipher BF-CBC\n"), HasSubstr("SWEET32"));
}

TEST(TlsConfig, DataCiphers) {
  const auto ciphers = [](const std::string& lines) { return read(lines).negotiation; };
  EXPECT_THAT(ciphers("data-ciphers AES-128-GCM:aes-256-gcm:AES-128-GCM\n").data_ciphers,
              ElementsAre("AES-128-GCM", "AES-256-GCM"));
  EXPECT_THAT(ciphers("ncp-ciphers AES-128-GCM\n").data_ciphers, ElementsAre("AES-128-GCM"));
  EXPECT_THAT(ciphers("data-ciphers ?NO-SUCH:AES-128-GCM\n").data_ciphers,
              ElementsAre("AES-128-GCM"));
  EXPECT_THAT(ciphers("data-ciphers DEFAULT:AES-256-CBC\n").data_ciphers,
              ElementsAre("AES-256-GCM", "AES-128-GCM", "CHACHA20-POLY1305", "AES-256-CBC"));
  const auto fallback = ciphers("data-ciphers AES-256-GCM\ndata-ciphers-fallback AES-128-CBC\n");
  EXPECT_EQ(fallback.fallback, "AES-128-CBC");
  EXPECT_EQ(fallback.occ_cipher, "AES-128-CBC");
  EXPECT_THAT(fallback.data_ciphers, ElementsAre("AES-256-GCM"));
  EXPECT_THAT(ciphers("ncp-disable\ncipher AES-256-CBC\n").data_ciphers,
              ElementsAre("AES-256-CBC"));
  EXPECT_THAT(problem("data-ciphers NO-SUCH:AES-128-GCM\n"),
              HasSubstr("t.ovpn:8:1: data-ciphers: 'NO-SUCH' is not known"));
  EXPECT_THAT(problem("data-ciphers ?NO-SUCH\n"), HasSubstr("no cipher is left"));
  EXPECT_THAT(problem("data-ciphers " + std::string(128, 'A') + "\n"), HasSubstr("2 problems"));
  EXPECT_THAT(problem("ncp-disable\n"), HasSubstr("ncp-disable without `cipher`"));
}

TEST(TlsConfig, CompatModeIsAsOldAsItSays) {
  EXPECT_EQ(read("compat-mode 2.3.6\n").certificate.version_min, "1.0");
  EXPECT_EQ(read("compat-mode 2.3.7\n").certificate.version_min, "1.2");
  EXPECT_EQ(read("compat-mode 2.3.6\ntls-version-min 1.1\n").certificate.version_min, "1.1");
  EXPECT_EQ(read("compat-mode 2.3\n").negotiation.fallback, "BF-CBC");
  EXPECT_EQ(read("compat-mode 2.4.0\n").negotiation.fallback, std::nullopt);
  EXPECT_THAT(problem("compat-mode old\n"), HasSubstr("is no version of OpenVPN"));
}

TEST(TlsConfig, Times) {
  const TlsConfig c = read(
      "reneg-sec 600 300\nreneg-bytes 5000000000\nreneg-pkts 9\ntran-window 5\nhand-window 7\n"
      "tls-timeout 3\nmax-packet-size 500\ntls-exit\nsingle-session\n");
  EXPECT_EQ(c.renegotiation.reneg_seconds, 600);
  EXPECT_EQ(c.renegotiation.reneg_seconds_min, 300);
  EXPECT_EQ(c.renegotiation.reneg_bytes, 5000000000);
  EXPECT_EQ(c.renegotiation.reneg_packets, 9);
  EXPECT_EQ(c.renegotiation.transition_window_seconds, 5);
  EXPECT_EQ(c.renegotiation.hand_window_seconds, 7);
  EXPECT_EQ(c.renegotiation.tls_timeout_seconds, 3);
  EXPECT_EQ(c.renegotiation.max_packet_bytes, 500);
  EXPECT_TRUE(c.tls_exit);
  EXPECT_TRUE(c.single_session);
  EXPECT_THAT(warnings("reneg-sec 0\n"), HasSubstr("never asks for new keys"));
  EXPECT_THAT(problem("reneg-sec often\n"), HasSubstr("reneg-sec: 'often' is not a number"));
  EXPECT_THAT(problem("hand-window 0\n"), HasSubstr("write one from 1 to"));
}

TEST(TlsConfig, Credentials) {
  using Retry = config::CredentialsConfig::Retry;
  const TlsConfig asked = read("auth-user-pass\nauth-nocache\nauth-retry nointeract\n");
  EXPECT_TRUE(asked.credentials.wanted);
  EXPECT_FALSE(asked.credentials.file.given());
  EXPECT_TRUE(asked.credentials.nocache);
  EXPECT_EQ(asked.credentials.retry, Retry::kNointeract);
  EXPECT_EQ(read("auth-user-pass login.txt\n").credentials.file.name, "login.txt");
  EXPECT_EQ(read("<auth-user-pass>\nu\np\n</auth-user-pass>\n").credentials.file.text, "u\np\n");
  const TlsConfig challenge = read("auth-user-pass\nstatic-challenge \"Your code\" 1\n");
  EXPECT_EQ(challenge.credentials.static_challenge, "Your code");
  EXPECT_TRUE(challenge.credentials.static_challenge_echo);
  EXPECT_THAT(problem("auth-retry maybe\n"), HasSubstr("write none, nointeract or interact"));
  EXPECT_TRUE(read("askpass pass.txt\n").certificate.askpass);
}

TEST(TlsConfig, WhatThePeersCertificateMustBe) {
  using Kind = config::CertificateConfig::Name::Kind;
  const auto c = read(
                     "remote-cert-tls server\nverify-x509-name \"C=x, CN=vpn\" subject\n"
                     "remote-cert-ku a0 0x88\nremote-cert-eku 1.2.3\ncrl-verify crl.pem\n")
                     .certificate;
  EXPECT_EQ(c.remote_cert_tls, TlsRole::kServer);
  ASSERT_TRUE(c.peer_name);
  EXPECT_EQ(c.peer_name->value, "C=x, CN=vpn");
  EXPECT_EQ(c.peer_name->kind, Kind::kSubject);
  EXPECT_THAT(c.key_usages, ElementsAre(0xa0u, 0x88u));
  EXPECT_EQ(c.extended_key_usage, "1.2.3");
  EXPECT_EQ(c.crl.name, "crl.pem");
  EXPECT_EQ(read("verify-x509-name vpn name-prefix\n").certificate.peer_name->kind,
            Kind::kNamePrefix);
  EXPECT_EQ(read("crl-verify crls dir\n").certificate.crl_directory, "crls");
  EXPECT_THAT(read("remote-cert-ku\n").certificate.key_usages, ElementsAre(config::kAnyKeyUsage));
  EXPECT_THAT(warnings("ns-cert-type server\n"), HasSubstr("`remote-cert-tls server`"));
  EXPECT_THAT(problem("verify-x509-name vpn host\n"), HasSubstr("subject, name or name-prefix"));
  EXPECT_THAT(problem("remote-cert-tls peer\n"), HasSubstr("write server or client"));
  EXPECT_THAT(problem("peer-fingerprint 00:11\n"), HasSubstr("no fingerprint of 32 bytes"));
  EXPECT_THAT(problem("verify-hash 00:11\n"), HasSubstr("no fingerprint of 20 bytes"));
}

TEST(TlsConfig, VersionsAndCiphersOfTls) {
  const auto c =
      read(
          "tls-version-min 1.3\ntls-version-max 1.3\ntls-cipher DEFAULT:@SECLEVEL=0\n"
          "tls-ciphersuites TLS_AES_128_GCM_SHA256\ntls-cert-profile preferred\necdh-curve x\n")
          .certificate;
  EXPECT_EQ(c.version_min, "1.3");
  EXPECT_EQ(c.version_max, "1.3");
  EXPECT_EQ(c.ciphers, "DEFAULT:@SECLEVEL=0");
  EXPECT_EQ(c.profile, "preferred");
  EXPECT_EQ(c.groups, "x");
  EXPECT_EQ(read("tls-version-min 1.9 or-highest\n").certificate.version_min, "1.3");
  EXPECT_THAT(problem("tls-version-max 1.1\n"), HasSubstr("is below 1.2"));
  EXPECT_THAT(problem("tls-version-min 9\n"), HasSubstr("no version of TLS"));
}

TEST(TlsConfig, WhatIsPulledAndTold) {
  const auto c = read(
      "route-nopull\npull-filter ignore \"route 10.\"\npull-filter reject dns\npush-peer-info\n"
      "setenv UV_ID 7\nsetenv IV_SSO webauth\nsetenv OTHER x\n");
  EXPECT_TRUE(c.pull.route_nopull);
  ASSERT_EQ(c.pull.filters.size(), 2u);
  EXPECT_EQ(c.pull.filters[0].prefix, "route 10.");
  EXPECT_EQ(c.pull.filters[1].action, config::PullFilter::Action::kReject);
  EXPECT_TRUE(c.negotiation.push_peer_info);
  EXPECT_THAT(c.negotiation.peer_info,
              ElementsAre(std::pair("UV_ID", "7"), std::pair("IV_SSO", "webauth")));
  EXPECT_THAT(problem("pull-filter drop x\n"), HasSubstr("write accept, ignore or reject"));
}

TEST(TlsConfig, TransportOverTcp) {
  const TunnelConfig c = read_all(
      "client\ndev tun\nproto tcp\nremote a 443\nremote b 1194 udp\nremote c 80 tcp6-client\n"
      "ca a\nauth-user-pass u\nconnect-timeout 7\n");
  ASSERT_EQ(c.link.remotes.size(), 3u);
  EXPECT_EQ(c.link.remotes[0].transport, config::Transport::kTcpClient);
  EXPECT_EQ(c.link.remotes[1].transport, config::Transport::kUdp);
  EXPECT_EQ(c.link.remotes[2].transport, config::Transport::kTcpClient);
  EXPECT_EQ(c.link.remotes[2].family, config::FamilyChoice::kIpv6);
  EXPECT_EQ(c.link.remotes[0].connect_timeout_seconds, 7);
  EXPECT_EQ(read_all(std::string(kClient) + "setenv SERVER_POLL_TIMEOUT 4\n")
                .link.remotes[0]
                .connect_timeout_seconds,
            4);
  EXPECT_THAT(problem("proto icmp\n"), HasSubstr("problems"));
}

TEST(TlsConfig, RedirectAndNameServersOfTheFile) {
  const TunnelConfig c = read_all(
      std::string(kClient) +
      "redirect-gateway def1 bypass-dhcp\nredirect-gateway ipv6\ndhcp-option DNS 10.0.0.1\n"
      "dhcp-option DNS6 fd00::1\ndhcp-option DOMAIN corp.example\ndhcp-option DNS nonsense\n"
      "dns search-domains a.example b.example\ndns server 1 address 10.0.0.2 [fd00::2]:5353\n"
      "dns server -1 address 10.0.0.3:53\ndns server 1 resolve-domains c.example\n");
  ASSERT_TRUE(c.device.redirect);
  EXPECT_TRUE(c.device.redirect->gateway && c.device.redirect->def1 && c.device.redirect->ipv6);
  EXPECT_EQ(c.device.dns.addresses.size(), 2u);
  EXPECT_THAT(c.device.dns.domains, ElementsAre("corp.example"));
  EXPECT_THAT(c.device.dns.search_domains, ElementsAre("a.example", "b.example"));
  ASSERT_EQ(c.device.dns.servers.size(), 2u);
  EXPECT_EQ(c.device.dns.servers[0].priority, -1);
  EXPECT_EQ(c.device.dns.servers[0].addresses[0].port, 53);
  EXPECT_EQ(c.device.dns.servers[1].addresses[1].port, 5353);
  EXPECT_THAT(c.device.dns.servers[1].domains, ElementsAre("c.example"));
  ASSERT_EQ(c.warnings.size(), 1u);
  EXPECT_THAT(to_string(c.warnings[0]), HasSubstr("'nonsense' is no address; passed over"));
  EXPECT_THAT(problem("redirect-gateway def2\n"), HasSubstr("'def2' is no flag of it"));
  EXPECT_THAT(problem("dns server 1 address host\n"), HasSubstr("'host' is no address"));
  EXPECT_THAT(problem("dns search-domains \"a;b\"\n"), HasSubstr("is no domain"));
}

}  // namespace
