// SPDX-License-Identifier: Apache-2.0
// One fault planted at a time into a machine without any: it is named, and nothing else is.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "ovpn/lexer.h"
#include "supervisor/doctor/doctor.h"

namespace doctor {
namespace {

constexpr const char* kSite =
    "dev tun3\nifconfig 10.8.0.1 10.8.0.2\nport 2011\nproto udp\nsecret static.key\n"
    "route 192.168.7.0 255.255.255.0\n";

ovpn::Profile profile_of(const std::string& text) {
  return ovpn::lex_config("a.conf", text).profile;
}

// Two big cores and two little ones, a card, and a site that joins two networks.
struct Scene {
  base::Machine machine;
  host::NetworkFacts network;
  std::vector<TunnelFacts> tunnels{1};

  Scene() {
    for (int number = 0; number < 4; ++number) {
      base::Cpu cpu;
      cpu.number = number;
      cpu.capacity = number < 2 ? 446 : 1024;
      cpu.max_khz = cpu.now_khz = 1'800'000;
      cpu.governor = "schedutil";
      machine.cpus.push_back(cpu);
    }
    network.interfaces = {{"eth0", true, true, 1500, 1000, 0, true, ""},
                          {"tun3", false, true, 1500, {}, 0, {}, ""}};
    network.routes = {{*base::Prefix::parse("0.0.0.0/0"), "eth0", 0},
                      {*base::Prefix::parse("192.168.7.0/24"), "tun3", 0}};
    network.forwards_ipv4 = network.forwards_ipv6 = true;
    network.rp_filter_drops = 0;
    network.softirq_share = {{0, 0.1}, {1, 0.0}, {2, 0.0}, {3, 0.0}};
    network.firewall.emplace();
    network.clock_synchronized = true;
    TunnelFacts& only = tunnel();
    only.site = "site-a";
    only.running = true;
    only.interface = "tun3";
    only.profile = profile_of(kSite);
    only.cpus = {2, 3};
    only.offload = "tso,uso,gso,gro";
    only.socket_drops = 0;
    only.path = host::PathMtu{1500, false};
  }

  TunnelFacts& tunnel() { return tunnels[0]; }
  host::InterfaceFacts& interface() { return network.interfaces[1]; }

  std::vector<Finding> all() const { return examine(machine, network, tunnels); }
  std::vector<Finding> bad() const {
    std::vector<Finding> findings;
    std::ranges::copy_if(all(), std::back_inserter(findings),
                         [](const Finding& each) { return each.verdict != Verdict::kGood; });
    return findings;
  }
  // The one that there is, as "fault mtu site-a"; more, or none, is an error.
  std::string only() const {
    const auto findings = bad();
    std::string text;
    for (const Finding& each : findings) {
      text += (text.empty() ? "" : ", ") + std::string(to_string(each.verdict)) + " " + each.check +
              (each.site.empty() ? "" : " " + each.site);
    }
    return text;
  }
  bool tells(const std::string& evidence) const {
    const auto findings = bad();
    return std::ranges::any_of(findings, [&](const Finding& each) {
      return each.evidence.find(evidence) != std::string::npos ||
             each.remedy.find(evidence) != std::string::npos;
    });
  }
};

TEST(Doctor, AMachineInOrderHasNothingBad) {
  const Scene scene;
  EXPECT_EQ(scene.only(), "");
  std::vector<std::string> checks;
  for (const Finding& each : scene.all()) checks.push_back(each.check);
  EXPECT_EQ(checks, (std::vector<std::string>{"clock", "governor", "softirq", "forwarding",
                                              "config", "cores", "manager", "routes", "port", "mtu",
                                              "buffers", "offload"}));
}

TEST(Doctor, SlowCores) {
  Scene scene;
  scene.tunnel().cpus = {0, 1};
  EXPECT_EQ(scene.only(), "fault cores site-a");
  EXPECT_TRUE(scene.tells("runs on CPUs 0-1, and CPUs 2-3 are faster by cpu_capacity"));
  scene.tunnel().cpus = {0, 1, 2, 3};
  EXPECT_EQ(scene.only(), "fault cores site-a");
  EXPECT_TRUE(scene.tells("only CPUs 2-3 are fast"));
}

TEST(Doctor, ATunnelBesideTheNetworkCard) {
  Scene scene;
  scene.network.softirq_share[3] = 0.93;
  EXPECT_EQ(scene.only(), "fault softirq");
  EXPECT_TRUE(scene.tells("CPU 3 spends 93 % of its time"));
  // Where no tunnel may run it harms none.
  scene.network.softirq_share = {{0, 0.93}};
  EXPECT_EQ(scene.only(), "");
}

TEST(Doctor, ClockRatesHeldDown) {
  Scene scene;
  for (base::Cpu& cpu : scene.machine.cpus) cpu.governor = "powersave";
  scene.machine.cpus[2].now_khz = 200'000;
  EXPECT_EQ(scene.only(), "fault governor");
  EXPECT_TRUE(scene.tells("CPUs 2-3 are kept at their lowest rate (powersave): 0.20 of 1.80 GHz"));
  for (base::Cpu& cpu : scene.machine.cpus) cpu.rate_driver = "intel_pstate";
  EXPECT_EQ(scene.only(), "");
}

TEST(Doctor, Heat) {
  Scene scene;
  scene.machine.throttled = {"cpufreq-cpu0 cools at step 3 of 9"};
  EXPECT_EQ(scene.only(), "fault heat");
}

TEST(Doctor, ForwardingIsOff) {
  Scene scene;
  scene.network.forwards_ipv4 = false;
  EXPECT_EQ(scene.only(), "fault forwarding");
  EXPECT_TRUE(scene.tells("sysctl -w net.ipv4.ip_forward=1"));
  // Of IPv6 only where a site has such routes; of neither where it joins no networks.
  scene.network.forwards_ipv4 = true;
  scene.network.forwards_ipv6 = false;
  EXPECT_EQ(scene.only(), "");
  scene.tunnel().profile = profile_of(std::string(kSite) + "route-ipv6 fd00:7::/64\n");
  EXPECT_EQ(scene.only(), "fault forwarding");
  scene.tunnel().profile = profile_of("dev tun3\nport 2011\n");
  EXPECT_EQ(scene.only(), "");
}

TEST(Doctor, TheFirewallForwardsNothing) {
  Scene scene;
  scene.network.firewall->gates = {{"inet filter forward", "forward", true, false}};
  EXPECT_EQ(scene.only(), "fault forward");
  scene.network.firewall->gates[0].opaque = true;
  EXPECT_EQ(scene.only(), "unknown forward");
  scene.network.firewall->interfaces = {"tun*"};
  EXPECT_EQ(scene.only(), "");
}

TEST(Doctor, TheFirewallLetsNobodyCall) {
  Scene scene;
  scene.network.firewall->gates = {{"inet filter input", "input", true, false}};
  scene.network.firewall->tcp_ports = {{2011, 2011}};
  EXPECT_EQ(scene.only(), "fault port site-a");
  EXPECT_TRUE(scene.tells("nft insert rule inet filter input udp dport 2011 accept"));
  scene.network.firewall->udp_ports = {{2000, 2100}};
  EXPECT_EQ(scene.only(), "");
  // Who calls needs no open port.
  scene.network.firewall->udp_ports.clear();
  scene.tunnel().profile = profile_of(std::string(kSite) + "remote 192.0.2.1\n");
  EXPECT_EQ(scene.only(), "");
}

TEST(Doctor, SomebodyElseSetsUpTheInterface) {
  Scene scene;
  scene.interface().manager = "systemd-networkd";
  EXPECT_EQ(scene.only(), "fault manager site-a");
  scene.interface().manager = "NetworkManager";
  EXPECT_TRUE(scene.tells("nmcli device set tun3 managed no"));
}

TEST(Doctor, StrictReversePath) {
  Scene scene;
  scene.interface().rp_filter = 1;
  EXPECT_EQ(scene.only(), "");  // it harms nobody so far
  scene.network.rp_filter_drops = 17;
  EXPECT_EQ(scene.only(), "note rp_filter site-a");
  scene.interface().rp_filter = 2;
  EXPECT_EQ(scene.only(), "");
}

TEST(Doctor, TheSameNetworkTwice) {
  Scene scene;
  scene.network.routes.push_back({*base::Prefix::parse("192.168.7.0/24"), "tun4", 0});
  EXPECT_EQ(scene.only(), "fault routes site-a");
  EXPECT_TRUE(scene.tells("192.168.7.0/24 leads into tun3 and into tun4"));
  scene.network.routes.back().metric = 50;  // the tunnel's comes first: meant so
  EXPECT_EQ(scene.only(), "");
}

TEST(Doctor, ABlackHole) {
  Scene scene;
  scene.tunnel().path = host::PathMtu{1400, true};
  EXPECT_EQ(scene.only(), "fault mtu site-a");
  EXPECT_TRUE(scene.tells("`mssfix 1400 mtu`"));
  scene.tunnel().path->silent = false;
  EXPECT_EQ(scene.only(), "note mtu site-a");
  scene.tunnel().profile = profile_of(std::string(kSite) + "mssfix 1400 mtu\n");
  EXPECT_EQ(scene.only(), "");
  scene.tunnel().profile = profile_of(std::string(kSite) + "mssfix 1400\n");  // and 28 bytes
  EXPECT_EQ(scene.only(), "note mtu site-a");
  scene.tunnel().profile = profile_of(std::string(kSite) + "mssfix 0\n");
  EXPECT_EQ(scene.only(), "note mtu site-a");
  scene.tunnel().path.reset();
  scene.tunnel().path_trouble = "192.0.2.1 answers no echo requests";
  EXPECT_EQ(scene.only(), "unknown mtu site-a");
}

TEST(Doctor, FullBuffers) {
  Scene scene;
  scene.tunnel().socket_drops = 4711;
  EXPECT_EQ(scene.only(), "note buffers site-a");
}

TEST(Doctor, AKernelWithoutTrains) {
  Scene scene;
  scene.tunnel().offload = "tso,gro";
  EXPECT_EQ(scene.only(), "note offload site-a");
  EXPECT_TRUE(scene.tells("uso, gso"));
}

TEST(Doctor, ACardThatHandsOverSinglePackets) {
  Scene scene;
  scene.network.interfaces[0].receive_offload = false;
  EXPECT_EQ(scene.only(), "fault card");
  scene.network.interfaces[0].receive_offload = true;
  scene.network.interfaces[0].speed_mbit = 100;
  EXPECT_EQ(scene.only(), "note card");
}

TEST(Doctor, TheClock) {
  Scene scene;
  scene.network.clock_synchronized = false;
  EXPECT_EQ(scene.only(), "note clock");
}

TEST(Doctor, WhatCheckSaysAndWhatTheCipherCosts) {
  Scene scene;
  scene.tunnel().warnings = {
      {{"a.conf", 3, 1}, "ca: certificate CN = a expired on 2024-05-01", "r"}};
  EXPECT_EQ(scene.only(), "fault config site-a");
  EXPECT_TRUE(scene.tells("a.conf:3:1: ca: certificate CN = a expired on 2024-05-01"));
  scene.tunnel().warnings.clear();
  scene.machine.features = {"neon"};
  EXPECT_EQ(scene.only(), "");  // Blowfish needs none
  scene.tunnel().profile = profile_of(std::string(kSite) + "cipher AES-256-CBC\n");
  EXPECT_EQ(scene.only(), "note cipher site-a");
  EXPECT_TRUE(scene.tells("no AES instructions"));
}

TEST(Doctor, WhatIsNotKnownIsNotGuessed) {
  std::vector<TunnelFacts> tunnels(1);
  tunnels[0].site = "site-a";
  const auto findings = examine({}, {}, tunnels);
  for (const Finding& each : findings) EXPECT_EQ(each.check, "config") << each.evidence;
}

}  // namespace
}  // namespace doctor
