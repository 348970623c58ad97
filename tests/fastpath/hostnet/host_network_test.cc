// SPDX-License-Identifier: Apache-2.0
// In a network namespace of this process's own; skipped where that is not allowed.
#include "fastpath/hostnet/host_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/file.h"

namespace {

using hostnet::AddressPlan;
using hostnet::HostNetwork;
using hostnet::InterfacePlan;
using hostnet::RoutePlan;
using testing::HasSubstr;
using testing::Not;

std::string ip(const std::string& words) {
  std::string text;
  FILE* pipe = ::popen(("ip -o " + words + " 2>&1").c_str(), "r");
  std::array<char, 512> line{};
  while (pipe != nullptr && std::fgets(line.data(), line.size(), pipe) != nullptr) {
    text += line.data();
  }
  if (pipe != nullptr) ::pclose(pipe);
  return text;
}

base::Prefix prefix(const char* text) { return *base::Prefix::parse(text); }
base::IpAddress address(const char* text) { return *base::IpAddress::parse(text); }

class Network : public testing::Test {
 protected:
  // One namespace for the whole program: unshare(2) has no way back.
  static void SetUpTestSuite() {
    const char* skipped = nullptr;
    if (::access("/dev/net/tun", R_OK | W_OK) != 0) skipped = "SKIPPED: needs tun: /dev/net/tun";
    if (::unshare(CLONE_NEWNET) != 0) skipped = "SKIPPED: needs netns: unshare(2) refused";
    if (skipped == nullptr) return;
    std::puts(skipped);
    std::exit(77);
  }
  void SetUp() override {
    ip("tuntap add dev tct0 mode tun");
    ASSERT_NE(::if_nametoindex("tct0"), 0u) << "no tun device";
    plan_.device = "tct0";
    plan_.existed = true;
    plan_.mtu = 1400;
    plan_.txqueuelen = 77;
    plan_.addresses = {{prefix("10.8.0.1/32"), address("10.8.0.2")},
                       {prefix("fd00::1/64"), std::nullopt}};
  }
  void TearDown() override { ip("link del tct0"); }

  std::string told_;
  base::Log log_{[this](base::LogLevel, std::string_view line) { told_ += line; }};
  InterfacePlan plan_;
};

TEST_F(Network, SetsEverythingAndUndoesIt) {
  {
    HostNetwork network(log_);
    const auto refusal = network.set_interface(plan_);
    ASSERT_FALSE(refusal) << to_string(refusal->problem);
    EXPECT_THAT(ip("link show tct0"), HasSubstr("mtu 1400"));
    EXPECT_THAT(ip("link show tct0"), HasSubstr("qlen 77"));
    EXPECT_THAT(ip("link show tct0"), HasSubstr("UP"));
    EXPECT_THAT(ip("addr show tct0"), HasSubstr("10.8.0.1 peer 10.8.0.2/32"));
    EXPECT_THAT(ip("addr show tct0"), HasSubstr("fd00::1/64"));
    EXPECT_EQ(
        network.add_routes(plan_, {{prefix("10.9.1.7/24"), address("10.8.0.2"), "tct0", 5, {}},
                                   {prefix("fd01::/64"), std::nullopt, "tct0", std::nullopt, {}}}),
        0);
    EXPECT_THAT(ip("route"), HasSubstr("10.9.1.0/24 via 10.8.0.2 dev tct0 proto 116 metric 5"));
    EXPECT_THAT(ip("-6 route"), HasSubstr("fd01::/64 dev tct0"));
  }
  EXPECT_THAT(ip("addr show tct0"), Not(HasSubstr("10.8.0.1")));
  EXPECT_THAT(ip("addr show tct0"), Not(HasSubstr("fd00::1")));
  EXPECT_THAT(ip("route"), Not(HasSubstr("10.9.1.0")));
  EXPECT_THAT(ip("link show tct0"), Not(HasSubstr(",UP")));
}

// Each of the three alone: what was set by others before us is what they get back.
TEST_F(Network, ADeviceThatOutlivesUsGetsItsStateBack) {
  hostnet::Netlink netlink;
  for (const hostnet::LinkState& before :
       {hostnet::LinkState{1280, 500, false}, hostnet::LinkState{1280, 77, true},
        hostnet::LinkState{1400, 500, true}, hostnet::LinkState{1400, 77, false}}) {
    ip("link set tct0 mtu " + std::to_string(before.mtu) + " txqueuelen " +
       std::to_string(before.txqueuelen) + (before.up ? " up" : " down"));
    ASSERT_EQ(netlink.link_state("tct0"), before);
    HostNetwork network(log_);
    ASSERT_FALSE(network.set_interface(plan_));
    EXPECT_EQ(netlink.link_state("tct0"), (hostnet::LinkState{1400, 77, true}));
    network.undo();
    EXPECT_EQ(netlink.link_state("tct0"), before);
  }
  EXPECT_EQ(told_.find("cannot"), std::string::npos) << told_;
  EXPECT_EQ(netlink.link_state("tct9"), std::nullopt);
}

TEST_F(Network, ASubnetGetsItsBroadcast) {
  plan_.addresses = {{prefix("10.8.0.1/24"), std::nullopt}};
  HostNetwork network(log_);
  ASSERT_FALSE(network.set_interface(plan_));
  EXPECT_THAT(ip("addr show tct0"), HasSubstr("10.8.0.1/24 brd 10.8.0.255"));
}

TEST_F(Network, ATakenAddressOnAFreshDeviceIsNamed) {
  ip("addr add 10.8.0.1 peer 10.8.0.2 dev tct0");
  plan_.existed = false;
  HostNetwork network(log_);
  const auto refusal = network.set_interface(plan_);
  ASSERT_TRUE(refusal);
  EXPECT_THAT(to_string(refusal->problem), HasSubstr("10.8.0.1/32 peer 10.8.0.2 is already on"));
}

TEST_F(Network, WhatWasThereBeforeStays) {
  ip("addr add 10.8.0.1 peer 10.8.0.2 dev tct0");
  {
    HostNetwork network(log_);
    ASSERT_FALSE(network.set_interface(plan_));
  }
  EXPECT_THAT(ip("addr show tct0"), HasSubstr("10.8.0.1 peer 10.8.0.2"));
}

TEST_F(Network, ARouteThatCannotBeIsAWarningWithItsPlace) {
  HostNetwork network(log_);
  ASSERT_FALSE(network.set_interface(plan_));
  const RoutePlan route{
      prefix("10.9.0.0/24"), address("192.0.2.1"), "", std::nullopt, {"t.conf", 7, 1}};
  EXPECT_EQ(network.add_routes(plan_, {route}), 1);
  EXPECT_THAT(told_, HasSubstr("t.conf:7:1: cannot set route 10.9.0.0/24 via 192.0.2.1"));
}

TEST_F(Network, RoutesThroughTheMachinesOwnGatewayAreTakenBack) {
  HostNetwork network(log_);
  plan_.existed = false;  // the device takes its own routes with it, but not this one
  ip("link add tct1 type veth peer name tct2");
  ip("link set tct2 up");
  ip("addr add 198.18.0.1/24 dev tct1");
  ip("link set tct1 up");
  ip("route add default via 198.18.0.9 metric 50");
  ip("route add default via 198.18.0.8 metric 20");
  const auto gateway = network.default_gateway(base::IpFamily::kIpv4);
  ASSERT_TRUE(gateway);
  EXPECT_EQ(gateway->address, address("198.18.0.8"));
  EXPECT_EQ(gateway->device, "tct1");
  EXPECT_EQ(network.add_routes(
                plan_, {{prefix("10.9.0.0/24"), gateway->address, "tct1", std::nullopt, {}}}),
            0);
  EXPECT_THAT(ip("route"), HasSubstr("10.9.0.0/24 via 198.18.0.8 dev tct1"));
  network.delete_routes();
  EXPECT_THAT(ip("route"), Not(HasSubstr("10.9.0.0/24")));
  ip("link del tct1");
  EXPECT_FALSE(network.default_gateway(base::IpFamily::kIpv4));
}

// A machine with a router of its own, on tct1.
class WithRouter : public Network {
 protected:
  void SetUp() override {
    Network::SetUp();
    ip("link add tct1 type veth peer name tct2");
    ip("link set tct2 up");
    ip("addr add 198.18.0.1/24 dev tct1");
    ip("link set tct1 up");
    ip("route add default via 198.18.0.9");
    plan_.existed = false;
    plan_.addresses = {{prefix("10.8.0.2/24"), std::nullopt}};
  }
  void TearDown() override {
    ip("link del tct1");
    Network::TearDown();
  }

  static RoutePlan pin(const char* remote, const char* router = "198.18.0.9") {
    return {prefix(remote), address(router), "tct1", std::nullopt, {}};
  }
  static RoutePlan tunnel(const char* destination, const char* gateway = "10.8.0.1") {
    return {prefix(destination), address(gateway), "tct0", std::nullopt, {}};
  }
};

TEST_F(WithRouter, KnowsTheWayToThePeerBesideTheTunnel) {
  HostNetwork network(log_);
  ASSERT_FALSE(network.set_interface(plan_));
  const hostnet::Hop router{address("198.18.0.9"), "tct1"};
  EXPECT_EQ(network.hop_to(address("192.0.2.7"), "tct0"), router);
  EXPECT_EQ(network.hop_to(address("198.18.0.77"), "tct0"), (hostnet::Hop{std::nullopt, "tct1"}));
  network.add_routes(plan_, {tunnel("0.0.0.0/1"), tunnel("128.0.0.0/1")});
  EXPECT_EQ(network.hop_to(address("192.0.2.7"), "tct0"), router);
  EXPECT_THAT(network.networks_on("tct1"), testing::ElementsAre(prefix("198.18.0.1/24")));
  EXPECT_FALSE(network.hop_to(address("2001:db8::1"), "tct0"));
}

TEST_F(WithRouter, ChangesWhatDiffersAndNothingElse) {
  HostNetwork network(log_);
  ASSERT_FALSE(network.set_interface(plan_));
  EXPECT_EQ(network.add_routes(plan_, {pin("192.0.2.7/32"), tunnel("10.1.0.0/16"),
                                       tunnel("10.2.0.0/16"), tunnel("10.3.0.0/16")}),
            0);
  FILE* monitor = ::popen("timeout 3 ip -o monitor route address 2>&1", "r");
  ::usleep(300'000);
  plan_.addresses = {{prefix("10.8.0.2/24"), std::nullopt}, {prefix("fd00::2/64"), std::nullopt}};
  ASSERT_FALSE(network.change(plan_, {pin("192.0.2.8/32"), tunnel("10.1.0.0/16"),
                                      tunnel("10.2.0.0/16", "10.8.0.5"), tunnel("10.4.0.0/16")}));
  std::string seen;
  std::array<char, 512> line{};
  while (std::fgets(line.data(), line.size(), monitor) != nullptr) seen += line.data();
  ::pclose(monitor);
  EXPECT_THAT(seen, Not(HasSubstr("10.1.0.0/16")));          // stayed
  EXPECT_THAT(seen, Not(HasSubstr("Deleted 10.2.0.0/16")));  // in one step
  EXPECT_THAT(seen, HasSubstr("Deleted 10.3.0.0/16"));
  EXPECT_THAT(seen, HasSubstr("Deleted 192.0.2.7"));
  const std::string routes = ip("route");
  EXPECT_THAT(routes, HasSubstr("192.0.2.8 via 198.18.0.9 dev tct1 proto 116"));
  EXPECT_THAT(routes, HasSubstr("10.2.0.0/16 via 10.8.0.5 dev tct0"));
  EXPECT_THAT(routes, HasSubstr("10.4.0.0/16 via 10.8.0.1 dev tct0"));
  EXPECT_THAT(ip("addr show tct0"), HasSubstr("fd00::2/64"));
}

TEST_F(WithRouter, AnotherAddressOfTheSameNetworkKeepsTheRoutes) {
  HostNetwork network(log_);
  ASSERT_FALSE(network.set_interface(plan_));
  EXPECT_EQ(network.add_routes(plan_, {pin("192.0.2.7/32"), tunnel("10.1.0.0/16")}), 0);
  plan_.addresses = {{prefix("10.8.0.3/24"), std::nullopt}};
  plan_.mtu = 1300;
  ASSERT_FALSE(network.change(plan_, {pin("192.0.2.7/32"), tunnel("10.1.0.0/16")}));
  EXPECT_THAT(ip("addr show tct0"), HasSubstr("10.8.0.3/24"));
  EXPECT_THAT(ip("addr show tct0"), Not(HasSubstr("10.8.0.2/24")));
  EXPECT_THAT(ip("route"), HasSubstr("10.1.0.0/16 via 10.8.0.1 dev tct0"));
  EXPECT_THAT(ip("route"), HasSubstr("10.8.0.0/24 dev tct0"));
  EXPECT_THAT(ip("link show tct0"), HasSubstr("mtu 1300"));
}

// Two sites that both want the same: the second has to say that it carries nothing of it.
TEST_F(WithRouter, ARouteThatAnotherDeviceHasIsTold) {
  ip("route add 10.1.0.0/16 via 198.18.0.9");
  ip("-6 route add fd07::/64 dev tct1");
  ip("route add 10.2.0.0/16 via 198.18.0.9 metric 7");
  plan_.addresses.push_back({prefix("fd00::2/64"), std::nullopt});
  HostNetwork network(log_);
  ASSERT_FALSE(network.set_interface(plan_));
  RoutePlan ipv6{prefix("fd07::/64"), std::nullopt, "tct0", std::nullopt, {}};
  const std::vector<RoutePlan> routes{tunnel("10.1.0.0/16"), tunnel("10.2.0.0/16"), ipv6};
  EXPECT_EQ(network.add_routes(plan_, routes), 0);
  EXPECT_EQ(network.held_by_others(), "route 10.1.0.0/16 leads to tct1 already, and 1 more");
  EXPECT_THAT(told_, HasSubstr("not into this tunnel: route 10.1.0.0/16 leads to tct1 already"));
  EXPECT_THAT(told_, HasSubstr("route fd07::/64 leads to tct1 already"));
  // The same route of one's own is no trouble; and a later push finds the place free.
  EXPECT_EQ(network.add_routes(plan_, {tunnel("10.2.0.0/16")}), 0);
  EXPECT_EQ(network.held_by_others(), "");
  ip("route del 10.1.0.0/16");
  ip("-6 route del fd07::/64");
  ASSERT_FALSE(network.change(plan_, routes));
  EXPECT_EQ(network.held_by_others(), "");
  EXPECT_THAT(ip("route"), HasSubstr("10.1.0.0/16 via 10.8.0.1 dev tct0"));
}

TEST_F(WithRouter, WithoutIpv6TheTunnelGoesOnWithIpv4AndSaysSoOnce) {
  const std::string sysctl = "/proc/sys/net/ipv6/conf/tct0/disable_ipv6";
  // Asked of the machine, not of the interface under test.
  if (::access("/proc/sys/net/ipv6/conf/all/disable_ipv6", W_OK) != 0) {
    GTEST_SKIP() << "SKIPPED: needs ipv6-switch: there is no IPv6 here that could be switched off";
  }
  FILE* file = std::fopen(sysctl.c_str(), "w");
  ASSERT_NE(file, nullptr) << sysctl;
  std::fputs("1", file);
  ASSERT_EQ(std::fclose(file), 0);
  const AddressPlan ipv6{prefix("fd00::2/64"), std::nullopt};
  plan_.addresses.push_back(ipv6);
  plan_.addresses.push_back({prefix("fd01::2/64"), std::nullopt});
  {
    HostNetwork network(log_);
    const auto refusal = network.set_interface(plan_);
    ASSERT_FALSE(refusal) << to_string(refusal->problem);
    const RoutePlan route{prefix("2000::/3"), std::nullopt, "tct0", std::nullopt, {}};
    EXPECT_EQ(network.add_routes(plan_, {tunnel("10.1.0.0/16"), route}), 0);
    EXPECT_THAT(ip("addr show tct0"), HasSubstr("10.8.0.2/24"));
    EXPECT_THAT(ip("route"), HasSubstr("10.1.0.0/16"));
  }
  const auto at = told_.find("IPv6 is off on tct0 (sysctl net.ipv6.conf.tct0.disable_ipv6");
  ASSERT_NE(at, std::string::npos) << told_;
  EXPECT_EQ(told_.find("IPv6 is off", at + 1), std::string::npos) << told_;
  EXPECT_THAT(told_, HasSubstr("`pull-filter ignore ifconfig-ipv6`"));
  EXPECT_THAT(told_, Not(HasSubstr("cannot set"))) << told_;

  plan_.addresses = {ipv6};
  HostNetwork network(log_);
  const auto refusal = network.set_interface(plan_);
  ASSERT_TRUE(refusal);
  EXPECT_TRUE(refusal->lasting);
  EXPECT_THAT(to_string(refusal->problem), HasSubstr("net.ipv6.conf.tct0.disable_ipv6"));
  EXPECT_THAT(to_string(refusal->problem), Not(HasSubstr("run as root")));
}

TEST_F(WithRouter, RefusedIpv6LeavesWithTheTunnel) {
  RoutePlan refused{prefix("2000::/4"), std::nullopt, "", std::nullopt};
  refused.unreachable = true;
  {
    HostNetwork network(log_);
    ASSERT_FALSE(network.set_interface(plan_));
    EXPECT_EQ(network.add_routes(plan_, {refused}), 0);
    EXPECT_THAT(ip("-6 route"), HasSubstr("unreachable 2000::/4"));
  }
  EXPECT_THAT(ip("-6 route"), Not(HasSubstr("2000::/4")));
}

TEST_F(WithRouter, TheStartAfterAKillRemovesWhatTheKilledOneLeft) {
  std::string journal = "/tmp/tct-network-XXXXXX";
  ::close(::mkstemp(journal.data()));
  const pid_t child = ::fork();
  if (child == 0) {
    HostNetwork network(log_, journal);
    const bool ok = !network.set_interface(plan_) &&
                    network.add_routes(plan_, {pin("192.0.2.7/32"), tunnel("0.0.0.0/1")}) == 0;
    if (ok) ::kill(::getpid(), SIGKILL);
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_THAT(ip("route"), HasSubstr("192.0.2.7 via 198.18.0.9 dev tct1 proto 116"));
  // The same route by an admin's hand, which no journal may take away.
  ip("route add 192.0.2.8 via 198.18.0.9");
  {
    HostNetwork network(log_, journal);
    EXPECT_TRUE(network.undo_left_behind());
    EXPECT_THAT(ip("route"), Not(HasSubstr("192.0.2.7")));
    EXPECT_THAT(told_, HasSubstr("left behind by a killed engine, undone: route 192.0.2.7/32"));
    EXPECT_NE(::access(journal.c_str(), F_OK), 0);
    EXPECT_EQ(network.add_routes(plan_, {pin("192.0.2.8/32")}), 0);
  }
  EXPECT_THAT(ip("route"), HasSubstr("192.0.2.8 via 198.18.0.9"));
  EXPECT_NE(::access(journal.c_str(), F_OK), 0);
}

// Whoever has no right to undo it leaves it noted for whoever has.
TEST_F(WithRouter, WhatCannotBeUndoneStaysNoted) {
  std::string journal = "/tmp/tct-network-XXXXXX";
  ::close(::mkstemp(journal.data()));
  const std::string text = hostnet::format_journal(
      hostnet::boot_id(), {hostnet::SetRoute{pin("192.0.2.7/32")}, hostnet::SetMtu{"tct1", 70000},
                           hostnet::SetMtu{"tct9", 1500}});
  ASSERT_EQ(base::write_file_atomically(journal, text, 0600), "");
  EXPECT_FALSE(HostNetwork(log_, journal).undo_left_behind());
  const auto left = base::read_file(journal);
  ASSERT_TRUE(left);
  EXPECT_THAT(*left, HasSubstr("mtu tct1 70000"));
  EXPECT_THAT(*left, Not(HasSubstr("192.0.2.7"))) << "gone, so done";
  EXPECT_THAT(*left, Not(HasSubstr("tct9"))) << "gone, so done";
  ::unlink(journal.c_str());
}

// Killed behind each kind of step, on a device that stays: MTU and state, addresses, routes.
TEST_F(Network, AKillHalfwayIsUndoneOnADeviceThatStays) {
  hostnet::Netlink netlink;
  ip("link set tct0 mtu 1300 txqueuelen 500 down");
  const auto before = netlink.link_state("tct0");
  std::string journal = "/tmp/tct-network-XXXXXX";
  ::close(::mkstemp(journal.data()));
  plan_.addresses.push_back({prefix("ff02::77/128"), std::nullopt});  // which no device may have
  const RoutePlan route{prefix("10.9.1.0/24"), address("10.8.0.2"), "tct0", std::nullopt, {}};
  for (const std::string last : {"address 10.8.0.1", "address fd00::1", "refusal", "route 10.9"}) {
    const pid_t child = ::fork();
    if (child == 0) {
      const base::Log killer([&](base::LogLevel, std::string_view line) {
        if (line.starts_with(last)) ::kill(::getpid(), SIGKILL);
      });
      HostNetwork network(killer, journal);
      if (last.starts_with("route")) plan_.addresses.pop_back();
      if (network.set_interface(plan_) && last == "refusal") ::kill(::getpid(), SIGKILL);
      network.add_routes(plan_, {route});
      ::_exit(1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << last;
    EXPECT_THAT(ip("link show tct0"), HasSubstr("mtu 1400")) << last;
    HostNetwork network(log_, journal);
    EXPECT_TRUE(network.undo_left_behind());
    EXPECT_EQ(netlink.link_state("tct0"), before) << last;
    EXPECT_THAT(ip("addr show tct0"), Not(HasSubstr("10.8.0.1"))) << last;
    EXPECT_THAT(ip("addr show tct0"), Not(HasSubstr("fd00::1"))) << last;
    EXPECT_THAT(ip("route show table all"), Not(HasSubstr("10.9.1.0"))) << last;
    EXPECT_NE(::access(journal.c_str(), F_OK), 0) << last;
  }
}

TEST_F(Network, ADeviceThatIsGoneIsAPlainError) {
  plan_.device = "tct9";
  HostNetwork network(log_);
  const auto refusal = network.set_interface(plan_);
  ASSERT_TRUE(refusal);
  EXPECT_THAT(to_string(refusal->problem), HasSubstr("tct9"));
  EXPECT_FALSE(refusal->lasting);
}

}  // namespace
