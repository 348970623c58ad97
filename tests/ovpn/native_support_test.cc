// SPDX-License-Identifier: Apache-2.0
#include "ovpn/native_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ovpn/directive_table.h"
#include "ovpn/lexer.h"
#include "ovpn/tunnel_kind.h"

namespace ovpn {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The two ends of the shortest tunnel.
constexpr std::string_view kServer =
    "dev tun3\nifconfig 10.8.0.1 10.8.0.2\nsecret static.key\nport 2011\nproto udp\n";
constexpr std::string_view kClient =
    "dev tun3\nifconfig 10.8.0.2 10.8.0.1\ncipher none\nauth none\nport 2011\nproto udp\n"
    "remote 10.0.0.1\n";

Profile profile_of(const std::string& text) { return lex_config("t", text).profile; }

std::vector<std::string> texts(const base::Problems& problems) {
  std::vector<std::string> lines;
  for (const base::Problem& problem : problems) lines.push_back(base::to_string(problem));
  return lines;
}

std::string first_gap(const std::string& line) {
  const auto gaps = native_gaps(profile_of(std::string(kServer) + line + "\n"));
  return gaps.empty() ? "" : gaps.front().message;
}

std::string first_error(const std::string& lines) {
  const auto errors = config_errors(profile_of(std::string(kServer) + lines + "\n"));
  return errors.empty() ? "" : base::to_string(errors.front());
}

TEST(NativeGaps, NoneInTheShortestTunnels) {
  EXPECT_THAT(native_gaps(profile_of(std::string(kServer))), IsEmpty());
  EXPECT_THAT(native_gaps(profile_of(std::string(kClient))), IsEmpty());
  EXPECT_THAT(config_errors(profile_of(std::string(kServer))), IsEmpty());
  EXPECT_THAT(config_errors(profile_of(std::string(kClient))), IsEmpty());
}

TEST(NativeGaps, AreNamedWithTheirPlace) {
  EXPECT_THAT(texts(native_gaps(profile_of("server 10.0.0.0 255.0.0.0\nverb 3\n  multihome\n"))),
              ElementsAre("t:1:1: server: server mode",
                          "t:3:3: multihome: answering from the address that was asked"));
}

TEST(NativeGaps, DependOnValues) {
  const std::vector<std::pair<const char*, const char*>> rows{
      {"comp-lzo no", ""},
      {"comp-lzo", ""},
      {"comp-lzo adaptive", ""},
      {"compress", ""},
      {"compress stub-v2", ""},
      {"compress lz4", ""},
      {"compress lzo", ""},
      {"compress migrate", "compress: server mode"},
      {"proto udp6", ""},
      {"proto tcp-client", ""},
      {"remote h 1194 tcp-client", ""},
      {"remote h 1194 udp4", ""},
      {"remote h https", "remote: 'https' as port"},
      {"proto tcp-client\nremote h\nhttp-proxy p 3128", ""},
      {"proto tcp-client\nremote h\nhttp-proxy p 3128 file basic", ""},
      {"proto tcp-client\nremote h\nhttp-proxy p 3128 file ntlm2", "http-proxy: NTLM"},
      {"proto tcp-client\nremote h\nhttp-proxy p 3128 stdin",
       "http-proxy: asking for a proxy's password"},
      {"proto tcp-client\nremote h\nhttp-proxy p 3128 auto",
       "http-proxy: asking for a proxy's password"},
      {"proto tcp-client\nremote h\nhttp-proxy p 3128 auto\nhttp-proxy-user-pass f", ""},
      {"proto tcp-client\nremote h\nsocks-proxy p", ""},
      {"remote h 1194 udp\nsocks-proxy p", "socks-proxy: a proxy for UDP"},
      {"dev tap0", "dev: tap devices"},
      {"dev null", ""},
      {"dev-type tap", "dev-type: tap devices"},
      {"cipher aes-128-cbc", ""},
      {"cipher CAMELLIA-256-CBC", ""},
      {"cipher RC5-CBC", "cipher: 'RC5-CBC' is not among the native ciphers"},
      {"auth MDC2", "auth: 'MDC2' is not among the native digests"},
      {"route 10.1.0.0 255.255.0.0 vpn_gateway 5", ""},
      {"route 10.1.0.0 255.255.0.0 net_gateway", ""},
      {"route 10.1.0.0 255.255.0.0 gw.example", "route: gateway 'gw.example'"},
      {"route host.example", "route: 'host.example' is not an IPv4 address"},
      {"route-ipv6 fd00::/64 fe80::1", ""},
      {"route-gateway dhcp", "route-gateway: DHCP"},
      {"setenv opt multihome", "multihome: answering from the address that was asked"},
      {"setenv opt nonsense", ""},
      {"nonsense", ""},
      {"keysize 128", ""},
      {"providers legacy default", ""},
      {"providers fips", "providers: the provider 'fips'"},
      {"mode server", "mode: server mode"},
      {"bind ipv6only", ""},
      {"tun-mtu 1400", ""},
      {"tun-mtu 1400 1500", "tun-mtu: telling the peer another MTU"},
      {"redirect-gateway def1", "redirect-gateway: moving the default route"},
      {"lport ntp", "lport: 'ntp' as lport"},
      {"remote fe80::1%eth0 1194", "remote: a link-local address"},
      {"local fe80::1%eth0", "local: a link-local address"},
      {"management 127.0.0.1 7505", "management: the management interface"},
  };
  for (const auto& [line, gap] : rows) EXPECT_EQ(first_gap(line), gap) << line;
}

TEST(NativeGaps, ConnectionBlocks) {
  EXPECT_EQ(first_gap("<connection>\nremote h 2011 udp\n</connection>"), "");
  EXPECT_EQ(first_gap("<connection>\nremote h\nproto tcp-client\nserver-poll-timeout 5\n"
                      "</connection>"),
            "");
  EXPECT_EQ(first_gap("<connection>\nremote h 1 tcp-client\nhttp-proxy p 80\n</connection>"), "");
  EXPECT_EQ(first_gap("<connection>\nremote h 1 tcp-client\nhttp-proxy p 80 f ntlm\n"
                      "</connection>"),
            "connection: NTLM");
  EXPECT_EQ(first_gap("<connection>\nremote h 1 udp\nsocks-proxy p\n</connection>"),
            "connection: a proxy for UDP");
  EXPECT_EQ(first_gap("<connection>\nremote h\nport 2012\n</connection>"),
            "connection: 'port' inside of it");
}

constexpr std::string_view kTlsClient =
    "client\ndev tun\nremote h\nca ca.crt\ncert c.crt\nkey c.key\n";

// An engine that runs TLS, whether or not this one does.
constexpr NativeAbilities kAll{.tls = true};

TEST(NativeGaps, InTlsModeDependOnTheEngine) {
  const auto gap = [](const std::string& lines, const NativeAbilities& abilities) {
    const auto gaps = native_gaps(profile_of(std::string(kTlsClient) + lines + "\n"), abilities);
    return gaps.empty() ? "" : gaps.front().message;
  };
  EXPECT_EQ(gap("", NativeAbilities{}), "client: TLS mode");
  const NativeAbilities udp{.tls = true};
  const std::vector<std::pair<const char*, const char*>> rows{
      {"", ""},
      {"tls-auth ta.key 1\nauth-user-pass\nreneg-sec 0\nremote-cert-tls server", ""},
      {"redirect-gateway def1\ndhcp-option DNS 10.0.0.1\nroute-ipv6-gateway fd00::1", ""},
      {"route remote_host 255.255.255.255 net_gateway", ""},
      {"route 10.0.0.0 255.0.0.0 remote_host", ""},
      {"proto tcp", ""},
      {"fragment 1300", ""},
      {"compress lz4", ""},
      {"comp-lzo", ""},
      {"cipher AES-256-CFB", "cipher: 'AES-256-CFB' is not among the native ciphers"},
      {"data-ciphers AES-256-GCM:AES-128-OFB",
       "data-ciphers: 'AES-128-OFB' is not among the native ciphers"},
      {"data-ciphers AES-256-GCM:?NO-SUCH", ""},
      {"askpass", "askpass: asking a person for the key's passphrase"},
      {"askpass file", ""},
      {"tls-verify /bin/x", "tls-verify: scripts that judge certificates"},
      {"dev tap", "dev: tap devices"},
      {"pkcs11-id x", "pkcs11-id: keys on a PKCS#11 token"},
      {"http-proxy p 80", "http-proxy: a proxy for UDP"},
  };
  for (const auto& [lines, want] : rows) EXPECT_EQ(gap(lines, udp), want) << lines;
  for (const char* lines : {"proto tcp", "proto tcp4-client", "fragment 1300", "compress lz4",
                            "<connection>\nremote h 443 tcp\n</connection>"}) {
    EXPECT_EQ(gap(lines, kAll), "") << lines;
  }
  // Beside a static key they have no meaning, whatever the engine can do.
  const auto keyed = native_gaps(profile_of(std::string(kServer) + "ca ca.crt\n"), kAll);
  EXPECT_THAT(texts(keyed), ElementsAre(HasSubstr("ca: TLS mode")));
}

// Each row was put before OpenVPN 2.6.14, which refuses it too.
TEST(ConfigErrors, WhatStockRefusesInTlsMode) {
  const std::vector<std::pair<const char*, const char*>> rows{
      {"client\n", "t:1:1: nothing says which certificates of the peer are good"},
      {"client\nca a\n", "t:1:1: nothing says who this end is"},
      {"client\nca a\ncert c\n", "t:3:1: 'cert' without 'key'; add `key FILE`"},
      {"client\nca a\nkey c\nauth-user-pass\n", "t:3:1: 'key' without 'cert'"},
      {"tls-client\nca a\nauth-user-pass\n", "nothing says who this end is"},
      {"pull\nca a\ncert c\nkey k\n", "t:1:1: 'pull' without a role in TLS"},
      {"client\npkcs12 p\ncert c\n", "'cert' and 'pkcs12' exclude each other"},
      {"client\nca a\nauth-user-pass\ntls-auth a\ntls-crypt b\n",
       "t:5:1: 'tls-crypt' and 'tls-auth' exclude each other"},
  };
  for (const auto& [lines, error] : rows) {
    const auto errors = tls_errors(profile_of(lines));
    EXPECT_THAT(texts(errors), ElementsAre(HasSubstr(error))) << lines;
  }
  const std::vector<std::pair<const char*, const char*>> values{
      {"remote-cert-tls x", "write one of: server client"},
      {"tls-version-min 1.9", "'1.9' is no version of TLS"},
      {"tls-version-min 1.2 or-lower", "'or-lower' is not what it takes"},
      {"tls-version-min 1.3\ntls-version-max 1.2", "tls-version-max 1.2 is below 1.3"},
      {"reneg-sec soon", "'reneg-sec' cannot be 'soon'"},
      {"tls-auth ta.key 2", "tls-auth: '2' is no key direction"},
      {"tls-crypt [inline]", "there is no <tls-crypt> block"},
      {"data-ciphers AES-256-GCM:AES-257-GCM", "'AES-257-GCM' is not known; leave it out"},
      {"data-ciphers-fallback AES", "data-ciphers-fallback: 'AES' is not known"},
      {"verify-hash 00:11", "'00:11' is no fingerprint of 20 bytes"},
      {"verify-hash 00:11 MD5", "'MD5' is not a digest it takes"},
      {"remote-cert-ku zz", "'zz' is no key usage"},
      {"crl-verify crl.pem file", "a word of 'crl-verify' cannot be 'file'"},
      {"verify-x509-name vpn dns", "a word of 'verify-x509-name' cannot be 'dns'"},
      {"static-challenge Code 2", "a word of 'static-challenge' cannot be '2'"},
      {"compat-mode new", "'new' is no version of OpenVPN"},
      {"route-ipv6-gateway 10.0.0.1", "'10.0.0.1' is not an IPv6 address"},
      {"ncp-disable", "ncp-disable without `cipher`"},
  };
  for (const auto& [line, error] : values) {
    const auto errors = config_errors(
        profile_of("dev tun\nclient\nremote h\nca a\nauth-user-pass\n" + std::string(line) + "\n"));
    ASSERT_THAT(texts(errors), ElementsAre(HasSubstr(error))) << line;
    EXPECT_GE(errors.front().place.line, 6u) << line;
  }
  for (const char* lines :
       {"client\nca a\nauth-user-pass\n", "client\npkcs12 p\nca a\n", "server 10.0.0.0 255.0.0.0\n",
        "client\npeer-fingerprint x\ncert c\nkey k\n",
        "client\nca a\nauth-user-pass\ntls-version-min 1.9 or-highest\n"}) {
    EXPECT_THAT(tls_errors(profile_of(lines)), IsEmpty()) << lines;
  }
}

// Each row was put before OpenVPN 2.6.14, which refuses it too.
TEST(ConfigErrors, WhatStockRefuses) {
  const std::vector<std::pair<const char*, const char*>> rows{
      {"nobind", "t:6:1: 'nobind' without 'remote'; write 'remote HOST'"},
      {"nobind\nremote h\nlport 5", "t:8:1: 'lport' and 'nobind' exclude each other"},
      {"nobind\nremote h\nlocal 10.0.0.1", "'local' and 'nobind' exclude each other"},
      {"nobind\nremote h\nbind", "'bind' and 'nobind' exclude each other"},
      {"keepalive 10 60\nping 10", "'keepalive' and 'ping' exclude each other"},
      {"keepalive 10 15", "must be at least twice the first; write 'keepalive 10 60'"},
      {"tls-client", "t:3:1: 'secret' together with 'tls-client'"},
      {"client\nremote h", "'secret' together with 'client'"},
      {"cipher AES-256-GCM", "cannot be used with AES-256-GCM, only with CBC ciphers"},
      {"cipher CHACHA20-POLY1305", "only with CBC ciphers; write 'cipher AES-256-CBC'"},
      {"ifconfig 10.8.0.1 10.8.0.1", "both addresses of 'ifconfig' are the same"},
      {"ifconfig 10.8.0.1 10.0.0.2\nremote 10.0.0.2",
       "t:7:1: remote 10.0.0.2 is an address inside of this tunnel too (ifconfig); give"},
      {"ifconfig 10.0.0.2 10.8.0.1\nremote 10.0.0.2", "t:7:1: remote 10.0.0.2 is an address"},
      {"ifconfig 10.8.0.1 10.8.0.2\nremote h\nlocal 10.8.0.1", "t:8:1: local 10.8.0.1 is an"},
      {"ifconfig 10.8.0.1 10.8.0.2\nlocal 10.8.0.2", "t:7:1: local 10.8.0.2 is an address"},
      {"ifconfig 10.8.0.1 10.8.0.2\n<connection>\nremote h\nlocal 10.8.0.1\n</connection>",
       "t:9:1: local 10.8.0.1 is an address inside of this tunnel too (ifconfig); give"},
      {"proto tcp6-client\nremote 10.0.0.1",
       "t:7:1: remote 10.0.0.1: not an address of the family that 'proto tcp6-client' asks for; "
       "write 'proto tcp-client', or an address of that family"},
      {"ifconfig-ipv6 fd00::1/64 fd00::2\nremote fd00::2\nproto udp",
       "t:7:1: remote fd00::2 is an address inside of this tunnel too (ifconfig-ipv6)"},
      {"ifconfig-ipv6 fd00::1/64 fd00::2\nremote fd00::1", "remote fd00::1 is an address"},
      {"ifconfig 10.8.0.1 host", "'host' is not an IPv4 address"},
      {"replay-window 70000", "'replay-window' cannot be '70000'; write a number from 0 to 65536"},
      {"no-replay\nreplay-window 5", "'replay-window' and 'no-replay' exclude each other"},
      {"key-direction 2", "'key-direction' cannot be '2'; write one of: 0 1"},
      {"secret k.key 2", "the key direction cannot be '2'"},
      {"proto udp5", "'proto' cannot be 'udp5'"},
      {"proto tcp", "does not say who calls whom"},
      {"compress foo", "'compress' cannot be 'foo'"},
      {"keysize 256", "'keysize 256' does not fit BF-CBC"},
      {"keysize 128\nmultihome", "OpenVPN 2.6 on Linux refuses 'keysize'"},
      {"link-mtu 1400\ntun-mtu 1400", "'link-mtu' and 'tun-mtu' exclude each other"},
      {"link-mtu 99", "'link-mtu' cannot be '99'"},
      {"mssfix 1400 both", "'mssfix' cannot be 'both'; write one of: mtu fixed"},
  };
  for (const auto& [lines, error] : rows)
    EXPECT_THAT(first_error(lines), HasSubstr(error)) << lines;
}

TEST(ConfigErrors, WhatStockLetsPass) {
  for (const char* lines : {"nobind\nremote h",
                            "ping-exit 10\nping-restart 20",
                            "keysize 128",
                            "mark 0x10",
                            "cipher aes256",
                            "secret k.key 1",
                            "key-direction 0",
                            "verb 11",
                            "keepalive 10 20",
                            "connect-retry-max unlimited",
                            "connect-retry-max 0",
                            "resolv-retry infinite",
                            "resolv-retry 60",
                            "link-mtu 1400",
                            "udp-mtu 1400\nfragment 1200",
                            "passtos",
                            "bind",
                            "bind ipv6only",
                            "mssfix 1400 mtu",
                            "ifconfig 10.8.0.1 10.8.0.2\nremote 10.8.0.3\nlocal 10.8.0.4",
                            "allow-recursive-routing"}) {
    EXPECT_EQ(first_error(lines), "") << lines;
  }
  EXPECT_THAT(first_error("ping often"), HasSubstr("'ping' cannot be 'often'"));
  EXPECT_THAT(first_error("resolv-retry often"), HasSubstr("'resolv-retry' cannot be 'often'"));
  EXPECT_THAT(first_error("bind any"), HasSubstr("'bind' cannot be 'any'"));
}

// Providers' configs with such lines are in use: stock warns and goes on.
TEST(ConfigErrors, LeaveRoutesAndFamiliesOfTlsToStock) {
  for (const char* line : {"route 2001:db8::/32", "route 10.0.0.0 2001:db8::/32",
                           "proto tcp6-client\nremote 203.0.113.45"}) {
    const auto profile =
        profile_of("client\ndev tun\nremote h\nca a\nauth-user-pass\n" + std::string(line) + "\n");
    EXPECT_THAT(texts(config_errors(profile)), IsEmpty()) << line;
  }
}

// An interface's name becomes a part of paths that root writes to.
TEST(ConfigErrors, NoDeviceIsNamedByAPath) {
  for (const char* name : {"../../../etc/x", "tun/3", "/dev/null", ".", "..", "tun0123456789012",
                           "tun0:1", "tun%d", "\"tun 3\"", "\"tun\t3\""}) {
    const auto profile = profile_of(std::string(kServer) + "dev " + name + "\ndev-type tun\n");
    EXPECT_THAT(texts(config_errors(profile)),
                ElementsAre(AllOf(HasSubstr("t:6:1: "), HasSubstr("is no interface name"))))
        << name;
  }
  EXPECT_EQ(first_error("dev tun012345678901"), "");  // 15
}

// With a key or without: neither proves where a datagram comes from.
TEST(NothingAuthenticates, NullModeAndAKeyThatIsNotUsed) {
  const auto nothing = [](const std::string& lines) {
    return nothing_authenticates(profile_of("dev tun\n" + lines));
  };
  EXPECT_TRUE(nothing("cipher none\nauth none\n"));
  EXPECT_TRUE(nothing(""));
  EXPECT_TRUE(nothing("secret k\ncipher none\nauth None\n"));
  EXPECT_FALSE(nothing("secret k\n"));
  EXPECT_FALSE(nothing("secret k\ncipher none\n"));
  EXPECT_FALSE(nothing("secret k\nauth none\n"));
  EXPECT_FALSE(nothing("tls-client\ncipher none\nauth none\n"));
}

// What every further word of a directive that the native engine honours does. A row that is not in
// here is one whose words nobody has looked at.
TEST(DirectiveTable, NoHonouredWordIsPassedOver) {
  const std::set<std::string_view> known{
      "allow-compression",  // no: errors; asym and yes: the same
      "bind",               // ipv6only: the socket
      "comp-lzo",           // each a framing
      "compress",           // each a framing; migrate is a gap
      "connect-retry",      // seconds, and their limit
      "daemon",             // the name in syslog
      "explicit-exit-notify",
      "fragment",              // bytes; mtu: with the headers around
      "http-proxy",            // host, port, login's file or auto, way; NTLM and asking are gaps
      "http-proxy-option",     // VERSION, AGENT, CUSTOM-HEADER; others are gaps
      "http-proxy-user-pass",  // file
      "ifconfig",
      "ifconfig-ipv6",
      "ignore-unknown-option",
      "inactive",
      "keepalive",
      "local",          // an address; a port and protocol are a gap
      "mssfix",         // bytes, and what they count
      "remote",         // host, port, protocol
      "replay-window",  // packets, seconds
      "route",
      "route-ipv6",
      "route-delay",  // seconds; the second is told to do nothing
      "secret",       // file, direction
      "setenv",
      "setenv-safe",
      "socket-flags",  // TCP_NODELAY, which always holds; others are refused
      "socks-proxy",   // host, port, login's file; asking is a gap
      "status",
      "syslog",   // the name there
      "tun-mtu",  // bytes; the second is a gap
  };
  for (const DirectiveRow& row : directive_table()) {
    if (row.native != NativeUse::kHonoured) continue;
    if (row.args_max < 2 && row.args_min == row.args_max) continue;
    EXPECT_TRUE(known.contains(row.name)) << row.name;
  }
}

TEST(ConfigErrors, ClearTextOnlyOnPurpose) {
  const auto errors = [](const std::string& lines) {
    return texts(config_errors(profile_of("dev tun\n" + lines)));
  };
  EXPECT_THAT(errors("cipher none\nauth none\n"), IsEmpty());
  EXPECT_THAT(errors("cipher NONE\nauth None\n"), IsEmpty());
  EXPECT_THAT(errors("cipher none\n"), ElementsAre(HasSubstr("t: there is neither 'secret' nor")));
  EXPECT_THAT(errors("cipher AES-256-CBC\n"), ElementsAre(HasSubstr("t:2:1: there is neither")));
  EXPECT_THAT(errors(""), ElementsAre(HasSubstr("not both 'cipher none' and 'auth none'")));
  EXPECT_THAT(texts(config_errors(profile_of("cipher none\nauth none\n"))),
              ElementsAre(HasSubstr("there is no 'dev'")));
  EXPECT_THAT(texts(config_errors(profile_of("dev site0\ncipher none\nauth none\n"))),
              ElementsAre(HasSubstr("add 'dev-type tun'")));
}

}  // namespace
}  // namespace ovpn
