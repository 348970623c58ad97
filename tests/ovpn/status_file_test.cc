// SPDX-License-Identifier: Apache-2.0
#include "ovpn/status_file.h"

#include <cstddef>

#include <gtest/gtest.h>

namespace ovpn {
namespace {

// As OpenVPN 2.6.14 wrote it.
constexpr std::string_view kText =
    "OpenVPN STATISTICS\n"
    "Updated,2026-11-30 21:10:16\n"
    "TUN/TAP read bytes,0\n"
    "TUN/TAP write bytes,1\n"
    "TCP/UDP read bytes,408\n"
    "TCP/UDP write bytes,340\n"
    "Auth read bytes,18446744073709551615\n"
    "END\n";

TEST(StatusFile, RoundTrip) {
  const auto statistics = parse_status_file(kText);
  ASSERT_TRUE(statistics.has_value());
  EXPECT_EQ(statistics->updated, "2026-11-30 21:10:16");
  EXPECT_EQ(statistics->tun_write_bytes, 1u);
  EXPECT_EQ(statistics->link_read_bytes, 408u);
  EXPECT_EQ(statistics->link_write_bytes, 340u);
  EXPECT_EQ(statistics->auth_read_bytes, 18446744073709551615u);
  EXPECT_EQ(format_status_file(*statistics), kText);
}

TEST(StatusFile, NeverTakesACutFileForAWholeOne) {
  for (std::size_t length = 0; length + 2 <= kText.size(); ++length) {
    const auto statistics = parse_status_file(kText.substr(0, length));
    EXPECT_EQ(statistics.has_value(), kText.substr(0, length).ends_with("END")) << length;
  }
}

TEST(StatusFile, SkipsOtherCountersAndRefusesOtherFiles) {
  EXPECT_TRUE(parse_status_file("OpenVPN STATISTICS\r\npre-compress bytes,5\r\nEND\r\n"));
  EXPECT_FALSE(parse_status_file("OpenVPN CLIENT LIST\nEND\n"));
  EXPECT_FALSE(parse_status_file("OpenVPN STATISTICS\nAuth read bytes,many\nEND\n"));
}

}  // namespace
}  // namespace ovpn
