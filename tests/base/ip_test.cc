// SPDX-License-Identifier: Apache-2.0
#include "base/ip.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(IpAddress, RoundTrips) {
  for (const char* text :
       {"0.0.0.0", "10.8.0.1", "255.255.255.255", "::", "fd00::1", "fe80::1:2"}) {
    const auto address = IpAddress::parse(text);
    ASSERT_TRUE(address.has_value()) << text;
    EXPECT_EQ(address->to_string(), text);
    EXPECT_EQ(IpAddress::from_bytes(address->bytes()), *address);
  }
  for (const char* text : {"", "10.8.0", "10.8.0.256", "a.b.c.d", "1:2", "fe80::1%eth0"}) {
    EXPECT_FALSE(IpAddress::parse(text).has_value()) << text;
  }
}

TEST(IpAddress, UnmapsWhatADualStackSocketReports) {
  EXPECT_EQ(IpAddress::parse("::ffff:10.0.0.1")->unmapped(), IpAddress::v4(0x0a000001));
  EXPECT_EQ(IpAddress::parse("fd00::1")->unmapped(), *IpAddress::parse("fd00::1"));
}

TEST(Prefix, ContainsAndOverlaps) {
  const auto wide = *Prefix::parse("10.8.0.0/13");
  EXPECT_TRUE(wide.contains(*IpAddress::parse("10.15.255.255")));
  EXPECT_FALSE(wide.contains(*IpAddress::parse("10.16.0.0")));
  EXPECT_TRUE(wide.overlaps(*Prefix::parse("10.9.1.0/24")));
  EXPECT_TRUE(Prefix::parse("10.9.1.0/24")->overlaps(wide));
  EXPECT_FALSE(wide.overlaps(*Prefix::parse("fd00::/8")));
  EXPECT_TRUE(Prefix::parse("::/0")->contains(*IpAddress::parse("fd00::1")));
  for (const char* text : {"10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "fd00::/129", "x/8"}) {
    EXPECT_FALSE(Prefix::parse(text).has_value()) << text;
  }
}

TEST(Netmask, OnlyOnesInFront) {
  for (int length = 0; length <= 32; ++length) {
    EXPECT_EQ(netmask_length(netmask_of_length(length)), length);
  }
  EXPECT_EQ(netmask_length(*IpAddress::parse("255.0.255.0")), std::nullopt);
  EXPECT_EQ(netmask_length(*IpAddress::parse("10.8.0.2")), std::nullopt);
}

TEST(Endpoint, BracketsIpv6) {
  EXPECT_EQ((Endpoint{*IpAddress::parse("10.0.0.1"), 2011}.to_string()), "10.0.0.1:2011");
  EXPECT_EQ((Endpoint{*IpAddress::parse("fd00::1"), 1194}.to_string()), "[fd00::1]:1194");
}

}  // namespace
}  // namespace base
