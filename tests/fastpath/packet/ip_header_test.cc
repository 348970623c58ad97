// SPDX-License-Identifier: Apache-2.0
#include "fastpath/packet/ip_header.h"

#include <gtest/gtest.h>

namespace {

using base::Bytes;
using base::IpFamily;

// A SYN from 10.8.0.1:1000 to 10.8.0.2:80 with MSS 1460, as the kernel sends it (checksums 0).
Bytes ipv4_syn() {
  return base::from_hex(
             "4500002c0001400040060000"
             "0a0800010a080002"
             "03e800500000000100000000"
             "60020200000000000204"
             "05b4")
      .value();
}

Bytes ipv6_syn() {
  Bytes packet(40, 0);
  packet[0] = 0x60;
  packet[5] = 24;
  packet[6] = 6;
  const Bytes v4 = ipv4_syn();
  packet.insert(packet.end(), v4.begin() + 20, v4.end());
  return packet;
}

TEST(IpFamily, IsToldByVersionAndLength) {
  EXPECT_EQ(packet::ip_family(ipv4_syn()), IpFamily::kIpv4);
  EXPECT_EQ(packet::ip_family(ipv6_syn()), IpFamily::kIpv6);
  Bytes other = ipv4_syn();
  for (int version = 0; version < 16; ++version) {
    if (version == 4 || version == 6) continue;
    other[0] = static_cast<std::uint8_t>(version << 4);
    EXPECT_EQ(packet::ip_family(other), std::nullopt) << version;
  }
  for (std::size_t size = 0; size < 40; ++size) {
    EXPECT_EQ(packet::ip_family(base::ByteSpan(ipv6_syn()).first(size)), std::nullopt) << size;
    EXPECT_EQ(packet::ip_family(base::ByteSpan(ipv4_syn()).first(size)).has_value(), size >= 20);
  }
}

TEST(ServiceClass, IsFoundInBothFamiliesWithoutEcn) {
  Bytes v4 = ipv4_syn(), v6 = ipv6_syn();
  EXPECT_EQ(packet::service_class(v4), 0);
  EXPECT_EQ(packet::service_class(v6), 0);
  v4[1] = 0xbb;
  v6[0] = 0x6b;
  v6[1] = 0xb5;
  EXPECT_EQ(packet::service_class(v4), 0xb8);
  EXPECT_EQ(packet::service_class(v6), 0xb8);
}

TEST(GoesTo, ComparesAddressPortAndProtocolOfBothFamilies) {
  const base::Endpoint v4_to{*base::IpAddress::parse("10.8.0.2"), 80};
  const base::Endpoint v6_to{*base::IpAddress::parse("::"), 80};
  constexpr std::uint8_t kTcp = packet::kProtocolTcp, kUdp = packet::kProtocolUdp;
  const Bytes v4 = ipv4_syn(), v6 = ipv6_syn();
  EXPECT_TRUE(packet::goes_to(v4, kTcp, v4_to));
  EXPECT_TRUE(packet::goes_to(v6, kTcp, v6_to));
  EXPECT_FALSE(packet::goes_to(v4, kUdp, v4_to));
  EXPECT_FALSE(packet::goes_to(v6, kUdp, v6_to));
  EXPECT_FALSE(packet::goes_to(v4, kTcp, v6_to));
  EXPECT_FALSE(packet::goes_to(v6, kTcp, v4_to));
  EXPECT_FALSE(packet::goes_to(v4, kTcp, {v4_to.address, 81}));
  EXPECT_FALSE(packet::goes_to(v6, kTcp, {v6_to.address, 81}));
  EXPECT_FALSE(packet::goes_to(v4, kTcp, {*base::IpAddress::parse("10.8.0.3"), 80}));
  // The source's address and port say nothing.
  EXPECT_FALSE(packet::goes_to(v4, kTcp, {*base::IpAddress::parse("10.8.0.1"), 1000}));
  // Options before the ports, and every length.
  Bytes options = v4;
  options[0] = 0x46;
  options.insert(options.begin() + 20, 4, 1);
  EXPECT_TRUE(packet::goes_to(options, kTcp, v4_to));
  for (std::size_t size = 20; size < v4.size(); ++size) {
    EXPECT_EQ(packet::goes_to(base::ByteSpan(v4).first(size), kTcp, v4_to), size >= 24) << size;
  }
  for (std::size_t size = 40; size < v6.size(); ++size) {
    EXPECT_EQ(packet::goes_to(base::ByteSpan(v6).first(size), kTcp, v6_to), size >= 44) << size;
  }
}

// Sealed packets that are larger than the tunnel's MTU come back in pieces.
TEST(GoesTo, TakesTheFirstFragmentAndNoLaterOne) {
  const base::Endpoint v4_to{*base::IpAddress::parse("10.8.0.2"), 80};
  const base::Endpoint v6_to{*base::IpAddress::parse("::"), 80};
  Bytes v4 = ipv4_syn(), v6 = ipv6_syn();
  v4[6] = 0x20;  // more fragments
  EXPECT_TRUE(packet::goes_to(v4, packet::kProtocolTcp, v4_to));
  v4[7] = 1;
  EXPECT_FALSE(packet::goes_to(v4, packet::kProtocolTcp, v4_to));
  v6[6] = 44;
  const Bytes header{6, 0, 0, 1, 0, 0, 0, 7};
  v6.insert(v6.begin() + 40, header.begin(), header.end());
  EXPECT_TRUE(packet::goes_to(v6, packet::kProtocolTcp, v6_to));
  for (std::size_t size = 40; size < 52; ++size) {
    EXPECT_FALSE(packet::goes_to(base::ByteSpan(v6).first(size), packet::kProtocolTcp, v6_to));
  }
  v6[42] = 1;
  EXPECT_FALSE(packet::goes_to(v6, packet::kProtocolTcp, v6_to));
}

TEST(TcpSegment, IsFoundInBothFamilies) {
  Bytes v4 = ipv4_syn(), v6 = ipv6_syn();
  const auto in_v4 = packet::tcp_segment(v4);
  const auto in_v6 = packet::tcp_segment(v6);
  ASSERT_TRUE(in_v4 && in_v6);
  EXPECT_EQ(in_v4->header.data(), v4.data() + 20);
  EXPECT_EQ(in_v6->header.data(), v6.data() + 40);
  EXPECT_EQ(in_v4->header.size(), 24u);
  EXPECT_TRUE(in_v4->syn());
  v4[20 + 13] = 0x10;
  EXPECT_FALSE(packet::tcp_segment(v4)->syn());
}

TEST(TcpSegment, NeverRunsOverTheEnd) {
  for (const Bytes& whole : {ipv4_syn(), ipv6_syn()}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_FALSE(packet::tcp_segment(cut)) << size;
    }
  }
}

TEST(TcpSegment, SkipsIpv4OptionsAndLeavesFragmentsAlone) {
  Bytes with_options = ipv4_syn();
  with_options[0] = 0x46;
  with_options.insert(with_options.begin() + 20, 4, 1);
  EXPECT_EQ(packet::tcp_segment(with_options)->header.data(), with_options.data() + 24);
  Bytes later_fragment = ipv4_syn();
  later_fragment[7] = 1;
  EXPECT_FALSE(packet::tcp_segment(later_fragment));
  Bytes first_fragment = ipv4_syn();
  first_fragment[6] = 0x20;
  EXPECT_TRUE(packet::tcp_segment(first_fragment));
  Bytes short_header = ipv4_syn();
  short_header[0] = 0x44;
  EXPECT_FALSE(packet::tcp_segment(short_header));
  Bytes extension = ipv6_syn();
  extension[6] = 0;
  EXPECT_FALSE(packet::tcp_segment(extension));
}

std::uint16_t checksum_of(base::ByteSpan words) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) sum += base::load_be16(&words[i]);
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

TEST(AdjustChecksum, EqualsCountingAgain) {
  for (std::uint32_t i = 0; i < 100000; i += 7) {
    Bytes words = {0x12, 0x34, 0, 0, 0xff, 0xff, 0x80, 0x01};
    const auto before = static_cast<std::uint16_t>(i * 2654435761u >> 16);
    const auto after = static_cast<std::uint16_t>(i * 40503u);
    base::store_be16(&words[2], before);
    const std::uint16_t sum = checksum_of(words);
    base::store_be16(&words[2], after);
    ASSERT_EQ(packet::adjust_checksum(sum, before, after), checksum_of(words)) << i;
  }
}

}  // namespace
