// SPDX-License-Identifier: Apache-2.0
#include "fastpath/config/push.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "ovpn/lexer.h"

namespace {

using config::PushContext;
using config::Pushed;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Options = std::vector<std::string>;

config::TunnelConfig file(const std::string& lines = "") {
  const std::string text = "client\ndev tun\nremote h\nca ca\nauth-user-pass u\n" + lines;
  auto config = config::make_tunnel_config(ovpn::lex_config("t", text).profile);
  EXPECT_TRUE(config.ok()) << lines;
  return config ? std::move(*config) : config::TunnelConfig{};
}

// As the server writes it: options with commas between.
Options options(std::string_view text) {
  Options result;
  for (const std::string_view option : base::split(text, ',')) result.emplace_back(option);
  return result;
}

Pushed push(std::string_view text, const std::string& lines = "", const PushContext& context = {}) {
  auto pushed = config::apply_push(file(lines), options(text), context);
  if (pushed) return std::move(*pushed);
  ADD_FAILURE() << to_string(pushed.error());
  return {};
}

std::string refusal(std::string_view text, const std::string& lines = "") {
  const auto pushed = config::apply_push(file(lines), options(text), {});
  return pushed.ok() ? "" : to_string(pushed.error());
}

std::string only_note(std::string_view text) {
  const Pushed pushed = push(text);
  return pushed.notes.size() == 1 ? pushed.notes[0]
                                  : std::to_string(pushed.notes.size()) + " notes";
}

// Captured from OpenVPN 2.6.14.
constexpr std::string_view kReal =
    "route 192.168.99.0 255.255.255.0,route-gateway 10.8.0.1,topology subnet,ping 3,"
    "ping-restart 30,ifconfig 10.8.0.2 255.255.255.0,peer-id 0,cipher AES-256-GCM,"
    "protocol-flags cc-exit tls-ekm dyn-tls-crypt,tun-mtu 1500";

TEST(Push, OfARealServer) {
  const Pushed p = push(kReal);
  EXPECT_THAT(p.notes, IsEmpty());
  EXPECT_TRUE(p.device.topology_subnet);
  EXPECT_EQ(p.device.ifconfig_local, "10.8.0.2");
  EXPECT_EQ(p.device.ifconfig_remote_or_mask, "255.255.255.0");
  EXPECT_EQ(p.device.route_gateway, "10.8.0.1");
  ASSERT_EQ(p.device.routes.size(), 1u);
  EXPECT_EQ(p.device.routes[0].destination, "192.168.99.0");
  EXPECT_EQ(p.device.mtu, 1500);
  EXPECT_EQ(p.keepalive.ping_seconds, 3);
  EXPECT_EQ(p.keepalive.ping_restart_seconds, 30);
  EXPECT_EQ(p.channel.cipher, "AES-256-GCM");
  EXPECT_EQ(p.channel.peer_id, 0u);
  EXPECT_TRUE(p.channel.tls_ekm && p.channel.cc_exit && p.channel.dyn_tls_crypt);
  EXPECT_FALSE(p.channel.aead_epoch);
}

TEST(Push, NothingIsAnAnswerToo) {
  const auto pushed = config::apply_push(file("ping 7\n"), {}, {});
  ASSERT_TRUE(pushed.ok());
  EXPECT_EQ(pushed->keepalive.ping_seconds, 7);
  EXPECT_EQ(pushed->keepalive.ping_restart_seconds, 120);
  EXPECT_EQ(pushed->device.ifconfig_local, "");
}

TEST(Push, StandsBesideTheFile) {
  const Pushed p =
      push("route 10.1.0.0 255.255.0.0,redirect-gateway ipv6,dhcp-option DNS 10.0.0.2,ping-exit 5",
           "route 10.2.0.0 255.255.0.0\nredirect-gateway def1\ndhcp-option DNS 10.0.0.1\n"
           "keepalive 10 60\n");
  EXPECT_EQ(p.device.routes.size(), 2u);
  EXPECT_TRUE(p.device.redirect->def1 && p.device.redirect->ipv6);
  EXPECT_EQ(p.device.dns.addresses.size(), 2u);
  EXPECT_EQ(p.keepalive.ping_exit_seconds, 5);
  EXPECT_EQ(p.keepalive.ping_restart_seconds, 0);
}

TEST(Push, BuffersOfTheFileAreNotTakenForTheServers) {
  const Pushed p = push("ifconfig 10.8.0.2 10.8.0.1", "sndbuf 5000\nrcvbuf 6000\n");
  EXPECT_EQ(p.sndbuf_bytes, 0);
  EXPECT_EQ(p.rcvbuf_bytes, 0);
}

TEST(Push, EveryOptionThatIsHonoured) {
  const Pushed p = push(
      "ifconfig 10.8.0.6 10.8.0.5,ifconfig-ipv6 fd00::1000/64 fd00::1,topology net30,"
      "route remote_host 255.255.255.255 net_gateway 5,route 10.0.0.0 255.0.0.0 vpn_gateway,"
      "route-ipv6 2001:db8::/32 fd00::1 7,route-ipv6 ::/1,route-metric 9,route-delay 2,"
      "route-ipv6-gateway fd00::9,dhcp-option DNS6 fd00::53,dhcp-option DOMAIN a.example,"
      "dns server 1 address 10.0.0.53,dns search-domains b.example,block-ipv6,inactive 600 1000,"
      "session-timeout 3600,sndbuf 1000,rcvbuf 2000,tun-mtu 1400,setenv-safe A b,"
      "explicit-exit-notify 2,comp-lzo no,auth-token TOKEN,auth-token-user dXNlcg==,persist-tun,"
      "key-derivation tls-ekm,redirect-private block-local,ping-timer-rem");
  EXPECT_THAT(p.notes, IsEmpty());
  EXPECT_EQ(p.device.ifconfig_ipv6_local, "fd00::1000/64");
  EXPECT_EQ(p.device.routes[0].destination, "remote_host");
  EXPECT_EQ(p.device.routes[0].gateway, "net_gateway");
  EXPECT_EQ(p.device.routes[0].metric, 5u);
  EXPECT_EQ(p.device.routes_ipv6.size(), 2u);
  EXPECT_EQ(p.device.route_metric, 9u);
  EXPECT_EQ(p.device.route_delay_seconds, 2);
  EXPECT_EQ(p.device.route_ipv6_gateway, "fd00::9");
  EXPECT_EQ(p.device.dns.addresses.size(), 1u);
  EXPECT_EQ(p.device.dns.servers.size(), 1u);
  EXPECT_TRUE(p.device.block_ipv6 && p.device.persist_tun);
  EXPECT_FALSE(p.device.redirect->gateway);
  EXPECT_TRUE(p.device.redirect->block_local);
  EXPECT_EQ(p.keepalive.inactive_bytes, 1000);
  EXPECT_EQ(p.keepalive.session_timeout_seconds, 3600);
  EXPECT_EQ(p.keepalive.exit_notify_tries, 2);
  EXPECT_EQ(p.sndbuf_bytes, 1000);
  EXPECT_EQ(p.rcvbuf_bytes, 2000);
  EXPECT_EQ(p.device.mtu, 1400);
  EXPECT_EQ(p.mssfix.bytes, 1400);
  EXPECT_EQ(p.mssfix.meaning, config::MssfixConfig::Meaning::kFixed);
  EXPECT_THAT(p.environment, ElementsAre(std::pair("OPENVPN_A", "b")));
  EXPECT_EQ(p.framing, config::Framing::kLzoNo);
  EXPECT_EQ(p.channel.auth_token, "TOKEN");
  EXPECT_EQ(p.channel.auth_token_user, "dXNlcg==");
}

TEST(Push, WhatIsOfNoMeaningHereIsPassedOverInSilence) {
  EXPECT_THAT(push("block-outside-dns,register-dns,ip-win32 dynamic,tap-sleep 3,dhcp-renew,"
                   "route-method exe,echo forget-passwords,parameter a b,tun-ipv6,verb 9,"
                   "socket-flags TCP_NODELAY,push-continuation 1,ifconfig-nowarn")
                  .notes,
              IsEmpty());
}

TEST(Push, WhatIsFaultyIsLeftOutAndTold) {
  EXPECT_THAT(only_note("no-such-option 1"), HasSubstr("'no-such-option' is unknown here"));
  EXPECT_THAT(only_note("script-security 2"), HasSubstr("unknown here"));
  EXPECT_THAT(only_note("up /bin/evil"), HasSubstr("unknown here"));
  EXPECT_THAT(only_note("ping often"), HasSubstr("'often' is not a number"));
  EXPECT_THAT(only_note("ping"), HasSubstr("wrong number of arguments"));
  EXPECT_THAT(only_note("route 10.0.0.0 255.0.255.0"), HasSubstr("is no netmask"));
  EXPECT_THAT(only_note("tun-mtu 99"), HasSubstr("tun-mtu: '99'"));
  EXPECT_THAT(only_note("peer-id 16777216"), HasSubstr("is no peer-id"));
  EXPECT_THAT(only_note("shaper 1000"), HasSubstr("not done here"));
  EXPECT_THAT(only_note("dhcp-option DNS host"), HasSubstr("'host' is no address"));
  EXPECT_THAT(only_note("setenv-safe \"A"), HasSubstr("no closing quote"));
  EXPECT_THAT(only_note(std::string(300, 'x')), HasSubstr("too long"));
  EXPECT_THAT(only_note("echo a\x01"), HasSubstr("not text"));
  EXPECT_EQ(push("peer-id 16777215").channel.peer_id, 0xffffffu);
}

TEST(Push, WhatNoTunnelCanLiveWith) {
  EXPECT_THAT(refusal("cipher AES-192-GCM"),
              HasSubstr("chose the cipher AES-192-GCM, which was not offered"));
  EXPECT_EQ(refusal("cipher AES-192-GCM", "data-ciphers AES-192-GCM\n"), "");
  EXPECT_EQ(refusal("cipher AES-128-CBC", "data-ciphers-fallback AES-128-CBC\n"), "");
  EXPECT_THAT(refusal("key-derivation magic"), HasSubstr("unknown key derivation"));
  EXPECT_THAT(refusal("protocol-flags tls-ekm future"), HasSubstr("flag 'future'"));
  EXPECT_THAT(refusal("compress migrate"), HasSubstr("`compress migrate`, which is not native"));
  for (const char* wish : {"comp-lzo", "comp-lzo yes", "compress lz4", "compress lz4-v2"}) {
    EXPECT_THAT(refusal(wish, "allow-compression no\n"),
                HasSubstr("`" + std::string(wish) + "`, and `allow-compression no` forbids it"));
    EXPECT_EQ(refusal(wish), "") << wish;
  }
  EXPECT_EQ(refusal("comp-lzo no", "allow-compression no\n"), "");
  EXPECT_THAT(refusal("client-nat snat 10.0.0.0 255.0.0.0 10.1.0.0"), HasSubstr("client-nat"));
  EXPECT_THAT(refusal("topology subnet,ifconfig 10.0.0.1 10.0.0.2"),
              HasSubstr("must be a netmask"));
}

TEST(Push, CompressionFraming) {
  using config::Framing;
  EXPECT_EQ(push("compress").framing, Framing::kStub);
  EXPECT_EQ(push("compress stub-v2").framing, Framing::kStubV2);
  EXPECT_EQ(push("comp-lzo no").framing, Framing::kLzoNo);
  EXPECT_EQ(push("ping 1", "comp-lzo no\n").framing, Framing::kLzoNo);
  EXPECT_EQ(push("comp-lzo").framing, Framing::kLzo);
  EXPECT_EQ(push("comp-lzo adaptive").framing, Framing::kLzo);
  EXPECT_EQ(push("compress lzo").framing, Framing::kLzo);
  EXPECT_EQ(push("compress lz4").framing, Framing::kLz4);
  EXPECT_EQ(push("compress lz4-v2").framing, Framing::kLz4V2);
  EXPECT_EQ(push("ping 1", "comp-lzo\n").framing, Framing::kLzo);
  EXPECT_EQ(push("comp-lzo no", "comp-lzo\n").framing, Framing::kLzoNo);
}

TEST(Push, RouteNopullKeepsAddressesOnly) {
  const Pushed p = push(
      "route 10.0.0.0 255.0.0.0,redirect-gateway def1,dhcp-option DNS 10.0.0.1,route-gateway "
      "10.8.0.1,topology subnet,ifconfig 10.8.0.2 255.255.255.0",
      "route-nopull\n");
  EXPECT_THAT(p.device.routes, IsEmpty());
  EXPECT_FALSE(p.device.redirect);
  EXPECT_TRUE(p.device.dns.empty());
  EXPECT_EQ(p.device.route_gateway, "10.8.0.1");
  EXPECT_EQ(p.device.ifconfig_local, "10.8.0.2");
}

TEST(Push, AForgottenTopologyIsGuessed) {
  const Pushed p = push("ifconfig 10.8.0.2 255.255.255.0");
  EXPECT_TRUE(p.device.topology_subnet);
  EXPECT_THAT(p.notes, ElementsAre(HasSubstr("without `topology subnet`")));
}

TEST(Push, TheMtuIsBounded) {
  EXPECT_EQ(push("tun-mtu 9000").device.mtu, 1600);
  EXPECT_THAT(push("tun-mtu 9000").notes, ElementsAre(HasSubstr("1600 is used")));
  EXPECT_EQ(push("tun-mtu 9000", "tun-mtu 9000\n").device.mtu, 9000);
  EXPECT_EQ(push("tun-mtu 1400", "mssfix 1300\n").mssfix.bytes, 1300);
  EXPECT_EQ(push("tun-mtu 1500", "tun-mtu 1400\n").mssfix.bytes, 1492);
}

TEST(Push, NothingIsToldOverTcpAtTheEnd) {
  EXPECT_EQ(push("explicit-exit-notify", "", {.tcp = true}).keepalive.exit_notify_tries, 0);
  EXPECT_EQ(push("explicit-exit-notify").keepalive.exit_notify_tries, 1);
}

TEST(Push, IsBounded) {
  Options many(5000, "route 10.0.0.0 255.0.0.0");
  const auto pushed = config::apply_push(file(), many, {});
  ASSERT_TRUE(pushed.ok());
  EXPECT_EQ(pushed->device.routes.size(), config::kPushRoutesMax);
  EXPECT_EQ(pushed->notes.size(), config::kPushNotesMax + 1);
  EXPECT_THAT(pushed->notes.back(), HasSubstr("more are left out"));
  const Options flood(config::kPushOptionsMax + 1, "verb 1");
  EXPECT_FALSE(config::apply_push(file(), flood, {}).ok());
  EXPECT_LE(push("setenv-safe A b").environment.size(), config::kPushVariablesMax);
}

TEST(PushDigest, IsThatOfWhatTheInterfaceIsMadeOf) {
  const auto digest = [](std::string_view text) { return config::push_digest(options(text)); };
  const auto base = digest("ifconfig 10.0.0.1 10.0.0.2,route 10.1.0.0");
  EXPECT_EQ(base, digest("ifconfig 10.0.0.1 10.0.0.2,route 10.1.0.0,peer-id 3,auth-token X,ping 3,"
                         "ping-restart 9,protocol-flags tls-ekm,key-derivation tls-ekm,"
                         "explicit-exit-notify 1,push-continuation 1,auth-token-user eA=="));
  EXPECT_NE(base, digest("ifconfig 10.0.0.3 10.0.0.2,route 10.1.0.0"));
  EXPECT_NE(base, digest("ifconfig 10.0.0.1 10.0.0.2"));
  EXPECT_EQ(push(kReal).digest, digest(kReal));
}

// `update` as in a captured "PUSH_UPDATE,route 10.99.0.0 255.255.0.0, -dns, ?tun-mtu 1400".
Options updated(std::string_view now, std::string_view update) {
  auto result = config::apply_push_update(options(now), options(update));
  return result ? std::move(*result) : Options{"refused: " + result.error().message};
}

TEST(PushUpdate, ReplacesByName) {
  EXPECT_THAT(
      updated("route 10.1.0.0,dns search-domains a.example,route 10.2.0.0,ping 3,tun-mtu 1500",
              "route 10.99.0.0 255.255.0.0, -dns, ?tun-mtu 1400,route 10.98.0.0"),
      ElementsAre("ping 3", "route 10.99.0.0 255.255.0.0", "tun-mtu 1400", "route 10.98.0.0"));
}

TEST(PushUpdate, RemovesAndPassesOver) {
  EXPECT_THAT(updated("block-ipv6,ifconfig 10.0.0.1 10.0.0.2", "-block-ipv6,?no-such 1,-?no-such"),
              ElementsAre("ifconfig 10.0.0.1 10.0.0.2"));
  EXPECT_THAT(updated("route 10.1.0.0", ""), ElementsAre("route 10.1.0.0"));
  EXPECT_THAT(updated("ping 1,ping-exit 3", "keepalive 10 60"),
              ElementsAre("ping 10", "ping-restart 60"));
  EXPECT_THAT(updated("ping 1,ping-restart 3", "-keepalive"), IsEmpty());
}

TEST(PushUpdate, RefusesWhatMayNotChange) {
  for (const char* update : {"cipher AES-256-GCM", "no-such", "?-dns", "-route 10.1.0.0",
                             "peer-id 1", "auth-token X", "keepalive 10", "-"}) {
    EXPECT_THAT(updated("ping 1", update), ElementsAre(HasSubstr("refused"))) << update;
  }
}

}  // namespace
