// SPDX-License-Identifier: Apache-2.0
#include "fastpath/config/tunnel_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ovpn/lexer.h"
#include "ovpn/native_support.h"

namespace {

using config::TunnelConfig;
using testing::HasSubstr;
using testing::Not;

TunnelConfig read(const std::string& text) {
  const auto lexed = ovpn::lex_config("t.conf", text);
  EXPECT_TRUE(lexed.problems.empty()) << text;
  auto result = config::make_tunnel_config(lexed.profile);
  if (!result) {
    for (const auto& problem : result.error()) ADD_FAILURE() << to_string(problem);
    return {};
  }
  return std::move(*result);
}

std::vector<std::string> problems(const std::string& text) {
  const auto result = config::make_tunnel_config(ovpn::lex_config("t.conf", text).profile);
  std::vector<std::string> told;
  if (!result) {
    for (const auto& problem : result.error()) told.push_back(to_string(problem));
  }
  return told;
}

std::string warnings(const TunnelConfig& config) {
  std::string all;
  for (const auto& warning : config.warnings) all += to_string(warning) + "\n";
  return all;
}

constexpr const char* kServer =
    "dev tun3\nifconfig 10.8.0.1 10.8.0.2\nsecret static.key\nport 2011\nproto udp\n";
constexpr const char* kClient =
    "dev tun3\nifconfig 10.8.0.2 10.8.0.1\nsecret static.key\nport 2011\nproto udp\n"
    "remote 10.0.0.1\n";

TEST(TunnelConfig, ThePlainServerFile) {
  const TunnelConfig c = read(kServer);
  EXPECT_EQ(c.device.name, "tun3");
  EXPECT_EQ(c.device.kind, config::DeviceKind::kTun);
  EXPECT_EQ(c.device.ifconfig_local, "10.8.0.1");
  EXPECT_EQ(c.device.ifconfig_remote_or_mask, "10.8.0.2");
  EXPECT_EQ(c.crypto.secret_file, "static.key");
  EXPECT_EQ(c.crypto.cipher, "BF-CBC");
  EXPECT_EQ(c.crypto.auth, "SHA1");
  EXPECT_FALSE(c.crypto.null_mode);
  EXPECT_EQ(c.link.local_port, "2011");
  EXPECT_TRUE(c.link.remotes.empty());
  EXPECT_EQ(c.mssfix.bytes, 1492);
}

TEST(TunnelConfig, ThePlainClientFile) {
  const TunnelConfig c = read(kClient);
  ASSERT_EQ(c.link.remotes.size(), 1u);
  EXPECT_EQ(c.link.remotes[0],
            (config::RemoteConfig{"10.0.0.1", "2011", config::FamilyChoice::kAny}));
}

TEST(TunnelConfig, TheDefaultCipherIsOneWarningThatNamesTheBetterChoice) {
  const TunnelConfig c = read(kServer);
  ASSERT_EQ(c.warnings.size(), 1u);
  EXPECT_THAT(warnings(c), HasSubstr("BF-CBC"));
  EXPECT_THAT(warnings(c), HasSubstr("AES-256-CBC"));
  EXPECT_THAT(warnings(c), HasSubstr("both ends"));
}

TEST(TunnelConfig, AGoodCipherIsNoWarning) {
  EXPECT_EQ(warnings(read(std::string(kServer) + "cipher AES-256-CBC\nauth SHA256\n")), "");
}

TEST(TunnelConfig, WithoutKeyButMeant) {
  const TunnelConfig c = read("dev tun3\ncipher none\nauth none\nport 2011\n");
  EXPECT_TRUE(c.crypto.null_mode);
  EXPECT_THAT(warnings(c), HasSubstr("clear text"));
  EXPECT_THAT(warnings(c), HasSubstr("no remote"));
}

// A key that neither cipher nor auth uses is none: the same rules, and the same words.
TEST(TunnelConfig, NothingAuthenticatesWithAKeyOrWithout) {
  for (const std::string lines :
       {"dev tun3\ncipher none\nauth none\n", "dev tun3\nsecret k\ncipher none\nauth none\n"}) {
    EXPECT_FALSE(read(lines).crypto.authenticates());
    EXPECT_THAT(warnings(read(lines)), HasSubstr("whoever sends first is taken for the peer"));
    EXPECT_THAT(warnings(read(lines + "remote 10.0.0.1\n")), Not(HasSubstr("whoever sends")));
    EXPECT_THAT(warnings(read(lines + "float\n")), HasSubstr("float does nothing"));
  }
  for (const char* lines : {"secret k\n", "secret k\ncipher none\n", "secret k\nauth none\n"}) {
    const TunnelConfig c = read("dev tun3\nfloat\n" + std::string(lines));
    EXPECT_TRUE(c.crypto.authenticates());
    EXPECT_THAT(warnings(c), Not(HasSubstr("float")));
  }
}

TEST(TunnelConfig, SecondWordsActOrAreToldNotTo) {
  EXPECT_FALSE(read("dev tun3\nsecret k\nbind\n").link.ipv6_only);
  EXPECT_TRUE(read("dev tun3\nsecret k\nbind ipv6only\n").link.ipv6_only);
  EXPECT_THAT(problems("dev tun3\nsecret k\nproto udp4\nbind ipv6only\n"),
              testing::ElementsAre(HasSubstr("contradict each other")));
  EXPECT_THAT(warnings(read("dev tun3\nsecret k\nroute-delay 5\n")), Not(HasSubstr("delay")));
  EXPECT_THAT(warnings(read("dev tun3\nsecret k\nroute-delay 5 30\n")),
              HasSubstr("t.conf:3:1: route-delay: the second number"));
}

TEST(TunnelConfig, WithoutKeyAndNotMeant) {
  EXPECT_THAT(problems("dev tun3\n"), testing::ElementsAre(HasSubstr("cleartext tunnel")));
  EXPECT_THAT(problems("dev tun3\ncipher AES-256-CBC\nauth none\n"),
              testing::ElementsAre(HasSubstr("cleartext tunnel")));
  EXPECT_TRUE(problems("dev tun3\nacknowledge-cleartext\n").empty());
}

TEST(TunnelConfig, HalfProtectedIsAWarning) {
  const std::string key = "dev tun3\nsecret k\n";
  EXPECT_THAT(warnings(read(key + "cipher none\n")), HasSubstr("anyone on the way can read"));
  EXPECT_THAT(warnings(read(key + "cipher AES-128-CBC\nauth none\n")), HasSubstr("unnoticed"));
  EXPECT_THAT(warnings(read(key + "cipher none\nauth none\n")), HasSubstr("clear text"));
  EXPECT_THAT(warnings(read(key + "cipher AES-128-CBC\nno-replay\n")), HasSubstr("no-replay"));
}

TEST(TunnelConfig, EveryProblemInOneGoWithItsPlace) {
  const auto told = problems(
      "dev tun/3\nsecret k 2\ncipher AES-256-CBC\nping often\nproto udp4\nremote fd00::1\n"
      "tun-mtu 99\nnobind\nlport 5\n");
  EXPECT_THAT(told, testing::Contains(HasSubstr("t.conf:1:1: dev")));
  EXPECT_THAT(told, testing::Contains(HasSubstr("t.conf:2:1: secret: '2' is no key direction")));
  EXPECT_THAT(told, testing::Contains(HasSubstr("t.conf:4:1: ping: 'often'")));
  EXPECT_THAT(told, testing::Contains(HasSubstr("t.conf:7:1: tun-mtu: '99'")));
  EXPECT_THAT(told, testing::Contains(HasSubstr("t.conf:8:1: nobind and lport")));
  EXPECT_THAT(told, testing::Contains(HasSubstr("remote fd00::1: not an address of the family")));
}

TEST(TunnelConfig, LaterScalarsWin) {
  const TunnelConfig c = read(std::string(kServer) +
                              "port 3000\nrport 4000\nremote a 5 udp6\n"
                              "remote b\n");
  EXPECT_EQ(c.link.local_port, "3000");
  ASSERT_EQ(c.link.remotes.size(), 2u);
  EXPECT_EQ(c.link.remotes[0].port, "5");
  EXPECT_EQ(c.link.remotes[0].family, config::FamilyChoice::kIpv6);
  EXPECT_EQ(c.link.remotes[1].port, "4000");
}

// The supervisor chooses this engine by config_errors(): what passes there must be readable here.
TEST(TunnelConfig, TakesEveryNumberThatTheSharedChecksLetPass) {
  for (const char* line :
       {"mark 0x10", "mark 4294967295", "connect-retry-max 0", "connect-retry-max unlimited",
        "connect-retry 2147483647 2147483647", "ping 2147483647", "ping-restart 2147483647",
        "explicit-exit-notify 2147483647", "status s.log 0", "mute 2147483647",
        "txqueuelen 2147483647", "route-delay 2147483647", "verb 15", "nice -20"}) {
    const std::string text = std::string(kClient) + line + "\n";
    EXPECT_TRUE(ovpn::config_errors(ovpn::lex_config("t", text).profile).empty()) << line;
    EXPECT_THAT(problems(text), testing::IsEmpty()) << line;
  }
  EXPECT_EQ(read(std::string(kClient) + "mark 0x10\n").link.mark, 16u);
}

constexpr const char* kNeither =
    "dev tun3\nifconfig 10.8.0.2 10.8.0.1\nsecret static.key\nport 2011\n";

TEST(TunnelConfig, ProtocolsByTheirNames) {
  using config::FamilyChoice;
  using config::Transport;
  struct Row {
    const char* proto;
    FamilyChoice family;
    Transport transport;
  };
  for (const Row& row : {Row{"udp", FamilyChoice::kAny, Transport::kUdp},
                         Row{"udp6", FamilyChoice::kIpv6, Transport::kUdp},
                         Row{"tcp-client", FamilyChoice::kAny, Transport::kTcpClient},
                         Row{"tcp4-client", FamilyChoice::kIpv4, Transport::kTcpClient},
                         Row{"tcp6-server", FamilyChoice::kIpv6, Transport::kTcpServer},
                         Row{"tcp-server", FamilyChoice::kAny, Transport::kTcpServer},
                         Row{"tcp", FamilyChoice::kAny, Transport::kTcpClient},
                         Row{"tcp4", FamilyChoice::kIpv4, Transport::kTcpClient}}) {
    const auto by_proto =
        read(std::string(kNeither) + "remote far.example\nproto " + row.proto + "\n").link;
    const auto by_remote =
        read(std::string(kNeither) + "remote far.example 2011 " + row.proto + "\n").link;
    for (const config::LinkConfig& link : {by_proto, by_remote}) {
      ASSERT_EQ(link.remotes.size(), 1u) << row.proto;
      EXPECT_EQ(link.remotes[0].family, row.family) << row.proto;
      EXPECT_EQ(link.remotes[0].transport, row.transport) << row.proto;
    }
    EXPECT_EQ(by_proto.transport, row.transport) << row.proto;
  }
  EXPECT_THAT(problems(std::string(kNeither) + "proto sctp\n"),
              testing::ElementsAre(HasSubstr("protocol 'sctp' is not what the fast path speaks")));
}

TEST(TunnelConfig, ConnectionBlocksDifferInProtocolPortAndPatience) {
  const auto link = read(std::string(kNeither) +
                         "connect-timeout 30\nproto tcp-client\n"
                         "<connection>\nremote a 1194 udp\n</connection>\n"
                         "<connection>\nremote b 443\nserver-poll-timeout 4\n</connection>\n"
                         "<connection>\nremote c\nrport 5000\nproto tcp6-client\n</connection>\n")
                        .link;
  ASSERT_EQ(link.remotes.size(), 3u);
  EXPECT_EQ(link.remotes[0].transport, config::Transport::kUdp);
  EXPECT_EQ(link.remotes[1].port, "443");
  EXPECT_EQ(link.remotes[1].transport, config::Transport::kTcpClient);
  EXPECT_EQ(link.remotes[1].connect_timeout_seconds, 4);
  EXPECT_EQ(link.remotes[2].port, "5000");
  EXPECT_EQ(link.remotes[2].family, config::FamilyChoice::kIpv6);
  EXPECT_EQ(link.remotes[2].connect_timeout_seconds, 30);
  EXPECT_EQ(read(kClient).link.remotes[0].connect_timeout_seconds, 120);
}

TEST(TunnelConfig, ProtoForceLeavesTheOthersOut) {
  const std::string both = std::string(kNeither) + "remote a 1 udp\nremote b 2 tcp-client\n";
  const auto tcp = read(both + "proto-force tcp\n").link.remotes;
  ASSERT_EQ(tcp.size(), 1u);
  EXPECT_EQ(tcp[0].host, "b");
  EXPECT_EQ(read(both + "proto-force udp\n").link.remotes[0].host, "a");
  EXPECT_THAT(problems(std::string(kNeither) + "remote a 1 udp\nproto-force tcp\n"),
              testing::ElementsAre(HasSubstr("t.conf:6:1: proto-force: no remote has")));
}

std::optional<config::ProxyConfig> proxy_of(const std::string& lines) {
  const auto remotes =
      read(std::string(kNeither) + "proto tcp-client\nremote a\n" + lines).link.remotes;
  return remotes.empty() ? std::nullopt : remotes[0].proxy;
}

TEST(TunnelConfig, HttpProxies) {
  using Login = config::ProxyConfig::Login;
  EXPECT_EQ(proxy_of(""), std::nullopt);
  const auto plain = proxy_of("http-proxy p.example 3128\n");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->kind, config::ProxyConfig::Kind::kHttp);
  EXPECT_EQ(plain->host, "p.example");
  EXPECT_EQ(plain->port, "3128");
  EXPECT_EQ(plain->login, Login::kNone);
  EXPECT_EQ(proxy_of("http-proxy p 1 file\n")->login, Login::kBasic);
  EXPECT_EQ(proxy_of("http-proxy p 1 file\n")->login_file, "file");
  EXPECT_EQ(proxy_of("http-proxy p 1 file none\n")->login, Login::kNone);
  const std::string pair = "<http-proxy-user-pass>\nu\np\n</http-proxy-user-pass>\n";
  const auto automatic = proxy_of("http-proxy p 1 auto\n" + pair);
  EXPECT_EQ(automatic->login, Login::kAuto);
  EXPECT_EQ(automatic->login_text, "u\np\n");
  EXPECT_EQ(proxy_of("http-proxy p 1 auto-nct\n" + pair)->login, Login::kDigestOnly);
  EXPECT_EQ(proxy_of("http-proxy p 1\nhttp-proxy-user-pass f\n")->login_file, "f");
}

TEST(TunnelConfig, HttpProxyOptions) {
  const auto proxy = proxy_of(
      "http-proxy p 1\nhttp-proxy-option VERSION 1.1\nhttp-proxy-option AGENT \"A b\"\n"
      "http-proxy-option CUSTOM-HEADER X-One two\n"
      "http-proxy-option CUSTOM-HEADER \"X-Three: four\"\n");
  ASSERT_TRUE(proxy);
  EXPECT_EQ(proxy->version, "1.1");
  EXPECT_EQ(proxy->agent, "A b");
  EXPECT_EQ(proxy->headers, (std::vector<std::pair<std::string, std::string>>{
                                {"X-One", "two"}, {"X-Three", "four"}}));
}

TEST(TunnelConfig, SocksProxiesAndBlocksWithTheirOwn) {
  EXPECT_EQ(proxy_of("socks-proxy s\n")->port, "1080");
  EXPECT_EQ(proxy_of("socks-proxy s 9 file\n")->login_file, "file");
  const auto remotes = read(std::string(kNeither) +
                            "proto tcp-client\nsocks-proxy s\n"
                            "<connection>\nremote a\nhttp-proxy h 80\n</connection>\n"
                            "<connection>\nremote b\n</connection>\n")
                           .link.remotes;
  ASSERT_EQ(remotes.size(), 2u);
  EXPECT_EQ(remotes[0].proxy->host, "h");
  EXPECT_EQ(remotes[1].proxy->host, "s");
  EXPECT_THAT(problems(std::string(kNeither) + "remote a 1 udp\nsocks-proxy s\n"),
              testing::ElementsAre(HasSubstr("a proxy carries only TCP connections")));
}

TEST(TunnelConfig, TcpRolesFitTheRest) {
  const std::string client = std::string(kNeither) + "remote a\nproto tcp-client\n";
  EXPECT_FALSE(read(client).link.tcp_client_binds);
  EXPECT_TRUE(read(client + "lport 5\n").link.tcp_client_binds);
  EXPECT_TRUE(read(client + "bind\n").link.tcp_client_binds);
  EXPECT_THAT(problems(std::string(kNeither) + "proto tcp-client\n"),
              testing::ElementsAre(HasSubstr("a TCP client needs a `remote` to call")));
  EXPECT_THAT(problems(std::string(kNeither) + "proto tcp-server\nremote a\nnobind\n"),
              testing::ElementsAre(HasSubstr("nobind and tcp-server contradict each other")));
  EXPECT_THAT(problems(client + "socket-flags TCP_CORK\n"),
              testing::ElementsAre(HasSubstr("'TCP_CORK' is no flag")));
  EXPECT_THAT(warnings(read(client + "explicit-exit-notify 1\nsocket-flags TCP_NODELAY\n")),
              HasSubstr("explicit-exit-notify has no effect over TCP"));
}

TEST(TunnelConfig, NobindTakesNoPort) {
  EXPECT_EQ(read(std::string(kClient) + "nobind\n").link.local_port, std::nullopt);
  EXPECT_THAT(problems(std::string(kServer) + "nobind\n"),
              testing::ElementsAre(HasSubstr("nobind without remote")));
}

TEST(TunnelConfig, PingFamily) {
  const TunnelConfig keepalive = read(std::string(kServer) + "keepalive 10 60\n");
  EXPECT_EQ(keepalive.keepalive.ping_seconds, 10);
  EXPECT_EQ(keepalive.keepalive.ping_restart_seconds, 60);
  const TunnelConfig last = read(std::string(kServer) + "ping-restart 60\nping-exit 20\n");
  EXPECT_EQ(last.keepalive.ping_restart_seconds, 0);
  EXPECT_EQ(last.keepalive.ping_exit_seconds, 20);
  EXPECT_THAT(problems(std::string(kServer) + "keepalive 10 15\n"),
              testing::ElementsAre(HasSubstr("twice")));
  EXPECT_EQ(read(std::string(kServer) + "explicit-exit-notify\n").keepalive.exit_notify_tries, 1);
}

TEST(TunnelConfig, Framing) {
  const auto framing = [](const std::string& line) {
    return read(kServer + line + "\n").crypto.framing;
  };
  EXPECT_EQ(framing(""), config::Framing::kNone);
  EXPECT_EQ(framing("comp-lzo no"), config::Framing::kLzoNo);
  EXPECT_EQ(framing("compress"), config::Framing::kStub);
  EXPECT_EQ(framing("compress stub"), config::Framing::kStub);
  EXPECT_EQ(framing("compress stub-v2"), config::Framing::kStubV2);
  EXPECT_EQ(framing("comp-lzo"), config::Framing::kLzo);
  EXPECT_EQ(framing("comp-lzo yes"), config::Framing::kLzo);
  EXPECT_EQ(framing("compress lzo"), config::Framing::kLzo);
  EXPECT_EQ(framing("compress lz4"), config::Framing::kLz4);
  EXPECT_EQ(framing("compress lz4-v2"), config::Framing::kLz4V2);
  EXPECT_EQ(problems(std::string(kServer) + "compress migrate\n").size(), 1u);
}

TEST(TunnelConfig, AServerIsInvitedToCompressOnlyByTheConfig) {
  const auto invites = [](const std::string& lines) {
    return read(kServer + lines).crypto.invites_compression();
  };
  EXPECT_FALSE(invites(""));
  EXPECT_FALSE(invites("comp-lzo no\n"));
  EXPECT_FALSE(invites("compress\n"));
  EXPECT_FALSE(invites("allow-compression no\n"));
  EXPECT_TRUE(invites("comp-lzo\n"));
  EXPECT_TRUE(invites("compress lz4-v2\n"));
  EXPECT_TRUE(invites("allow-compression asym\n"));
  EXPECT_TRUE(invites("allow-compression yes\n"));
}

// What stock 2.6.14 made of `link-mtu 1400` with these lines, as it told when it set the MTU.
TEST(TunnelConfig, LinkMtuLeavesWhatStockLeaves) {
  struct Row {
    const char* lines;
    int mtu;
  };
  const std::string with_key = "secret k\n", tls = "tls-client\nca c\ncert c\nkey k\nnobind\n";
  const Row by_key[] = {{"cipher AES-256-CBC\nauth SHA256\n", 1336},
                        {"cipher none\nauth SHA1\n", 1372},
                        {"cipher none\nauth none\n", 1392},
                        {"cipher AES-256-CBC\nauth SHA256\nno-replay\n", 1336},
                        {"cipher none\nauth SHA1\nno-replay\n", 1380},
                        {"cipher AES-256-CBC\nauth SHA256\ncomp-lzo no\n", 1336},
                        {"cipher AES-256-CBC\nauth SHA256\nproto tcp-client\n", 1334},
                        {"cipher BF-CBC\nauth SHA1\n", 1364}};
  const Row by_tls[] = {{"", 1375},
                        {"cipher AES-256-CBC\n", 1347},
                        {"cipher AES-256-GCM\nauth SHA512\n", 1351},
                        {"cipher CHACHA20-POLY1305\n", 1366},
                        {"data-ciphers-fallback AES-128-CBC\n", 1347},
                        {"data-ciphers-fallback BF-CBC\n", 1363},
                        {"data-ciphers BF-CBC\n", 1363},
                        {"cipher BF-CBC\n", 1363},
                        {"proto tcp-client\n", 1373},
                        {"comp-lzo no\n", 1375},
                        {"fragment 1200\n", 1375},
                        {"cipher none\n", 1375},
                        {"auth none\n", 1395},
                        {"cipher AES-256-CBC\nauth none\n", 1367}};
  const auto mtu = [](const std::string& lines) {
    return read("dev tun\nremote a\n" + lines + "link-mtu 1400\n").device.mtu;
  };
  for (const Row& row : by_key) EXPECT_EQ(mtu(with_key + row.lines), row.mtu) << row.lines;
  for (const Row& row : by_tls) EXPECT_EQ(mtu(tls + row.lines), row.mtu) << row.lines;
  EXPECT_EQ(mtu("cipher none\nauth none\n"), 1392) << "null mode";
}

TEST(TunnelConfig, LinkMtuTurnsTheDefaultMssfixOff) {
  const auto mssfix = [](const std::string& lines) {
    return read("dev tun\nremote a\nsecret k\ncipher AES-256-CBC\nauth SHA256\n" + lines).mssfix;
  };
  EXPECT_EQ(mssfix("link-mtu 1400\n").bytes, 0);
  EXPECT_EQ(mssfix("udp-mtu 1564\n").bytes, 0);
  EXPECT_EQ(mssfix("link-mtu 1400\nmssfix 1300\n").bytes, 1300);
  EXPECT_EQ(mssfix("link-mtu 1400\nfragment 1200\n").bytes, 1200);
}

TEST(TunnelConfig, LinkMtuIsRefusedWhereItCannotBe) {
  EXPECT_THAT(problems("dev tun\nremote a\nsecret k\nlink-mtu 110\n"),
              testing::ElementsAre(HasSubstr("write at least 1")));
  EXPECT_THAT(problems("dev tun\nremote a\nsecret k\nlink-mtu 1400\ntun-mtu 1300\n"),
              testing::ElementsAre(HasSubstr("only one of tun-mtu and link-mtu can be")));
}

TEST(TunnelConfig, MssfixFollowsTheMtu) {
  using Meaning = config::MssfixConfig::Meaning;
  const auto mssfix = [](const std::string& lines) { return read(kServer + lines).mssfix; };
  EXPECT_EQ(mssfix("").meaning, Meaning::kMtu);
  EXPECT_EQ(mssfix("tun-mtu 1400\n").bytes, 1400);
  EXPECT_EQ(mssfix("tun-mtu 1400\n").meaning, Meaning::kFixed);
  EXPECT_EQ(mssfix("mssfix 1300\n").meaning, Meaning::kPayload);
  EXPECT_EQ(mssfix("mssfix 1300 mtu\n").meaning, Meaning::kMtu);
  EXPECT_EQ(mssfix("mssfix 0\n").bytes, 0);
  EXPECT_EQ(mssfix("fragment 1300\n").bytes, 1300);
  EXPECT_EQ(mssfix("fragment 1300\nmssfix\n").meaning, Meaning::kMtu);
  EXPECT_EQ(mssfix("fragment 1300\ntun-mtu 1400\n").bytes, 1300);
  EXPECT_EQ(mssfix("fragment 1300\nmssfix 1200\n").bytes, 1200);
}

TEST(TunnelConfig, FragmentIsForUdp) {
  const config::FragmentConfig plain = read(std::string(kServer) + "fragment 1300\n").fragment;
  EXPECT_EQ(plain.bytes, 1300);
  EXPECT_FALSE(plain.with_ip);
  EXPECT_TRUE(read(std::string(kServer) + "fragment 1300 mtu\n").fragment.with_ip);
  EXPECT_EQ(read(kServer).fragment.bytes, 0);
  for (const char* line : {"fragment 67", "fragment 65536", "fragment 1300 fixed", "fragment 0",
                           "fragment 1300\nproto tcp-server"}) {
    EXPECT_FALSE(problems(std::string(kServer) + line + "\n").empty()) << line;
  }
}

TEST(TunnelConfig, AddressesAndRoutes) {
  const TunnelConfig c = read(
      "dev tun3\nsecret k\ncipher AES-256-CBC\ntopology subnet\nifconfig 10.8.0.1 255.255.255.0\n"
      "ifconfig-ipv6 fd00::1/64 fd00::2\nroute 10.9.0.0 255.255.0.0 net_gateway 7\n"
      "route-ipv6 fd01::/64\nroute-metric 9\nroute-delay 3\n");
  EXPECT_TRUE(c.device.topology_subnet);
  EXPECT_EQ(c.device.ifconfig_ipv6_local, "fd00::1/64");
  ASSERT_EQ(c.device.routes.size(), 1u);
  EXPECT_EQ(c.device.routes[0].gateway, "net_gateway");
  EXPECT_EQ(c.device.routes[0].metric, 7u);
  EXPECT_EQ(c.device.routes_ipv6.size(), 1u);
  EXPECT_EQ(c.device.route_metric, 9u);
  EXPECT_EQ(c.device.route_delay_seconds, 3);
}

TEST(TunnelConfig, IfconfigMistakesAreNamed) {
  const std::string rest = "dev tun3\nsecret k\n";
  EXPECT_THAT(problems(rest + "ifconfig 10.8.0.1 255.255.255.0\n"),
              testing::ElementsAre(HasSubstr("is a netmask")));
  EXPECT_THAT(problems(rest + "topology subnet\nifconfig 10.8.0.1 10.8.0.2\n"),
              testing::ElementsAre(HasSubstr("must be a netmask")));
  EXPECT_THAT(problems(rest + "ifconfig 10.8.0.1 10.8.0.1\n"),
              testing::ElementsAre(HasSubstr("both addresses")));
  EXPECT_THAT(problems(rest + "ifconfig 10.8.0.1 host\n"),
              testing::ElementsAre(HasSubstr("no IPv4 address")));
}

TEST(TunnelConfig, InlineKeyAndDirection) {
  const TunnelConfig c =
      read("dev null\nkey-direction 1\ncipher AES-256-CBC\n<secret>\nabc\n</secret>\n");
  EXPECT_EQ(c.crypto.secret_text, "abc\n");
  EXPECT_EQ(c.crypto.secret_file, "[inline]");
  EXPECT_EQ(c.crypto.direction, ovpn::KeyDirection::kInverse);
  EXPECT_EQ(c.device.kind, config::DeviceKind::kNull);
}

TEST(TunnelConfig, ProcessAndScripts) {
  const TunnelConfig c = read(
      std::string(kServer) +
      "script-security 2\nup \"/bin/up one\"\nsetenv A b\nsetenv-safe C d\nuser nobody\n"
      "group nogroup\nlog-append l\nstatus s 5\nstatus-version 3\nverb 4\nremap-usr1 SIGHUP\n");
  EXPECT_EQ(c.scripts.up, "/bin/up one");
  EXPECT_EQ(c.scripts.environment[0], (std::pair<std::string, std::string>{"A", "b"}));
  EXPECT_EQ(c.scripts.environment[1], (std::pair<std::string, std::string>{"OPENVPN_C", "d"}));
  EXPECT_TRUE(c.process.log_append);
  EXPECT_EQ(c.process.status_seconds, 5);
  EXPECT_EQ(c.process.remap_usr1, "SIGHUP");
}

}  // namespace
