// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/route_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fastpath/config/push.h"
#include "fastpath/hostnet/journal.h"
#include "ovpn/lexer.h"

namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

base::IpAddress address(const char* text) { return *base::IpAddress::parse(text); }

// A machine at home: router .1, and the server far away.
engine::RouteFacts at_home() {
  engine::RouteFacts facts;
  facts.gateway_v4 = {address("192.168.1.1"), "eth0"};
  facts.gateway_v6 = {address("fe80::1"), "eth0"};
  facts.remote = address("203.0.113.5");
  facts.remote_hop = {address("192.168.1.1"), "eth0"};
  facts.local_networks = {*base::Prefix::parse("192.168.1.17/24")};
  return facts;
}

// The device that a client has after this push.
config::DeviceConfig pushed(const std::vector<std::string>& options,
                            const std::string& lines = "") {
  const std::string text = "client\ndev tun\nremote h\nca c\nauth-user-pass u\n" + lines;
  const auto file = config::make_tunnel_config(ovpn::lex_config("t", text).profile);
  auto result = config::apply_push(*file, options, {});
  EXPECT_TRUE(result.ok());
  return result ? result->device : config::DeviceConfig{};
}

std::vector<std::string> texts(const engine::RoutePlans& plans) {
  std::vector<std::string> lines;
  for (const hostnet::RoutePlan& route : plans.routes) {
    lines.push_back(hostnet::to_string(hostnet::Step(hostnet::SetRoute{route})).substr(6));
  }
  return lines;
}

std::vector<std::string> routes(const std::vector<std::string>& options,
                                const engine::RouteFacts& facts = at_home(),
                                const std::string& lines = "") {
  return texts(engine::plan_routes(pushed(options, lines), "tun0", facts));
}

std::vector<std::string> warnings(const std::vector<std::string>& options,
                                  const engine::RouteFacts& facts) {
  std::vector<std::string> lines;
  for (const auto& warning : engine::plan_routes(pushed(options), "tun0", facts).warnings) {
    lines.push_back(warning.message);
  }
  return lines;
}

const std::vector<std::string> kSubnet{"topology subnet", "ifconfig 10.8.0.2 255.255.255.0",
                                       "route-gateway 10.8.0.1"};

std::vector<std::string> subnet_and(std::vector<std::string> more) {
  more.insert(more.begin(), kSubnet.begin(), kSubnet.end());
  return more;
}

TEST(RoutePlanOfPush, Net30IsTwoEnds) {
  const auto plan = engine::plan_interface(pushed({"topology net30", "ifconfig 10.8.0.6 10.8.0.5"}),
                                           "tun0", false);
  ASSERT_EQ(plan.addresses.size(), 1u);
  EXPECT_EQ(plan.addresses[0].local.to_string(), "10.8.0.6/32");
  EXPECT_EQ(plan.addresses[0].peer, address("10.8.0.5"));
  EXPECT_THAT(routes({"ifconfig 10.8.0.6 10.8.0.5", "route 10.1.0.0 255.255.0.0"}),
              ElementsAre("10.1.0.0/16 via 10.8.0.5 dev tun0"));
}

TEST(RoutePlanOfPush, Subnet) {
  const auto plan = engine::plan_interface(pushed(kSubnet), "tun0", false);
  EXPECT_EQ(plan.addresses[0].local.to_string(), "10.8.0.2/24");
  EXPECT_THAT(
      routes(subnet_and({"route 10.1.0.0 255.255.0.0", "route 10.2.3.4"})),
      ElementsAre("10.1.0.0/16 via 10.8.0.1 dev tun0", "10.2.3.4/32 via 10.8.0.1 dev tun0"));
  // A server that names no gateway, or one that is not on the tunnel: tun needs none.
  EXPECT_THAT(routes({"topology subnet", "ifconfig 10.8.0.2 255.255.255.0", "route 10.1.0.0"}),
              ElementsAre("10.1.0.0/32 dev tun0"));
  EXPECT_THAT(routes({"ifconfig 10.8.0.6 10.8.0.5", "route-gateway 10.99.0.1", "route 10.1.0.0"}),
              ElementsAre("10.1.0.0/32 dev tun0"));
}

TEST(RoutePlanOfPush, RedirectGatewayBringsTheWayToThePeer) {
  EXPECT_THAT(routes(subnet_and({"redirect-gateway def1"})),
              ElementsAre("203.0.113.5/32 via 192.168.1.1 dev eth0",
                          "0.0.0.0/1 via 10.8.0.1 dev tun0", "128.0.0.0/1 via 10.8.0.1 dev tun0"));
  // Without def1 too: the machine's own default route is never touched.
  EXPECT_EQ(routes(subnet_and({"redirect-gateway"})),
            routes(subnet_and({"redirect-gateway def1 bypass-dhcp bypass-dns"})));
  EXPECT_THAT(routes(subnet_and({"redirect-gateway def1 local"})),
              Not(Contains(HasSubstr("203.0.113.5"))));
  EXPECT_THAT(routes(subnet_and({"redirect-private"})),
              ElementsAre("203.0.113.5/32 via 192.168.1.1 dev eth0"));
}

TEST(RoutePlanOfPush, AutolocalLooksWhetherThePeerIsOnTheLink) {
  auto facts = at_home();
  EXPECT_THAT(routes(subnet_and({"redirect-gateway autolocal"}), facts),
              Contains("203.0.113.5/32 via 192.168.1.1 dev eth0"));
  facts.remote = address("192.168.1.9");
  facts.remote_hop = {std::nullopt, "eth0"};
  EXPECT_THAT(routes(subnet_and({"redirect-gateway autolocal"}), facts),
              Not(Contains(HasSubstr("192.168.1.9"))));
  EXPECT_THAT(routes(subnet_and({"redirect-gateway"}), facts), Contains("192.168.1.9/32 dev eth0"));
}

TEST(RoutePlanOfPush, RedirectOfIpv6) {
  auto facts = at_home();
  facts.remote = address("2001:db8::5");
  facts.remote_hop = {address("fe80::1"), "eth0"};
  EXPECT_THAT(routes({"ifconfig-ipv6 fd00::2/64 fd00::1", "redirect-gateway ipv6 !ipv4"}, facts),
              ElementsAre("2001:db8::5/128 via fe80::1 dev eth0", "::/3 dev tun0",
                          "2000::/4 dev tun0", "3000::/4 dev tun0", "fc00::/7 dev tun0"));
}

TEST(RoutePlanOfPush, BlockedIpv6IsRefusedHere) {
  EXPECT_THAT(routes({"block-ipv6", "redirect-gateway ipv6 !ipv4", "route-ipv6 2001:db8:1::/48"}),
              ElementsAre("203.0.113.5/32 via 192.168.1.1 dev eth0", "::/3 unreachable",
                          "2000::/4 unreachable", "3000::/4 unreachable", "fc00::/7 unreachable",
                          "2001:db8:1::/48 unreachable"));
}

TEST(RoutePlanOfPush, BlockLocalTakesTheLocalNetworkToo) {
  EXPECT_THAT(
      routes(subnet_and({"redirect-private block-local"})),
      ElementsAre("203.0.113.5/32 via 192.168.1.1 dev eth0", "192.168.1.0/25 via 10.8.0.1 dev tun0",
                  "192.168.1.128/25 via 10.8.0.1 dev tun0", "192.168.1.1/32 dev eth0"));
}

TEST(RoutePlanOfPush, GatewayWords) {
  EXPECT_THAT(
      routes(subnet_and(
          {"route 10.1.0.0 255.255.0.0 net_gateway 7",
           "route remote_host 255.255.255.255 net_gateway", "route vpn_gateway",
           "route 10.2.0.0 255.255.0.0 10.8.0.9", "route 10.3.0.0 255.255.0.0 192.168.1.2",
           "route 10.4.0.0 255.255.0.0 default 9", "route-ipv6 fd01::/64 net_gateway"})),
      ElementsAre("10.1.0.0/16 via 192.168.1.1 dev eth0 metric 7",
                  "203.0.113.5/32 via 192.168.1.1 dev eth0", "10.8.0.1/32 via 10.8.0.1 dev tun0",
                  "10.2.0.0/16 via 10.8.0.9 dev tun0", "10.3.0.0/16 via 192.168.1.2",
                  "10.4.0.0/16 via 10.8.0.1 dev tun0 metric 9", "fd01::/64 via fe80::1 dev eth0"));
  EXPECT_THAT(warnings({"route 10.1.0.0 255.255.0.0 net_gateway", "route remote_host"}, {}),
              ElementsAre(HasSubstr("no default route"), HasSubstr("not known what that is")));
}

TEST(RoutePlanOfPush, NoRouteMaySwallowTheTunnel) {
  EXPECT_THAT(routes(subnet_and({"route 203.0.113.0 255.255.255.0"})),
              ElementsAre("203.0.113.5/32 via 192.168.1.1 dev eth0",
                          "203.0.113.0/24 via 10.8.0.1 dev tun0"));
  EXPECT_THAT(routes(subnet_and({"route 203.0.113.5"})),
              ElementsAre("203.0.113.5/32 via 192.168.1.1 dev eth0"));
  EXPECT_THAT(warnings(subnet_and({"route 203.0.113.5"}), at_home()),
              ElementsAre(HasSubstr("would lead the tunnel's own packets into it")));
  EXPECT_THAT(routes(subnet_and({"redirect-gateway", "route remote_host default net_gateway"})),
              ElementsAre("0.0.0.0/1 via 10.8.0.1 dev tun0", "128.0.0.0/1 via 10.8.0.1 dev tun0",
                          "203.0.113.5/32 via 192.168.1.1 dev eth0"));
  auto lost = at_home();
  lost.remote_hop.reset();
  EXPECT_THAT(warnings(subnet_and({"redirect-gateway"}), lost),
              ElementsAre(HasSubstr("no way to 203.0.113.5 is known outside of the tunnel")));
}

TEST(RoutePlanOfPush, TheSameRouteTwiceIsOne) {
  EXPECT_THAT(routes(subnet_and({"route 10.1.0.0 255.255.0.0", "route 10.1.2.3 255.255.0.0",
                                 "route 10.1.0.0 255.255.0.0 default 5"})),
              ElementsAre("10.1.0.0/16 via 10.8.0.1 dev tun0",
                          "10.1.0.0/16 via 10.8.0.1 dev tun0 metric 5"));
}

}  // namespace
