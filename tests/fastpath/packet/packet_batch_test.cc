// SPDX-License-Identifier: Apache-2.0
#include "fastpath/packet/packet_batch.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using packet::DropReason;
using packet::kHeadroomBytes;
using packet::kTailroomBytes;
using packet::Packet;
using packet::PacketBatch;

TEST(Packet, GrowsAndShrinksInPlace) {
  PacketBatch batch(100, 1);
  Packet& packet = *batch.append();
  packet.fill_space()[0] = 1;
  packet.fill_space()[1] = 2;
  packet.set_size(2);
  packet.push_front(1)[0] = 0;
  packet.push_back(1)[0] = 3;
  EXPECT_EQ(base::to_hex(packet.bytes()), "00010203");
  EXPECT_EQ(packet.headroom(), kHeadroomBytes - 1);
  packet.pop_front(2);
  packet.pop_back(1);
  EXPECT_EQ(base::to_hex(packet.bytes()), "02");
  EXPECT_EQ(packet.headroom(), kHeadroomBytes + 1);
}

TEST(Packet, ResetForgetsEverything) {
  PacketBatch batch(100, 1);
  Packet& packet = *batch.append();
  packet.set_size(10);
  packet.pop_front(3);
  packet.drop(DropReason::kReplayed);
  packet.swallowed = true;
  packet.peer.port = 7;
  packet.reset();
  EXPECT_EQ(packet.size(), 0u);
  EXPECT_EQ(packet.headroom(), kHeadroomBytes);
  EXPECT_FALSE(packet.dropped());
  EXPECT_FALSE(packet.swallowed);
  EXPECT_EQ(packet.peer, base::Endpoint{});
}

TEST(Packet, HoldsItsPayloadWithRoomOnBothSides) {
  for (const std::size_t payload : {1u, 64u, 100u, 1500u, 65507u}) {
    PacketBatch batch(payload, 2);
    Packet& packet = *batch.append();
    ASSERT_GE(packet.fill_space().size(), payload + kTailroomBytes);
    packet.set_size(payload);
    EXPECT_GE(packet.headroom(), kHeadroomBytes);
    EXPECT_GE(packet.tailroom(), kTailroomBytes);
  }
}

TEST(PacketDeathTest, LeavingTheSlotAborts) {
  PacketBatch batch(100, 1);
  Packet& packet = *batch.append();
  EXPECT_DEATH(packet.set_size(packet.fill_space().size() + 1), "");
  EXPECT_DEATH(packet.push_front(kHeadroomBytes + 1), "");
  EXPECT_DEATH(packet.push_back(packet.tailroom() + 1), "");
  EXPECT_DEATH(packet.pop_front(1), "");
  EXPECT_DEATH(packet.pop_back(1), "");
}

TEST(PacketBatch, HandsOutEachSlotOnceAndFromTheStartAfterClear) {
  PacketBatch batch(100, 3);
  Packet* const first = batch.append();
  first->set_size(5);
  ASSERT_NE(batch.append(), nullptr);
  EXPECT_FALSE(batch.full());
  ASSERT_NE(batch.append(), nullptr);
  EXPECT_TRUE(batch.full());
  EXPECT_EQ(batch.append(), nullptr);
  EXPECT_EQ(batch.packets().size(), 3u);
  batch.take_back();
  EXPECT_EQ(batch.packets().size(), 2u);
  batch.clear();
  EXPECT_TRUE(batch.packets().empty());
  EXPECT_EQ(batch.append(), first);
  EXPECT_EQ(first->size(), 0u);
}

TEST(PacketBatch, SlotsDoNotOverlap) {
  PacketBatch batch(100, 2);
  Packet& a = *batch.append();
  Packet& b = *batch.append();
  a.set_size(a.fill_space().size());
  b.set_size(b.fill_space().size());
  std::ranges::fill(a.bytes(), std::uint8_t{0xaa});
  std::ranges::fill(b.bytes(), std::uint8_t{0xbb});
  EXPECT_TRUE(std::ranges::all_of(a.bytes(), [](std::uint8_t byte) { return byte == 0xaa; }));
}

TEST(DropReason, EveryOneHasItsOwnName) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < packet::kDropReasons; ++i) {
    names.push_back(to_string(static_cast<DropReason>(i)));
    EXPECT_NE(names.back(), "unknown") << i;
  }
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

}  // namespace
