// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fastpath/control/reliable_receiver.h"
#include "fastpath/control/reliable_sender.h"
#include "fastpath/control/replay_check.h"

namespace {

using control::ReliableReceiver;
using control::ReliableSender;
using std::chrono::seconds;
using testing::ElementsAre;
using wire::Opcode;

constexpr base::TimePoint kNow{seconds(100)};

std::vector<wire::MessageId> due_ids(ReliableSender& sender, base::TimePoint now) {
  std::vector<wire::MessageId> ids;
  while (const auto* message = sender.next_due(now)) ids.push_back(message->id);
  return ids;
}

TEST(ReliableSender, HasFourInFlightAtMost) {
  ReliableSender sender(0, seconds(2));
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(sender.has_room());
    sender.queue(kNow, Opcode::kControlV1, {});
  }
  EXPECT_FALSE(sender.has_room());
  sender.acknowledged(kNow, 2);
  EXPECT_FALSE(sender.has_room()) << "the window begins at the lowest that is not acknowledged";
  sender.acknowledged(kNow, 0);
  EXPECT_TRUE(sender.has_room());
}

TEST(ReliableSender, RepeatsAfterTwoFourAndEightSeconds) {
  ReliableSender sender(0, seconds(2));
  sender.queue(kNow, Opcode::kControlV1, {});
  std::vector<int> times;
  for (int t = 0; t < 40; ++t) {
    if (!due_ids(sender, kNow + seconds(t)).empty()) times.push_back(t);
  }
  EXPECT_THAT(times, ElementsAre(0, 2, 6, 14, 30));
  EXPECT_EQ(sender.next_timeout(), kNow + seconds(62));
}

TEST(ReliableSender, ThreeHigherAcksMeanALoss) {
  ReliableSender sender(0, seconds(2));
  for (int i = 0; i < 4; ++i) sender.queue(kNow, Opcode::kControlV1, {});
  EXPECT_THAT(due_ids(sender, kNow), ElementsAre(0, 1, 2, 3));
  sender.acknowledged(kNow, 1);
  sender.acknowledged(kNow, 2);
  sender.acknowledged(kNow, 2);  // repeated acks say nothing new
  EXPECT_THAT(due_ids(sender, kNow), ElementsAre());
  sender.acknowledged(kNow, 3);
  EXPECT_THAT(due_ids(sender, kNow), ElementsAre(0));
}

TEST(ReliableReceiver, DeliversInOrderAndOnce) {
  ReliableReceiver receiver(0);
  receiver.take(Opcode::kControlV1, 1, {});
  EXPECT_FALSE(receiver.next());
  receiver.take(Opcode::kControlV1, 0, {});
  receiver.take(Opcode::kControlV1, 1, {});
  EXPECT_EQ(receiver.next()->id, 0u);
  EXPECT_EQ(receiver.next()->id, 1u);
  EXPECT_FALSE(receiver.next());
}

TEST(ReliableReceiver, KeepsNoMoreThanItsWindow) {
  ReliableReceiver receiver(0);
  receiver.take(Opcode::kControlV1, 12, {});
  EXPECT_FALSE(receiver.acks_due());
  receiver.take(Opcode::kControlV1, 11, {});
  EXPECT_TRUE(receiver.acks_due());
  receiver.take(Opcode::kControlV1, 0xFFFFFFFF, {});
  EXPECT_THAT(receiver.take_acks(8), ElementsAre(11));
}

TEST(ReliableReceiver, AcknowledgesRepeatsAndTellsOldAcksAgain) {
  ReliableReceiver receiver(0);
  for (const wire::MessageId id : {0, 1, 2}) receiver.take(Opcode::kControlV1, id, {});
  EXPECT_THAT(receiver.take_acks(2), ElementsAre(0, 1));
  EXPECT_THAT(receiver.take_acks(4), ElementsAre(2, 0, 1));
  EXPECT_FALSE(receiver.acks_due());
  EXPECT_THAT(receiver.take_acks(4), ElementsAre(2, 0, 1)) << "in case the last was lost";
  while (receiver.next()) continue;
  receiver.take(Opcode::kControlV1, 1, {});
  EXPECT_TRUE(receiver.acks_due());
  EXPECT_FALSE(receiver.next());
}

wire::LongPacketId packet_id(std::uint32_t id, std::uint32_t time) {
  return {wire::PacketId{id}, wire::PacketTime{time}};
}

TEST(ReplayCheck, TakesEachOnceWithinItsWindow) {
  control::ReplayCheck check;
  EXPECT_FALSE(check.accept(packet_id(0, 5)));
  EXPECT_TRUE(check.accept(packet_id(1, 5)));
  EXPECT_FALSE(check.accept(packet_id(1, 5)));
  EXPECT_TRUE(check.accept(packet_id(100, 5)));
  EXPECT_FALSE(check.accept(packet_id(36, 5)));
  EXPECT_TRUE(check.accept(packet_id(37, 5)));
  EXPECT_FALSE(check.accept(packet_id(37, 5)));
  EXPECT_FALSE(check.accept(packet_id(101, 4)));
  EXPECT_TRUE(check.accept(packet_id(1, 6)));
  EXPECT_FALSE(check.accept(packet_id(102, 5)));
  EXPECT_TRUE(check.accept(packet_id(0xFFFFFFFF, 6)));
  EXPECT_FALSE(check.accept(packet_id(1, 6)));
}

}  // namespace
