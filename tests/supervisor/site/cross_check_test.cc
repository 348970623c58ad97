// SPDX-License-Identifier: Apache-2.0
#include "supervisor/site/cross_check.h"

#include <gtest/gtest.h>

#include "ovpn/lexer.h"

namespace site {
namespace {

Footprint print(const char* name, const char* config) {
  return footprint_of(name, ovpn::lex_config(std::string(name) + ".conf", config).profile);
}

std::string told(const char* one, const char* other) {
  const Footprint others[] = {print("a", one), print("b", other)};
  const auto result = cross_check(others[0], others);
  std::string text;
  for (const auto& problem : result.problems) text += base::to_string(problem) + "\n";
  for (const auto& warning : result.warnings) text += "warning: " + base::to_string(warning) + "\n";
  return text;
}

TEST(CrossCheck, LetsTwoDifferentTunnelsBe) {
  EXPECT_EQ(told("dev tun1\nport 2011\nifconfig 10.8.0.1 10.8.0.2\n",
                 "dev tun2\nport 2012\nifconfig 10.8.1.1 10.8.1.2\n"),
            "");
}

TEST(CrossCheck, FindsOnePortTwice) {
  const std::string text = told("dev tun1\nport 2011\n", "dev tun2\nlport 2011\n");
  EXPECT_EQ(text.rfind("a.conf:2:1: port 2011 is also site b's; give one of them another port", 0),
            0u)
      << text;
}

TEST(CrossCheck, KnowsTheDefaultPortAndWhoBindsNone) {
  EXPECT_NE(told("dev tun1\n", "dev tun2\n"), "");
  EXPECT_EQ(told("dev tun1\nnobind\n", "dev tun2\nnobind\n"), "");
  EXPECT_EQ(told("client\ndev tun1\n", "client\ndev tun2\n"), "");
  EXPECT_EQ(told("dev tun1\nport 1\nlocal 10.0.0.1\n", "dev tun2\nport 1\nlocal 10.0.0.2\n"), "");
  EXPECT_NE(told("dev tun1\nport 1\nlocal 10.0.0.1\n", "dev tun2\nport 1\n"), "");
  EXPECT_EQ(told("dev tun1\nport 1\n", "dev tun2\nproto tcp-server\nport 1\n"), "");
}

TEST(CrossCheck, FindsOneInterfaceTwice) {
  EXPECT_EQ(told("dev tun1\nport 1\n", "dev tun1\nport 2\n"),
            "a.conf:1:1: interface tun1 is also site b's; name another one with dev, or `tunctl "
            "remove b`\n");
  EXPECT_EQ(told("dev tun\nport 1\n", "dev tun\nport 2\n"), "");
  EXPECT_EQ(told("dev null\nport 1\n", "dev null\nport 2\n"), "");
}

TEST(CrossCheck, FindsOneAddressTwice) {
  EXPECT_EQ(told("dev tun1\nport 1\nifconfig 10.8.0.1 10.8.0.2\n",
                 "dev tun2\nport 2\nifconfig 10.8.0.1 10.8.0.6\n"),
            "a.conf:3:1: address 10.8.0.1 is also site b's; give each tunnel its own addresses, or "
            "`tunctl remove b`\n");
  EXPECT_NE(told("dev tun1\nport 1\nifconfig-ipv6 fd00::1/64 fd00::2\n",
                 "dev tun2\nport 2\nifconfig-ipv6 fd00::1/64 fd00::3\n"),
            "");
}

TEST(CrossCheck, FindsOneNetworkBehindTwoSites) {
  EXPECT_EQ(told("dev tun1\nport 1\nroute 192.168.40.0 255.255.255.0\n",
                 "dev tun2\nport 2\nroute 192.168.40.0 255.255.255.0\n"),
            "a.conf:3:1: site b already routes 192.168.40.0/24 (b.conf:3:1); let it lie behind one "
            "of them only, or `tunctl remove b`\n");
  EXPECT_EQ(told("dev tun1\nport 1\nroute 192.168.40.0 255.255.255.0\n",
                 "dev tun2\nport 2\nroute 192.168.0.0 255.255.0.0\n"),
            "warning: a.conf:3:1: 192.168.40.0/24 overlaps 192.168.0.0/16 of site b; the longer "
            "prefix wins\n");
}

}  // namespace
}  // namespace site
