// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/replay_window.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <random>

#include "tests/fastpath/data/replay_model.h"

namespace {

using data::ReplayVerdict;
using data::ReplayWindow;

constexpr base::TimePoint kStart{std::chrono::seconds(5000)};
constexpr auto kAccept = ReplayVerdict::kAccept;
constexpr auto kReplayed = ReplayVerdict::kReplayed;
constexpr auto kBack = ReplayVerdict::kTimeBackwards;

struct Step {
  std::uint32_t id;
  std::uint32_t time;
  ReplayVerdict expected;
  int at_seconds = 0;
};

void walk(ReplayWindow& window, std::initializer_list<Step> steps) {
  int number = 0;
  for (const Step& step : steps) {
    EXPECT_EQ(window.accept({wire::PacketId{step.id}, wire::PacketTime{step.time}},
                            kStart + std::chrono::seconds(step.at_seconds)),
              step.expected)
        << "step " << number;
    ++number;
  }
}

TEST(ReplayWindow, IdZeroIsNeverTaken) {
  ReplayWindow window(64, 15, kStart);
  walk(window, {{0, 100, kReplayed}, {1, 100, kAccept}, {0, 100, kReplayed}, {0, 101, kReplayed}});
}

TEST(ReplayWindow, TimeGoesOnlyForward) {
  ReplayWindow window(64, 15, kStart);
  walk(window, {{5, 100, kAccept},
                {6, 99, kBack},
                {1, 101, kAccept},
                {6, 100, kBack},
                {2, 101, kAccept},
                {1, 4000000000u, kAccept},
                {3, 101, kBack}});
}

TEST(ReplayWindow, EachIdOnce) {
  ReplayWindow window(64, 15, kStart);
  walk(window, {{1, 100, kAccept},
                {1, 100, kReplayed},
                {3, 100, kAccept},
                {2, 100, kAccept},
                {2, 100, kReplayed},
                {3, 100, kReplayed}});
}

TEST(ReplayWindow, SixtyThreeBehindIsInAndSixtyFourIsOut) {
  ReplayWindow window(64, 15, kStart);
  walk(window, {{1, 100, kAccept},
                {1000, 100, kAccept},
                {1000 - 64, 100, kReplayed},
                {1000 - 63, 100, kAccept},
                {1000 - 63, 100, kReplayed}});
}

TEST(ReplayWindow, AnyJumpAheadIsTakenAndTheOldFallsOut) {
  ReplayWindow window(64, 15, kStart);
  walk(window, {{1, 100, kAccept},
                {0xFFFFFFFFu, 100, kAccept},
                {2, 100, kReplayed},
                {0xFFFFFFFEu, 100, kAccept},
                {0xFFFFFFFEu, 100, kReplayed}});
}

TEST(ReplayWindow, TheFirstPacketOpensWhatLiesBelowIt) {
  ReplayWindow low(64, 15, kStart);
  walk(low, {{60, 100, kAccept}, {1, 100, kAccept}, {59, 100, kAccept}, {1, 100, kReplayed}});
  ReplayWindow high(64, 15, kStart);
  walk(high, {{500, 100, kAccept}, {436, 100, kReplayed}, {437, 100, kAccept}});
}

TEST(ReplayWindow, WhatLiesBelowALatePacketExpires) {
  ReplayWindow window(64, 15, kStart);
  walk(window, {{10, 100, kAccept, 0},
                {9, 100, kAccept, 15},
                {8, 100, kAccept, 15},
                {7, 100, kReplayed, 22},
                {11, 100, kAccept, 22},
                {10, 100, kReplayed, 22}});
}

TEST(ReplayWindow, IdsAboveTheLatePacketStayOpen) {
  ReplayWindow window(64, 15, kStart);
  walk(window, {{10, 100, kAccept, 0},
                {20, 100, kAccept, 14},
                {15, 100, kAccept, 17},
                {9, 100, kReplayed, 22},
                {16, 100, kAccept, 22}});
}

TEST(ReplayWindow, TimeWindowZeroMeansNoTimeWindow) {
  ReplayWindow window(64, 0, kStart);
  walk(window, {{10, 100, kAccept, 0}, {9, 100, kAccept, 100000}});
}

TEST(ReplayWindow, WindowZeroTakesNothingOutOfOrder) {
  ReplayWindow window(0, 15, kStart);
  walk(window, {{2, 100, kReplayed},
                {1, 100, kAccept},
                {3, 100, kReplayed},
                {2, 100, kAccept},
                {2, 100, kReplayed},
                {3, 101, kReplayed},
                {1, 101, kAccept},
                {2, 100, kBack}});
}

TEST(ReplayWindow, WindowOneTakesOnlyHigherIds) {
  ReplayWindow window(1, 15, kStart);
  walk(window, {{5, 100, kAccept},
                {4, 100, kReplayed},
                {5, 100, kReplayed},
                {7, 100, kAccept},
                {6, 100, kReplayed}});
}

// A peer whose clock went back in a reboot is heard again after a restart of the link, yet nothing
// that was accepted before comes in twice.
TEST(ReplayWindow, RestartForgivesTheClockAndForgetsNoPacket) {
  ReplayWindow window(64, 15, kStart);
  walk(window, {{50, 100, kAccept}, {1, 90, kBack}});
  window.restart();
  walk(window, {{50, 100, kReplayed},
                {20, 100, kReplayed},
                {1, 90, kAccept},
                {2, 90, kAccept},
                {49, 100, kReplayed},
                {51, 100, kAccept},
                {3, 90, kBack}});
}

// A link that is tried again and again hears nothing in between.
TEST(ReplayWindow, ManyRestartsForgetNoPacketEither) {
  ReplayWindow window(64, 15, kStart);
  walk(window, {{50, 100, kAccept}});
  window.restart();
  window.restart();
  walk(window, {{50, 100, kReplayed}, {7, 90, kAccept}});
  window.restart();
  window.restart();
  walk(window, {{7, 90, kReplayed}, {50, 100, kReplayed}, {8, 90, kAccept}, {51, 100, kAccept}});
}

TEST(ReplayWindow, RacesTheModel) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto packets = static_cast<int>(std::array{0, 1, 2, 3, 8, 64, 100, 1000}[random() % 8]);
    const auto seconds = static_cast<int>(std::array{0, 1, 5, 15, 600}[random() % 5]);
    ReplayWindow window(packets, seconds, kStart);
    test::ReplayModel model(static_cast<std::uint32_t>(packets), seconds);
    std::int64_t now = 0;
    std::uint32_t id = 1, time = 100;
    for (int step = 0; step < 400; ++step) {
      now += random() % 4 == 0 ? static_cast<std::int64_t>(random() % 8) : 0;
      switch (random() % 12) {
        case 0:
          id += static_cast<std::uint32_t>(random() % (2u * static_cast<unsigned>(packets) + 2));
          break;
        case 1:
          time += static_cast<std::uint32_t>(random() % 2);
          break;
        case 2:
          id = static_cast<std::uint32_t>(random() % 5);
          break;
        default:
          ++id;
      }
      const auto behind = static_cast<std::uint32_t>(random() % 3 == 0 ? random() % 80 : 0);
      const std::uint32_t sent_id = id > behind ? id - behind : id;
      const std::uint32_t sent_time = random() % 20 == 0 ? time - 1 : time;
      const bool accepted = window.accept({wire::PacketId{sent_id}, wire::PacketTime{sent_time}},
                                          kStart + std::chrono::seconds(now)) == kAccept;
      ASSERT_EQ(accepted, model.accept(sent_id, sent_time, now))
          << "step " << step << " id " << sent_id << " time " << sent_time << " now " << now
          << " window " << packets << " " << seconds;
    }
  }
}

// Another process goes on: what was accepted there is not accepted here, in whatever order it
// comes.
TEST(ReplayWindow, GoesOnBehindAnotherOne) {
  using wire::PacketId, wire::PacketTime;
  ReplayWindow first(64, 15, kStart);
  ASSERT_EQ(first.accept({PacketId{5}, PacketTime{900}}, kStart), kAccept);
  first.restart();
  ASSERT_EQ(first.accept({PacketId{3}, PacketTime{100}}, kStart), kAccept);
  ASSERT_EQ(first.accept({PacketId{9}, PacketTime{100}}, kStart), kAccept);
  ReplayWindow next(64, 15, kStart);
  next.go_on_behind(first.newest(), first.barred());
  EXPECT_EQ(next.newest(), first.newest());
  for (std::uint32_t id = 1; id <= 9; ++id) {
    EXPECT_NE(next.accept({PacketId{id}, PacketTime{100}}, kStart), kAccept) << id;
    EXPECT_NE(next.accept({PacketId{id}, PacketTime{99}}, kStart), kAccept) << id;
  }
  EXPECT_NE(next.accept({PacketId{5}, PacketTime{900}}, kStart), kAccept);
  EXPECT_EQ(next.accept({PacketId{11}, PacketTime{100}}, kStart), kAccept);
  EXPECT_EQ(next.accept({PacketId{10}, PacketTime{100}}, kStart), kAccept);  // from here on as ever
  EXPECT_EQ(next.accept({PacketId{6}, PacketTime{900}}, kStart), kAccept);
}

}  // namespace
