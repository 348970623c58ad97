// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/packet_id_sender.h"

#include <gtest/gtest.h>

namespace {

using data::PacketIdSender;

wire::LongPacketId long_id(std::uint32_t id, std::uint32_t time) {
  return {wire::PacketId{id}, wire::PacketTime{time}};
}

TEST(PacketIdSender, CountsFromOneUnderOneTime) {
  PacketIdSender ids(1700000000);
  for (std::uint32_t i = 1; i < 1000; ++i) EXPECT_EQ(ids.next(), long_id(i, 1700000000));
}

TEST(PacketIdSender, ANewTimeIsTheWallClockOrOneMore) {
  PacketIdSender ids(1000);
  ids.next();
  ASSERT_TRUE(ids.start_new_time(5000));
  EXPECT_EQ(ids.next(), long_id(1, 5000));
  ASSERT_TRUE(ids.start_new_time(10));
  EXPECT_EQ(ids.next(), long_id(1, 5001));
}

TEST(PacketIdSender, AfterTheLastTimeNothingFollows) {
  PacketIdSender ids(0xFFFFFFFF);
  EXPECT_EQ(ids.next(), long_id(1, 0xFFFFFFFF));
  EXPECT_FALSE(ids.start_new_time(1));
  EXPECT_EQ(ids.next(), long_id(2, 0xFFFFFFFF));
}

TEST(PacketIdSender, RunningOutGivesNothingUntilANewTime) {
  PacketIdSender ids(long_id(0xFFFFFFFD, 1000));
  EXPECT_EQ(ids.next(), long_id(0xFFFFFFFE, 1000));
  EXPECT_FALSE(ids.exhausted());
  EXPECT_EQ(ids.next(), long_id(0xFFFFFFFF, 1000));
  EXPECT_EQ(ids.left(), 0u);
  EXPECT_TRUE(ids.exhausted());
  EXPECT_EQ(ids.next(), std::nullopt);
  EXPECT_EQ(ids.next(), std::nullopt);
  ASSERT_TRUE(ids.start_new_time(900));
  EXPECT_EQ(ids.next(), long_id(1, 1001));
}

}  // namespace
