// SPDX-License-Identifier: Apache-2.0
// Two peers, every layout: what one seals the other opens.
#include <gtest/gtest.h>

#include <algorithm>

#include "fastpath/peer/peer.h"
#include "tests/support/peer_parts.h"

namespace {

using packet::DropReason;
using peer::PeerEvent;
using support::Layout;

constexpr base::TimePoint kStart{std::chrono::seconds(1000)};
const base::Endpoint kHere = support::endpoint("192.0.2.1", 2011);
const base::Endpoint kThere = support::endpoint("192.0.2.2", 2011);

class PeerTalk : public testing::TestWithParam<Layout> {
 protected:
  PeerTalk()
      : here(support::peer_parts(GetParam(), 1, 1700000000), kStart),
        there(support::peer_parts(GetParam(), 2, 1700000005), kStart) {
    here.set_remotes({kThere}, kStart);
    there.set_remotes({kHere}, kStart);
  }

  // One tunnel packet from here to there.
  packet::Packet& carry(const base::Bytes& ip) {
    batch.clear();
    packet::Packet& packet = *batch.append();
    support::fill(packet, ip);
    here.seal_batch(kStart, batch);
    EXPECT_EQ(packet.peer, kThere);
    EXPECT_EQ(packet.verdict, DropReason::kNone);
    packet.peer = kHere;
    there.open_batch(kStart, batch);
    return packet;
  }

  peer::Peer here, there;
  packet::PacketBatch batch{2048};
};

TEST_P(PeerTalk, PacketsOfEverySizeArriveAsTheyWere) {
  for (std::size_t bytes = 24; bytes <= 1500; ++bytes) {
    const base::Bytes ip = support::ip_packet(bytes, static_cast<std::uint32_t>(bytes));
    const packet::Packet& packet = carry(ip);
    ASSERT_EQ(packet.verdict, DropReason::kNone) << bytes;
    ASSERT_FALSE(packet.swallowed);
    ASSERT_EQ(support::copy_of(packet), ip);
  }
  EXPECT_TRUE(there.heard());
  EXPECT_EQ(there.next_event(), PeerEvent::kHeard);
  EXPECT_EQ(there.next_event(), std::nullopt);
  EXPECT_EQ(there.counters().tun_write_bytes, here.counters().tun_read_bytes);
}

TEST_P(PeerTalk, TheFirstBreathIsAnOccRequestAndIsAnswered) {
  packet::PacketBatch one(2048, 1);
  packet::Packet& packet = *one.append();
  ASSERT_TRUE(here.next_packet(kStart, packet));
  EXPECT_EQ(packet.peer, kThere);
  packet.peer = kHere;
  there.open_batch(kStart, one);
  EXPECT_TRUE(packet.swallowed);
  EXPECT_TRUE(there.heard());
  ASSERT_TRUE(there.next_packet(kStart, packet));
  packet.peer = kThere;
  here.open_batch(kStart, one);
  EXPECT_TRUE(packet.swallowed);
  EXPECT_EQ(here.next_event(), PeerEvent::kHeard);
}

INSTANTIATE_TEST_SUITE_P(Layouts, PeerTalk, testing::ValuesIn(support::all_layouts()),
                         [](const auto& info) {
                           std::string name = info.param.name();
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
