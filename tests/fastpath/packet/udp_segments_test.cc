// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "fastpath/packet/checksum.h"
#include "fastpath/packet/segment_merge.h"
#include "fastpath/packet/segment_split.h"
#include "tests/fastpath/packet/joined.h"

namespace {

using packet::SegmentMerger;
using packet::SegmentSplitter;

constexpr std::size_t kUdp = 8;

struct Flow {
  bool v4 = true;
  std::uint16_t port = 4000;
  std::uint16_t id = 500;
  std::uint8_t tos = 0;
  bool may_fragment = false;

  std::size_t ip() const { return v4 ? 20 : 40; }
};

void sum_up(base::Bytes& p, std::size_t ip) {
  base::store_be16(&p[ip + 6], 0);
  const base::ByteSpan udp = base::ByteSpan(p).subspan(ip);
  const auto pseudo = packet::pseudo_header_sum(p, 17, static_cast<std::uint32_t>(udp.size()));
  const auto sum = packet::checksum_finish(packet::checksum_add(pseudo, udp));
  base::store_be16(&p[ip + 6], packet::udp_checksum(sum));
}

// A datagram with `payload` counting bytes, all checksums right.
base::Bytes datagram(const Flow& flow, std::size_t payload, std::size_t first_byte = 0) {
  const std::size_t ip = flow.ip();
  base::Bytes p(ip + kUdp + payload, 0);
  p[0] = flow.v4 ? 0x45 : 0x60;
  if (flow.v4) {
    p[1] = flow.tos;
    base::store_be16(&p[4], flow.id);
    p[6] = flow.may_fragment ? 0 : 0x40;
    p[8] = 64;
    p[9] = 17;
  } else {
    p[6] = 17;
    p[7] = 64;
  }
  for (std::size_t i = flow.v4 ? 12 : 8; i < ip; ++i) p[i] = static_cast<std::uint8_t>(i);
  base::store_be16(&p[ip], flow.port);
  base::store_be16(&p[ip + 2], 5201);
  for (std::size_t i = 0; i < payload; ++i) {
    p[ip + kUdp + i] = static_cast<std::uint8_t>((first_byte + i) * 7);
  }
  packet::set_lengths({flow.v4, 17, ip, kUdp}, p, p.size());
  sum_up(p, ip);
  return p;
}

bool all_right(base::ByteSpan p, const Flow& flow) {
  const base::ByteSpan udp = p.subspan(flow.ip());
  const auto pseudo = packet::pseudo_header_sum(p, 17, static_cast<std::uint32_t>(udp.size()));
  return base::load_be16(&udp[4]) == udp.size() && packet::checksum_add(pseudo, udp) == 0xffff &&
         (!flow.v4 || (base::load_be16(&p[2]) == p.size() &&
                       packet::checksum_add(0, p.first(flow.ip())) == 0xffff));
}

// As a device with checksum offload hands it over: only the pseudo header is summed yet.
std::vector<base::Bytes> cut(base::Bytes whole, const Flow& flow, std::size_t per_piece) {
  const auto transport = static_cast<std::uint32_t>(whole.size() - flow.ip());
  base::store_be16(&whole[flow.ip() + 6], packet::pseudo_header_sum(whole, 17, transport));
  SegmentSplitter splitter;
  std::vector<base::Bytes> pieces;
  if (!splitter.begin(whole, {17, flow.ip(), per_piece})) return pieces;
  while (splitter.more()) {
    base::Bytes piece(splitter.next_size());
    EXPECT_EQ(splitter.next(piece), piece.size());
    pieces.push_back(piece);
  }
  return pieces;
}

class UdpSegments : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Families, UdpSegments, testing::Bool());

TEST_P(UdpSegments, PiecesAreDatagramsOfTheirOwn) {
  const Flow flow{.v4 = GetParam()};
  const base::Bytes whole = datagram(flow, 2500);
  const auto pieces = cut(whole, flow, 1000);
  ASSERT_EQ(pieces.size(), 3u);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const base::Bytes& p = pieces[i];
    EXPECT_EQ(p.size(), flow.ip() + kUdp + (i == 2 ? 500 : 1000));
    EXPECT_TRUE(all_right(p, flow)) << i;
    EXPECT_TRUE(
        std::equal(p.begin() + static_cast<std::ptrdiff_t>(flow.ip() + kUdp), p.end(),
                   whole.begin() + static_cast<std::ptrdiff_t>(flow.ip() + kUdp + i * 1000)));
    if (flow.v4) {
      EXPECT_EQ(base::load_be16(&p[4]), 500 + i);
    }
  }
}

// A sum of zero would say that there is none. The payload is made so that it comes out.
TEST_P(UdpSegments, AChecksumOfZeroIsWrittenAsAllOnes) {
  const Flow flow{.v4 = GetParam()};
  base::Bytes whole = datagram(flow, 4);
  // The complement of the sum without these two bytes, in these two bytes.
  const std::size_t at = flow.ip() + kUdp + 2;
  base::store_be16(&whole[at], 0);
  sum_up(whole, flow.ip());
  base::store_be16(&whole[at], base::load_be16(&whole[flow.ip() + 6]));
  const auto pieces = cut(whole, flow, 1000);
  ASSERT_EQ(pieces.size(), 1u);
  EXPECT_EQ(base::load_be16(&pieces[0][flow.ip() + 6]), 0xffff);
}

TEST_P(UdpSegments, JoiningUndoesCutting) {
  const Flow flow{.v4 = GetParam()};
  const base::Bytes whole = datagram(flow, 9500);
  auto pieces = cut(whole, flow, 1000);
  std::size_t count = 0;
  base::Bytes whole_again = joined(pieces, count);
  ASSERT_EQ(count, 10u);
  const auto transport = static_cast<std::uint32_t>(whole.size() - flow.ip());
  EXPECT_EQ(base::load_be16(&whole_again[flow.ip() + 6]),
            packet::pseudo_header_sum(whole, 17, transport));
  sum_up(whole_again, flow.ip());
  EXPECT_EQ(base::to_hex(whole_again), base::to_hex(whole));
}

TEST_P(UdpSegments, EveryTruncationIsNoDatagram) {
  const base::Bytes whole = datagram({.v4 = GetParam()}, 40);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(packet::segment_layout(base::ByteSpan(whole).first(length))) << length;
  }
  EXPECT_TRUE(packet::segment_layout(whole));
}

TEST_P(UdpSegments, WhatCannotBeToldApartAgainIsNotJoined) {
  const bool v4 = GetParam();
  const base::Bytes good = datagram({.v4 = v4}, 100);
  const std::size_t checksum_at = Flow{.v4 = v4}.ip() + 6;
  base::Bytes damaged = good;
  damaged.back() ^= 1;
  base::Bytes unsummed = good;
  base::store_be16(&unsummed[checksum_at], 0);
  base::Bytes other_length = good;
  base::store_be16(&other_length[checksum_at - 2], 50);
  const std::vector<std::pair<const char*, base::Bytes>> others{
      {"another flow", datagram({.v4 = v4, .port = 4001}, 100)},
      {"longer", datagram({.v4 = v4}, 101)},
      {"no payload", datagram({.v4 = v4}, 0)},
      {"another family", datagram({.v4 = !v4}, 100)},
      {"damaged", damaged},
      {"no checksum", unsummed},
      {"a length that is not its own", other_length},
  };
  for (const auto& [what, other] : others) {
    base::Bytes first = datagram({.v4 = v4}, 100);
    SegmentMerger merger(true);
    ASSERT_TRUE(merger.begin(first));
    EXPECT_FALSE(merger.join(other)) << what;
    EXPECT_TRUE(merger.join(good)) << what;
  }
  for (base::Bytes first : {damaged, unsummed}) {
    SegmentMerger merger(true);
    merger.begin(first);
    EXPECT_FALSE(merger.join(good));
  }
}

TEST_P(UdpSegments, AShorterDatagramEndsTheRun) {
  const bool v4 = GetParam();
  base::Bytes first = datagram({.v4 = v4}, 100);
  SegmentMerger merger(true);
  ASSERT_TRUE(merger.begin(first));
  EXPECT_TRUE(merger.join(datagram({.v4 = v4}, 60)));
  EXPECT_FALSE(merger.join(datagram({.v4 = v4}, 60)));
  EXPECT_EQ(merger.count(), 2u);
}

TEST(SegmentMerger, UdpStaysAloneWhereTheKernelTakesNoTrains) {
  base::Bytes first = datagram({}, 100);
  SegmentMerger merger(false);
  EXPECT_FALSE(merger.begin(first));
  EXPECT_FALSE(merger.join(datagram({}, 100)));
}

TEST(SegmentMerger, UdpAndTcpAreNotJoined) {
  base::Bytes first = datagram({}, 100);
  base::Bytes tcp = first;
  tcp[9] = 6;
  SegmentMerger merger(true);
  ASSERT_TRUE(merger.begin(first));
  EXPECT_FALSE(merger.join(tcp));
}

TEST(SegmentMerger, DatagramsThatMayBeFragmentedCountTheirIds) {
  const auto made = [](std::uint16_t id) {
    return datagram({.id = id, .may_fragment = true}, 100);
  };
  base::Bytes first = made(500);
  SegmentMerger merger(true);
  ASSERT_TRUE(merger.begin(first));
  EXPECT_FALSE(merger.join(made(500)));
  EXPECT_TRUE(merger.join(made(501)));
  EXPECT_FALSE(merger.join(made(501)));
}

TEST(SegmentSplitter, TheDeviceSaysWhichTransport) {
  const Flow flow;
  const base::Bytes whole = datagram(flow, 2500);
  SegmentSplitter splitter;
  EXPECT_FALSE(splitter.begin(whole, {6, flow.ip(), 1000}));
  EXPECT_FALSE(splitter.begin(whole, {17, flow.ip() + 4, 1000}));
  EXPECT_FALSE(splitter.begin(whole, {17, flow.ip(), 0}));
  EXPECT_TRUE(splitter.begin(whole, {17, flow.ip(), 1000}));
}

}  // namespace
