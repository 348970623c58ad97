// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/read_network.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bit>

#include "base/unique_fd.h"
#include "supervisor/host/path_mtu.h"
#include "supervisor/host/read_firewall.h"
#include "tests/supervisor/host/temporary_folder.h"
#include "tests/support/machine_tree.h"

namespace host {
namespace {

TEST(Routes, Ipv4AsTheKernelListsThem) {
  // The kernel writes addresses as its words hold them; these are a little-endian machine's.
  if constexpr (std::endian::native != std::endian::little) return;
  const auto routes = parse_ipv4_routes(
      "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
      "eth0\t00000000\t0102A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
      "tun3\t0007A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
      "tun4\t0007A8C0\t00000000\t0000\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
      "tun5\tnonsense\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
      "tun6\t0007A8C0\n");
  ASSERT_EQ(routes.size(), 2u);
  EXPECT_EQ(routes[0], (RouteFacts{*base::Prefix::parse("0.0.0.0/0"), "eth0", 100}));
  EXPECT_EQ(routes[1], (RouteFacts{*base::Prefix::parse("192.168.7.0/24"), "tun3", 0}));
}

TEST(Routes, Ipv6AsTheKernelListsThem) {
  const std::string none(32, '0');
  const auto line = [&none](const std::string& to, const char* length, const char* flags,
                            const char* interface) {
    return to + " " + length + " " + none + " 00 " + none + " 00000400 00000001 00000000 " + flags +
           "     " + interface + "\n";
  };
  const auto routes = parse_ipv6_routes(
      line("fd000007000000000000000000000000", "40", "00000001", "tun3") +
      line("fe800000000000000000000000000000", "40", "00000001", "tun3") +
      line("ff000000000000000000000000000000", "08", "00000001", "tun3") +
      line("fd000007000000000000000000000001", "80", "80200001", "tun3") +
      line(none, "00", "00200200", "lo") + line("fd00", "40", "00000001", "tun3") + "torn\n");
  ASSERT_EQ(routes.size(), 1u);
  EXPECT_EQ(routes[0], (RouteFacts{*base::Prefix::parse("fd00:7::/64"), "tun3", 1024}));
}

TEST(CpuTime, SharesOfAnInterval) {
  const auto before = parse_cpu_ticks(
      "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 10 0 10 80 0 0 0 0 0 0\n"
      "cpu1 0 0 0 100 0 0 50 0 0 0\nintr 5\n");
  const auto after = parse_cpu_ticks(
      "cpu0 10 0 10 90 0 0 40 0 7 0\ncpu1 0 0 0 100 0 0 50 0 0 0\n"
      "cpu2 1 1 1 1 1 1 1 1 1 1\n");
  const auto share = softirq_share(before, after);
  ASSERT_EQ(share.size(), 1u);  // the second did nothing at all, the third is new
  EXPECT_DOUBLE_EQ(share.at(0), 0.8);
}

TEST(Counters, NamesStandAboveValues) {
  const char* table = "TcpExt: A B\nTcpExt: 1 2\nIpExt: C IPReversePathFilter\nIpExt: 3 17\n";
  EXPECT_EQ(counter_of(table, "B"), 2u);
  EXPECT_EQ(counter_of(table, "IPReversePathFilter"), 17u);
  EXPECT_FALSE(counter_of(table, "D"));
  EXPECT_FALSE(counter_of("TcpExt: A B\nTcpExt: 1\n", "B"));
  EXPECT_FALSE(counter_of("", "A"));
}

TEST(UdpDrops, OfTheSocketsAskedFor) {
  const std::string row =
      "  12: 00000000:07DB 00000000:0000 07 00000000:00000000 00:00000000 "
      "00000000     0        0 ";
  const std::string table = "  sl  local_address ...\n" + row + "4711 2 ffff 5\n" + row +
                            "4712 2 ffff 7\n" + row + "torn\n";
  EXPECT_EQ(parse_udp_drops(table, {4711}), 5u);
  EXPECT_EQ(parse_udp_drops(table, {4711, 4712}), 12u);
  EXPECT_FALSE(parse_udp_drops(table, {1}));
}

TEST(UdpDrops, ThisProcessHasASocket) {
  EXPECT_FALSE(udp_drops_of(0));
  const base::UniqueFd fd(::socket(AF_INET, SOCK_DGRAM, 0));
  sockaddr_in any{};
  any.sin_family = AF_INET;
  ASSERT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any), 0);
  EXPECT_EQ(udp_drops_of(::getpid()), 0u);
}

TEST(Network, OutOfATree) {
  const TemporaryFolder folder;
  support::plant_machine(folder.path(),
                         "cpu 0-1\n"
                         "nic eth0 platform/soc/eth0\n"
                         "file /sys/class/net/eth0/operstate up\n"
                         "file /sys/class/net/eth0/mtu 1500\n"
                         "file /sys/class/net/eth0/speed 100\n"
                         "file /sys/class/net/eth0/ifindex 2\n"
                         "file /sys/class/net/tun3/mtu absurd\n"
                         "file /sys/class/net/tun3/ifindex 7\n"
                         "file /sys/class/net/tun4/ifindex 8\n"
                         "file /proc/sys/net/ipv4/conf/all/rp_filter 0\n"
                         "file /proc/sys/net/ipv4/conf/tun3/rp_filter 1\n"
                         "file /run/systemd/netif/links/7 ADMIN_STATE=configuring\n"
                         "file /run/systemd/netif/links/8 ADMIN_STATE=unmanaged\n"
                         "file /run/NetworkManager/devices/8 managed=true\n"
                         "file /proc/sys/net/ipv4/ip_forward 0\n");
  const NetworkFacts facts = watch_network({}, folder.path());
  ASSERT_EQ(facts.interfaces.size(), 3u);
  const InterfaceFacts& eth0 = facts.interfaces[0];
  EXPECT_EQ(eth0.name, "eth0");
  EXPECT_TRUE(eth0.hardware && eth0.up);
  EXPECT_EQ(eth0.mtu, 1500);
  EXPECT_EQ(eth0.speed_mbit, 100);
  EXPECT_FALSE(eth0.rp_filter);
  EXPECT_EQ(eth0.manager, "");
  const InterfaceFacts& tun3 = facts.interfaces[1];
  EXPECT_FALSE(tun3.hardware);
  EXPECT_FALSE(tun3.mtu);
  EXPECT_EQ(tun3.rp_filter, 1);
  EXPECT_EQ(tun3.manager, "systemd-networkd");
  EXPECT_EQ(facts.interfaces[2].manager, "NetworkManager");
  EXPECT_EQ(facts.forwards_ipv4, false);
  EXPECT_FALSE(facts.forwards_ipv6);
  EXPECT_FALSE(facts.firewall);
}

TEST(Network, AnEmptyTreeIsNoTrouble) {
  const TemporaryFolder folder;
  EXPECT_EQ(watch_network({}, folder.path()), NetworkFacts{});
}

// As `nft -j list ruleset` of nftables 1.0 writes it.
constexpr const char* kRuleset = R"({"nftables": [
 {"metainfo": {"version": "1.0.6", "json_schema_version": 1}},
 {"table": {"family": "inet", "name": "filter", "handle": 1}},
 {"chain": {"family": "inet", "table": "filter", "name": "input", "handle": 1, "type": "filter",
            "hook": "input", "prio": 0, "policy": "drop"}},
 {"chain": {"family": "inet", "table": "filter", "name": "forward", "handle": 2, "type": "filter",
            "hook": "forward", "prio": 0, "policy": "accept"}},
 {"chain": {"family": "inet", "table": "filter", "name": "nat", "handle": 3, "type": "nat",
            "hook": "input", "prio": 0, "policy": "accept"}},
 {"chain": {"family": "inet", "table": "filter", "name": "ours", "handle": 4}},
 {"rule": {"family": "inet", "table": "filter", "chain": "ours", "handle": 5, "expr": [
   {"match": {"op": "==", "left": {"payload": {"protocol": "udp", "field": "dport"}}, "right": 1194}},
   {"counter": {"packets": 0, "bytes": 0}}, {"accept": null}]}},
 {"rule": {"family": "inet", "table": "filter", "chain": "ours", "handle": 6, "expr": [
   {"match": {"op": "==", "left": {"payload": {"protocol": "udp", "field": "dport"}},
              "right": {"set": [53, {"range": [2000, 2100]}]}}}, {"accept": null}]}},
 {"rule": {"family": "inet", "table": "filter", "chain": "ours", "handle": 7, "expr": [
   {"match": {"op": "==", "left": {"payload": {"protocol": "tcp", "field": "dport"}}, "right": 22}},
   {"drop": null}]}},
 {"rule": {"family": "inet", "table": "filter", "chain": "ours", "handle": 8, "expr": [
   {"match": {"op": "!=", "left": {"payload": {"protocol": "udp", "field": "dport"}}, "right": 99}},
   {"accept": null}]}},
 {"rule": {"family": "inet", "table": "filter", "chain": "input", "handle": 9, "expr": [
   {"match": {"op": "==", "left": {"meta": {"key": "iifname"}}, "right": {"set": ["lo", "tun*"]}}},
   {"accept": null}]}},
 {"rule": {"family": "inet", "table": "filter", "chain": "forward", "handle": 10, "expr": [
   {"reject": {"type": "icmpx", "expr": "admin-prohibited"}}]}}]})";

TEST(Ruleset, GatesPortsAndInterfaces) {
  const auto firewall = parse_ruleset(kRuleset);
  ASSERT_TRUE(firewall);
  const std::vector<Firewall::Gate> gates{{"inet filter input", "input", true, false},
                                          {"inet filter forward", "forward", true, false}};
  EXPECT_EQ(firewall->gates, gates);
  using Ports = std::vector<std::pair<std::uint16_t, std::uint16_t>>;
  EXPECT_EQ(firewall->udp_ports, (Ports{{1194, 1194}, {53, 53}, {2000, 2100}}));
  EXPECT_EQ(firewall->tcp_ports, Ports{});
  EXPECT_EQ(firewall->interfaces, (std::vector<std::string>{"lo", "tun*"}));
}

TEST(Ruleset, RulesOfIptablesCannotBeSeenThrough) {
  const auto firewall = parse_ruleset(R"({"nftables": [
   {"chain": {"family": "ip", "table": "filter", "name": "INPUT", "type": "filter",
              "hook": "input", "prio": 0, "policy": "drop"}},
   {"rule": {"family": "ip", "table": "filter", "chain": "INPUT", "expr": [
     {"xt": {"type": "match", "name": "udp"}}, {"accept": null}]}}]})");
  ASSERT_TRUE(firewall);
  ASSERT_EQ(firewall->gates.size(), 1u);
  EXPECT_TRUE(firewall->gates[0].opaque);
}

TEST(Ruleset, WhatIsNoneSaysNothing) {
  const std::string whole(kRuleset);
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    EXPECT_FALSE(parse_ruleset(std::string_view(whole).substr(0, length))) << length;
  }
  EXPECT_FALSE(parse_ruleset("Operation not permitted (you must be root)"));
  EXPECT_FALSE(parse_ruleset("{}"));
  EXPECT_FALSE(parse_ruleset(R"({"nftables": 5})"));
  EXPECT_TRUE(
      parse_ruleset(R"({"nftables": [5, {"chain": 5}, {"rule": {"expr": [5, {"match": 1}]}}]})"));
}

// A path that carries packets of up to `mtu`, and how it treats larger ones.
MtuProbe path(int mtu, ProbeOutcome larger, int& asked) {
  return [mtu, larger, &asked](int bytes) {
    ++asked;
    return bytes <= mtu ? ProbeOutcome::kAnswered : larger;
  };
}

TEST(PathMtu, IsFoundByHalving) {
  for (const int mtu : {576, 1280, 1400, 1472, 1492, 1499}) {
    for (const ProbeOutcome larger : {ProbeOutcome::kTooLarge, ProbeOutcome::kSilence}) {
      int asked = 0;
      const auto found = find_path_mtu(1500, path(mtu, larger, asked));
      ASSERT_TRUE(found);
      EXPECT_LE(found->bytes, mtu);
      EXPECT_GE(found->bytes, mtu - 4);
      EXPECT_EQ(found->silent, larger == ProbeOutcome::kSilence);
      EXPECT_LE(asked, larger == ProbeOutcome::kSilence ? 24 : 12);
    }
  }
}

TEST(PathMtu, WholeOrUnknown) {
  int asked = 0;
  EXPECT_EQ(find_path_mtu(1500, path(9000, ProbeOutcome::kSilence, asked)), (PathMtu{1500, false}));
  EXPECT_EQ(asked, 2);
  EXPECT_FALSE(find_path_mtu(1500, path(0, ProbeOutcome::kSilence, asked)));
}

}  // namespace
}  // namespace host
