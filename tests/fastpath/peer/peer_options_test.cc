// SPDX-License-Identifier: Apache-2.0
// What two ends learn of each other's options, whichever was there first.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <utility>

#include "fastpath/peer/peer.h"
#include "tests/support/peer_parts.h"

namespace {

constexpr base::TimePoint kStart{std::chrono::seconds(1000)};
const base::Endpoint kHere = support::endpoint("192.0.2.1", 2011);
const base::Endpoint kThere = support::endpoint("192.0.2.2", 2011);

peer::PeerParts parts_with_mtu(int mtu, std::uint64_t seed) {
  peer::PeerParts parts = support::peer_parts({}, seed);
  parts.config.device.mtu = mtu;
  return parts;
}

// Sends what `from` has to say, until it has nothing more. Whether there was anything.
bool hand_over(peer::Peer& from, const base::Endpoint& source, peer::Peer& to,
               base::TimePoint now) {
  packet::PacketBatch batch(2048, 1);
  bool said = false;
  while (from.next_packet(now, *batch.append())) {
    batch.packets()[0].peer = source;
    to.open_batch(now, batch);
    batch.clear();
    said = true;
  }
  return said;
}

// Its question was lost, as nobody was there yet.
TEST(PeerOptions, AreLearntByTheEndThatWasThereFirstAsWell) {
  peer::Peer here(parts_with_mtu(1400, 3), kStart);
  here.set_remotes({kThere}, kStart);
  packet::PacketBatch lost(2048, 1);
  ASSERT_TRUE(here.next_packet(kStart, *lost.append()));
  peer::Peer there(parts_with_mtu(1500, 1), kStart);
  there.set_remotes({kHere}, kStart);
  while (hand_over(there, kThere, here, kStart) || hand_over(here, kHere, there, kStart)) continue;
  EXPECT_EQ(here.options_difference(), "tun-mtu is 1500 there and 1400 here");
  EXPECT_EQ(there.options_difference(), "tun-mtu is 1400 there and 1500 here");

  // It begins anew with another config, and the end that stayed asks as well.
  const base::TimePoint later = kStart + std::chrono::seconds(40);
  peer::PeerParts parts = parts_with_mtu(1400, 5);
  parts.packet_time += 40;
  peer::Peer again(std::move(parts), later);
  again.set_remotes({kHere}, later);
  while (hand_over(again, kThere, here, later) || hand_over(here, kHere, again, later)) continue;
  EXPECT_EQ(here.options_difference(), "");
  EXPECT_EQ(again.options_difference(), "");
}

}  // namespace
