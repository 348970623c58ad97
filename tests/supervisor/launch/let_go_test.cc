// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/let_go.h"

#include <gtest/gtest.h>

namespace launch {
namespace {

// The far end takes only times that are later than it has seen, and ids of one time only upwards.
TEST(PacketTime, IsWaitedForUntilTheClockIsPastIt) {
  EXPECT_EQ(seconds_to_wait("1000\n", 1001), 0);
  EXPECT_EQ(seconds_to_wait("1000\n", 1000), 1);
  EXPECT_EQ(seconds_to_wait("1000", 997), 4);
  EXPECT_EQ(seconds_to_wait("4500000000\n", 4499999999), 2);  // past 2038 and past 32 bits
}

TEST(PacketTime, WhatIsNoNumberIsNotWaitedFor) {
  for (const char* text : {"", "\n", "soon", "10 00", "-5", "99999999999999999999"}) {
    EXPECT_EQ(seconds_to_wait(text, 900), 0) << text;
  }
}

}  // namespace
}  // namespace launch
