// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "fastpath/packet/checksum.h"
#include "fastpath/packet/segment_merge.h"
#include "fastpath/packet/segment_split.h"
#include "tests/fastpath/packet/joined.h"

namespace {

using packet::SegmentMerger;
using packet::SegmentSplitter;

SegmentSplitter::Cut cut(std::size_t tcp_at, std::size_t per_piece) {
  return {.protocol = 6, .transport_at = tcp_at, .payload_per_piece = per_piece};
}

base::Bytes bytes_of(const char* hex) { return base::from_hex(hex).value(); }

bool tcp_checksum_right(base::ByteSpan p) {
  const std::size_t ip = p[0] >> 4 == 4 ? 20 : 40;
  const auto tcp = p.subspan(ip);
  return packet::checksum_add(
             packet::pseudo_header_sum(p, 6, static_cast<std::uint32_t>(tcp.size())), tcp) ==
         0xffff;
}

struct Flow {
  bool v4 = true;
  std::uint32_t sequence = 1000;
  std::uint32_t ack = 77;
  std::uint16_t port = 4000;
  std::uint8_t flags = 0x10;
  std::uint16_t id = 500;
  std::uint8_t tos = 0;
};

// A TCP packet with 12 bytes of options and `payload` counting bytes, all checksums right.
base::Bytes tcp_packet(const Flow& flow, std::size_t payload, std::size_t first_byte = 0) {
  const std::size_t ip = flow.v4 ? 20 : 40;
  base::Bytes p(ip + 32 + payload, 0);
  if (flow.v4) {
    p[0] = 0x45;
    p[1] = flow.tos;
    base::store_be16(&p[4], flow.id);
    p[6] = 0x40;
    p[8] = 64;
    p[9] = 6;
    for (int i = 12; i < 20; ++i) p[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i);
  } else {
    p[0] = 0x60;
    p[6] = 6;
    p[7] = 64;
    for (int i = 8; i < 40; ++i) p[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i);
  }
  std::uint8_t* tcp = &p[ip];
  base::store_be16(tcp, flow.port);
  base::store_be16(tcp + 2, 5201);
  base::store_be32(tcp + 4, flow.sequence);
  base::store_be32(tcp + 8, flow.ack);
  tcp[12] = 8 << 4;
  tcp[13] = flow.flags;
  base::store_be16(tcp + 14, 512);
  for (std::size_t i = 0; i < payload; ++i) {
    p[ip + 32 + i] = static_cast<std::uint8_t>((first_byte + i) * 7);
  }
  packet::set_lengths({flow.v4, 6, ip, 32}, p, p.size());
  const auto transport = static_cast<std::uint32_t>(p.size() - ip);
  const auto sum = packet::checksum_add(packet::pseudo_header_sum(p, 6, transport),
                                        base::ByteSpan(p).subspan(ip));
  base::store_be16(tcp + 16, packet::checksum_finish(sum));
  return p;
}

// As a device with checksum offload hands it over: only the pseudo header is summed yet. Its
// addresses are those of `addresses`, a header.
base::Bytes offloaded(base::Bytes whole, std::size_t tcp_at, base::ByteSpan addresses) {
  const auto transport = static_cast<std::uint32_t>(whole.size() - tcp_at);
  base::store_be16(&whole[tcp_at + 16], packet::pseudo_header_sum(addresses, 6, transport));
  return whole;
}

std::vector<base::Bytes> pieces_of(base::ByteSpan offloaded, std::size_t tcp_at,
                                   std::size_t per_piece) {
  SegmentSplitter splitter;
  std::vector<base::Bytes> pieces;
  if (!splitter.begin(offloaded, cut(tcp_at, per_piece))) return pieces;
  const std::size_t expected = splitter.pieces_left();
  while (splitter.more()) {
    EXPECT_EQ(splitter.pieces_left() + pieces.size(), expected);
    base::Bytes piece(splitter.next_size());
    EXPECT_EQ(splitter.next(piece), piece.size());
    pieces.push_back(piece);
  }
  EXPECT_EQ(pieces.size(), expected);
  return pieces;
}

std::vector<base::Bytes> split(base::ByteSpan whole, std::size_t per_piece) {
  const std::size_t tcp_at = whole[0] >> 4 == 4 ? 20 : 40;
  const base::Bytes from = offloaded({whole.begin(), whole.end()}, tcp_at, whole);
  return pieces_of(from, tcp_at, per_piece);
}

// The packet of `flow` with `extra` between the IP header and TCP.
base::Bytes with_extra(const Flow& flow, const char* extra_hex, std::size_t payload) {
  base::Bytes p = tcp_packet(flow, payload);
  const base::Bytes extra = bytes_of(extra_hex);
  const std::size_t ip = flow.v4 ? 20 : 40;
  p.insert(p.begin() + static_cast<std::ptrdiff_t>(ip), extra.begin(), extra.end());
  if (flow.v4) {
    p[0] = static_cast<std::uint8_t>(0x45 + extra.size() / 4);
  } else {
    p[6] = 0;  // hop-by-hop options
  }
  packet::set_lengths({flow.v4, 6, ip + extra.size(), 32}, p, p.size());
  return p;
}

// Hop-by-hop with a router alert, routing with one segment, destination options of 16 bytes.
constexpr const char* kExtensions =
    "2b00050200000100"
    "3c02000100000000fd0000000000000000000000000000aa"
    "0601010c000000000000000000000000";

TEST(Checksum, Rfc1071Example) {
  // RFC 1071, section 3: words 0001 f203 f4f5 f6f7 sum to ddf2.
  EXPECT_EQ(packet::checksum_add(0, bytes_of("0001f203f4f5f6f7")), 0xddf2);
}

TEST(Checksum, EveryLengthAgreesWithWordByWord) {
  base::Bytes data(100);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i * 37 + 11);
  for (std::size_t length = 0; length <= data.size(); ++length) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < length; ++i) sum += i % 2 == 0 ? data[i] << 8 : data[i];
    while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
    EXPECT_EQ(packet::checksum_add(0, base::ByteSpan(data).first(length)), sum) << length;
  }
}

class TcpSegments : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Families, TcpSegments, testing::Bool());

TEST_P(TcpSegments, PiecesCarryTheirOwnNumbersAndRightChecksums) {
  Flow flow{.v4 = GetParam(), .flags = 0x19};  // FIN, PSH, ACK
  const base::Bytes whole = tcp_packet(flow, 2500);
  const auto pieces = split(whole, 1000);
  ASSERT_EQ(pieces.size(), 3u);
  const std::size_t ip = flow.v4 ? 20 : 40;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const base::Bytes& p = pieces[i];
    EXPECT_EQ(p.size(), ip + 32 + (i == 2 ? 500 : 1000));
    EXPECT_TRUE(tcp_checksum_right(p)) << i;
    EXPECT_EQ(base::load_be32(&p[ip + 4]), 1000 + i * 1000);
    EXPECT_EQ(p[ip + 13], i == 2 ? 0x19 : 0x10);
    if (flow.v4) {
      EXPECT_EQ(base::load_be16(&p[4]), 500 + i);
      EXPECT_EQ(packet::checksum_add(0, base::ByteSpan(p).first(20)), 0xffff);
    }
  }
}

TEST(SegmentSplitter, CutsIpv4WithOptions) {
  // Timestamp option, padded: 12 bytes.
  const base::Bytes whole = with_extra({}, "440c050000000000000000ff", 2500);
  const auto pieces = pieces_of(offloaded(whole, 32, whole), 32, 1000);
  ASSERT_EQ(pieces.size(), 3u);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const base::ByteSpan p = pieces[i];
    EXPECT_EQ(p.size(), 32u + 32 + (i == 2 ? 500 : 1000));
    EXPECT_EQ(base::load_be16(&p[2]), p.size());
    EXPECT_EQ(base::load_be16(&p[4]), 500 + i);
    EXPECT_EQ(packet::checksum_add(0, p.first(32)), 0xffff);
    EXPECT_EQ(base::load_be32(&p[32 + 4]), 1000 + i * 1000);
    const auto sum = packet::pseudo_header_sum(p, 6, static_cast<std::uint32_t>(p.size() - 32));
    EXPECT_EQ(packet::checksum_add(sum, p.subspan(32)), 0xffff);
    EXPECT_TRUE(std::equal(whole.begin() + 20, whole.begin() + 32, p.begin() + 20));
    EXPECT_TRUE(std::equal(p.begin() + 64, p.end(),
                           whole.begin() + 64 + static_cast<std::ptrdiff_t>(i * 1000)));
  }
}

// The checksum covers the last address of the route, which is not where the packet goes now.
TEST(SegmentSplitter, CutsIpv6WithExtensionHeaders) {
  const base::Bytes whole = with_extra({.v4 = false}, kExtensions, 2500);
  constexpr std::size_t kTcpAt = 40 + 8 + 24 + 16;
  base::Bytes last_hop = whole;
  std::copy_n(whole.begin() + 56, 16, last_hop.begin() + 24);
  const auto pieces = pieces_of(offloaded(whole, kTcpAt, last_hop), kTcpAt, 1000);
  ASSERT_EQ(pieces.size(), 3u);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const base::ByteSpan p = pieces[i];
    EXPECT_EQ(p.size(), kTcpAt + 32 + (i == 2 ? 500 : 1000));
    EXPECT_EQ(base::load_be16(&p[4]), p.size() - 40);
    EXPECT_EQ(base::load_be32(&p[kTcpAt + 4]), 1000 + i * 1000);
    const auto tcp = p.subspan(kTcpAt);
    const auto sum = packet::pseudo_header_sum(last_hop, 6, static_cast<std::uint32_t>(tcp.size()));
    EXPECT_EQ(packet::checksum_add(sum, tcp), 0xffff) << i;
    EXPECT_TRUE(std::equal(whole.begin() + 40, whole.begin() + kTcpAt, p.begin() + 40));
  }
}

// The device's header says where TCP begins; anything but the truth cuts nothing.
TEST(SegmentSplitter, AbsurdHeadersAreNotCut) {
  const base::Bytes v4 = with_extra({}, "440c050000000000000000ff", 2500);
  const base::Bytes v6 = with_extra({.v4 = false}, kExtensions, 2500);
  SegmentSplitter splitter;
  for (std::size_t at = 0; at < 0x10000; at += at < 200 ? 1 : 97) {
    EXPECT_EQ(splitter.begin(v4, cut(at, 1000)), at == 32) << at;
    EXPECT_EQ(splitter.begin(v6, cut(at, 1000)), at == 88) << at;
  }
  EXPECT_FALSE(splitter.begin(v4, cut(32, 0)));
  EXPECT_TRUE(splitter.begin(v4, cut(32, 65535)));
  EXPECT_EQ(splitter.pieces_left(), 1u);
  for (std::size_t size = 0; size < 120; ++size) {
    EXPECT_FALSE(splitter.begin(base::ByteSpan(v4).first(size), cut(32, 1000))) << size;
    EXPECT_FALSE(splitter.begin(base::ByteSpan(v6).first(size), cut(88, 1000))) << size;
  }
}

TEST(SegmentSplitter, HeadersThatLeadNowhereAreNotCut) {
  const auto refused = [](base::Bytes p, std::size_t at, std::uint8_t value, std::size_t tcp_at) {
    p[at] = value;
    return !SegmentSplitter().begin(p, cut(tcp_at, 1000));
  };
  const base::Bytes v4 = with_extra({}, "440c050000000000000000ff", 2500);
  const base::Bytes v6 = with_extra({.v4 = false}, kExtensions, 2500);
  EXPECT_FALSE(refused(v4, 1, 7, 32));             // another TOS is no reason
  EXPECT_TRUE(refused(v4, 0, 0x44, 16));           // a header shorter than the shortest
  EXPECT_TRUE(refused(v4, 6, 0x20, 32));           // a fragment
  EXPECT_TRUE(refused(v4, 9, 17, 32));             // UDP
  EXPECT_TRUE(refused(v4, 32 + 12, 0x40, 32));     // a TCP header shorter than the shortest
  EXPECT_TRUE(refused(v6, 40, 44, 88));            // a fragment header
  EXPECT_TRUE(refused(v6, 40, 50, 88));            // ESP
  EXPECT_TRUE(refused(v6, 41, 0xff, 88));          // past the next headers
  EXPECT_TRUE(refused(v6, 48 + 24 + 1, 255, 88));  // past the end, maybe
  EXPECT_TRUE(refused(v6, 4, 0, 88));              // a length that is not its own
}

TEST_P(TcpSegments, CongestionWindowReducedIsToldOnce) {
  Flow flow{.v4 = GetParam(), .flags = 0x90};
  const auto pieces = split(tcp_packet(flow, 300), 100);
  const std::size_t flags_at = (flow.v4 ? 20 : 40) + 13;
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0][flags_at], 0x90);
  EXPECT_EQ(pieces[1][flags_at], 0x10);
}

TEST_P(TcpSegments, JoiningUndoesCutting) {
  Flow flow{.v4 = GetParam(), .flags = 0x18};
  const base::Bytes whole = tcp_packet(flow, 9500);
  auto pieces = split(whole, 1000);
  std::size_t count = 0;
  base::Bytes whole_again = joined(pieces, count);
  ASSERT_EQ(count, 10u);
  // The TCP checksum is left to the kernel: the pseudo header's sum stands in its place.
  const std::size_t ip = flow.v4 ? 20 : 40;
  const auto transport = static_cast<std::uint32_t>(whole.size() - ip);
  EXPECT_EQ(base::load_be16(&whole_again[ip + 16]), packet::pseudo_header_sum(whole, 6, transport));
  base::store_be16(&whole_again[ip + 16], base::load_be16(&whole[ip + 16]));
  EXPECT_EQ(base::to_hex(whole_again), base::to_hex(whole));
}

TEST_P(TcpSegments, EveryTruncationIsNoTcpPacket) {
  const base::Bytes whole = tcp_packet({.v4 = GetParam()}, 40);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    base::Bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_FALSE(packet::segment_layout(part)) << length;
    SegmentMerger merger(true);
    EXPECT_FALSE(merger.begin(part)) << length;
  }
  EXPECT_TRUE(packet::segment_layout(whole));
}

TEST_P(TcpSegments, WhatCannotBeToldApartAgainIsNotJoined) {
  const bool v4 = GetParam();
  const base::Bytes good = tcp_packet({.v4 = v4, .sequence = 1100}, 100);
  base::Bytes damaged = good;
  damaged.back() ^= 1;
  const std::vector<std::pair<const char*, base::Bytes>> others{
      {"a gap", tcp_packet({.v4 = v4, .sequence = 1101}, 100)},
      {"another acknowledgement", tcp_packet({.v4 = v4, .sequence = 1100, .ack = 78}, 100)},
      {"another flow", tcp_packet({.v4 = v4, .sequence = 1100, .port = 4001}, 100)},
      {"FIN", tcp_packet({.v4 = v4, .sequence = 1100, .flags = 0x11}, 100)},
      {"urgent", tcp_packet({.v4 = v4, .sequence = 1100, .flags = 0x30}, 100)},
      {"longer", tcp_packet({.v4 = v4, .sequence = 1100}, 101)},
      {"no payload", tcp_packet({.v4 = v4, .sequence = 1100}, 0)},
      {"another family", tcp_packet({.v4 = !v4, .sequence = 1100}, 100)},
      {"damaged", damaged},
  };
  for (const auto& [what, other] : others) {
    base::Bytes first = tcp_packet({.v4 = v4, .sequence = 1000}, 100);
    SegmentMerger merger(true);
    ASSERT_TRUE(merger.begin(first));
    EXPECT_FALSE(merger.join(other)) << what;
    EXPECT_TRUE(merger.join(good)) << what;
  }
}

TEST_P(TcpSegments, NothingJoinsADamagedPacket) {
  const bool v4 = GetParam();
  base::Bytes first = tcp_packet({.v4 = v4, .sequence = 1000}, 100);
  first.back() ^= 1;
  SegmentMerger merger(true);
  merger.begin(first);
  EXPECT_FALSE(merger.join(tcp_packet({.v4 = v4, .sequence = 1100}, 100)));
}

TEST_P(TcpSegments, AShorterPacketOrPushEndsTheRun) {
  const bool v4 = GetParam();
  for (const auto& last : {tcp_packet({.v4 = v4, .sequence = 1100}, 60),
                           tcp_packet({.v4 = v4, .sequence = 1100, .flags = 0x18}, 60)}) {
    base::Bytes first = tcp_packet({.v4 = v4, .sequence = 1000}, 100);
    SegmentMerger merger(true);
    ASSERT_TRUE(merger.begin(first));
    EXPECT_TRUE(merger.join(last));
    EXPECT_FALSE(merger.join(tcp_packet({.v4 = v4, .sequence = 1160}, 60)));
    EXPECT_EQ(merger.count(), 2u);
  }
}

TEST(SegmentMerger, NothingJoinsAFragmentOrOptionsOrAnotherTos) {
  base::Bytes fragment = tcp_packet({}, 100);
  fragment[6] = 0x20;  // more fragments
  base::Bytes options = tcp_packet({}, 100);
  options[0] = 0x46;
  SegmentMerger merger(true);
  EXPECT_FALSE(merger.begin(fragment));
  EXPECT_FALSE(merger.begin(options));
  base::Bytes first = tcp_packet({.sequence = 1000}, 100);
  ASSERT_TRUE(merger.begin(first));
  EXPECT_FALSE(merger.join(tcp_packet({.sequence = 1100, .tos = 4}, 100)));
}

// What may be fragmented on its way is put together again by its id.
TEST(SegmentMerger, IdsThatMeanSomethingCountUp) {
  const auto fragmentable = [](std::uint32_t sequence, std::uint16_t id) {
    base::Bytes p = tcp_packet({.sequence = sequence, .id = id}, 100);
    p[6] = 0;
    packet::set_lengths({true, 6, 20, 32}, p, p.size());
    return p;
  };
  base::Bytes first = fragmentable(1000, 0xffff);
  SegmentMerger merger(true);
  ASSERT_TRUE(merger.begin(first));
  EXPECT_FALSE(merger.join(fragmentable(1100, 7)));
  EXPECT_TRUE(merger.join(fragmentable(1100, 0)));
  EXPECT_FALSE(merger.join(fragmentable(1200, 0)));
  EXPECT_TRUE(merger.join(fragmentable(1200, 1)));
  base::Bytes whole = tcp_packet({.sequence = 1000, .id = 7}, 100);
  ASSERT_TRUE(merger.begin(whole));
  EXPECT_TRUE(merger.join(tcp_packet({.sequence = 1100, .id = 7}, 100)));
}

TEST(SegmentMerger, AJoinedPacketFitsTheLengthField) {
  Flow flow;
  std::vector<base::Bytes> pieces;
  for (int i = 0; i < 64; ++i) {
    pieces.push_back(tcp_packet(flow, 1400));
    flow.sequence += 1400;
  }
  std::size_t count = 0;
  const base::Bytes whole_again = joined(pieces, count);
  EXPECT_EQ(count, 46u);
  EXPECT_LE(whole_again.size(), 65535u);
  EXPECT_EQ(base::load_be16(&whole_again[2]), whole_again.size());
}

}  // namespace
