// SPDX-License-Identifier: Apache-2.0
#include "base/nat64.h"

#include <gtest/gtest.h>

namespace {

using base::IpAddress;
using base::Prefix;

IpAddress ip(const char* text) { return IpAddress::parse(text).value(); }

struct Row {
  const char* prefix;
  const char* address;  // 192.0.2.33 in it
};

// The table of RFC 6052, section 2.4.
constexpr Row kRows[] = {{"2001:db8::/32", "2001:db8:c000:221::"},
                         {"2001:db8:100::/40", "2001:db8:1c0:2:21::"},
                         {"2001:db8:122::/48", "2001:db8:122:c000:2:2100::"},
                         {"2001:db8:122:300::/56", "2001:db8:122:3c0:0:221::"},
                         {"2001:db8:122:344::/64", "2001:db8:122:344:c0:2:2100::"},
                         {"2001:db8:122:344::/96", "2001:db8:122:344::192.0.2.33"},
                         {"64:ff9b::/96", "64:ff9b::192.0.2.33"}};

TEST(Nat64, AnAddressGoesWhereTheRfcSays) {
  for (const Row& row : kRows) {
    EXPECT_EQ(base::nat64_address(Prefix::parse(row.prefix).value(), ip("192.0.2.33")),
              ip(row.address))
        << row.prefix;
  }
}

TEST(Nat64, ThePrefixIsFoundInTheKnownAddressesOfEveryLength) {
  for (const Row& row : kRows) {
    const Prefix prefix = Prefix::parse(row.prefix).value();
    for (const char* known : {"192.0.0.170", "192.0.0.171"}) {
      EXPECT_EQ(base::nat64_prefix({base::nat64_address(prefix, ip(known))}), prefix) << row.prefix;
    }
  }
}

TEST(Nat64, WhatHoldsNoKnownAddressIsNoPrefix) {
  EXPECT_EQ(base::nat64_prefix({}), std::nullopt);
  EXPECT_EQ(base::nat64_prefix({ip("192.0.0.170")}), std::nullopt);
  EXPECT_EQ(base::nat64_prefix({ip("64:ff9b::192.0.0.172")}), std::nullopt);
  EXPECT_EQ(base::nat64_prefix({ip("2001:db8::1")}), std::nullopt);
  // Byte 8 has to be zero where an address is split around it.
  EXPECT_EQ(base::nat64_prefix({ip("2001:db8:122:344:1c0:0:aa00::")}), std::nullopt);
}

TEST(Nat64, AnAnswerThatCouldBeReadTwoWaysIsPassedOver) {
  const IpAddress either = ip("2001:db8:c000:aa::192.0.0.170");
  EXPECT_EQ(base::nat64_prefix({either}), std::nullopt);
  EXPECT_EQ(
      base::nat64_prefix({either, ip("2001:db8:c000:aa::192.0.0.171"), ip("64:ff9b::192.0.0.171")}),
      Prefix::parse("64:ff9b::/96"));
}

}  // namespace
