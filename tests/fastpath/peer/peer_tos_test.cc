// SPDX-License-Identifier: Apache-2.0
// passtos: the service class of a tunnel packet goes on with what becomes of it.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "fastpath/peer/peer.h"
#include "tests/support/peer_parts.h"

namespace {

constexpr base::TimePoint kStart{};
const base::Endpoint kThere = support::endpoint("198.51.100.1", 1194);

base::Bytes packet_of_class(std::size_t size, std::uint8_t tos) {
  base::Bytes ip = support::ip_packet(size);
  ip[1] = tos;
  return ip;
}

TEST(PassTos, TakesTheClassOutsideIfAsked) {
  for (const bool wanted : {false, true}) {
    peer::PeerParts parts = support::peer_parts({}, 1);
    parts.config.link.pass_tos = wanted;
    parts.config.keepalive.ping_seconds = 1;
    peer::Peer here(std::move(parts), kStart);
    here.set_remotes({kThere}, kStart);
    packet::PacketBatch batch(2048, 1);
    support::fill(*batch.append(), packet_of_class(100, 0xb9));
    here.seal_batch(kStart, batch);
    EXPECT_EQ(batch.packets()[0].tos, wanted ? 0xb8 : 0);
    // What is made here has none.
    ASSERT_TRUE(here.next_packet(kStart + std::chrono::seconds(5), batch.packets()[0]));
    EXPECT_EQ(batch.packets()[0].tos, 0);
  }
}

TEST(PassTos, EachFragmentHasTheClassOfItsPacket) {
  peer::PeerParts parts = support::peer_parts({}, 1);
  parts.config.fragment = {500, false};
  parts.config.link.pass_tos = true;
  peer::Peer here(std::move(parts), kStart);
  here.set_remotes({kThere}, kStart);
  packet::PacketBatch in(2048, 2), out(2048, 64);
  for (const std::uint8_t tos : std::array<std::uint8_t, 2>{0xb8, 0x00}) {
    support::fill(*in.append(), packet_of_class(1400, tos));
  }
  EXPECT_EQ(here.seal_fragments(kStart, in, 0, out), 2u);
  ASSERT_EQ(out.packets().size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(out.packets()[i].tos, i < 4 ? 0xb8 : 0) << i;
}

}  // namespace
