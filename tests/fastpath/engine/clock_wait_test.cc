// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/clock_wait.h"

#include <gtest/gtest.h>

namespace {

using namespace engine;
using base::LogLevel;
using std::chrono::seconds;

constexpr base::TimePoint kStart{};
constexpr base::UnixSeconds kReleased = 1'790'000'000;   // 2026-09-21 14:13
constexpr base::UnixSeconds kValidFrom = 1'700'000'000;  // 2023-11-14 22:13

TEST(ClockWait, ASetClockIsNotWaitedFor) {
  ClockWait wait(600, kReleased);
  Steps steps;
  EXPECT_FALSE(wait.must_wait({kReleased, kValidFrom}, kStart, steps));
  EXPECT_FALSE(wait.must_wait({kReleased, std::nullopt}, kStart, steps));
  EXPECT_EQ(steps, Steps{});
}

TEST(ClockWait, BeforeTheCertificateIsValidItIsToldAndWaitedFor) {
  ClockWait wait(600, kReleased);
  const std::string why =
      "the clock here says 1970-01-01 00:00 UTC, and this end's own certificates are valid only "
      "from 2023-11-14 22:13 UTC on; waiting up to 600 s for it to be set (clock-wait)";
  Steps steps;
  EXPECT_TRUE(wait.must_wait({20, kValidFrom}, kStart, steps));
  EXPECT_EQ(steps, (Steps{step::Say{LogLevel::kWarning, why}, step::TellReason{why},
                          step::TellState{}, step::Wake{Timer::kClock, seconds(1)}}));
  steps.clear();
  EXPECT_TRUE(wait.must_wait({21, kValidFrom}, kStart + seconds(1), steps));
  EXPECT_EQ(steps, (Steps{step::Wake{Timer::kClock, seconds(1)}})) << "told once";
  steps.clear();
  EXPECT_FALSE(wait.must_wait({kReleased, kValidFrom}, kStart + seconds(2), steps));
  EXPECT_EQ(steps,
            (Steps{step::Say{LogLevel::kNotice, "the clock is set: it says 2026-09-21 14:13 UTC"},
                   step::TellReason{}}));
}

TEST(ClockWait, ACertificateKnownToBeValidIsWorthATry) {
  ClockWait wait(600, kReleased);
  Steps steps;
  EXPECT_FALSE(wait.must_wait({kValidFrom, kValidFrom}, kStart, steps));
  EXPECT_TRUE(wait.must_wait({kValidFrom - 1, kValidFrom}, kStart, steps));
}

TEST(ClockWait, WithoutACertificateToReadTheReleaseTells) {
  ClockWait wait(600, kReleased);
  Steps steps;
  EXPECT_TRUE(wait.must_wait({1'451'606'400, std::nullopt}, kStart, steps));
  ASSERT_FALSE(steps.empty());
  EXPECT_TRUE(std::get<step::Say>(steps[0]).text.starts_with(
      "the clock here says 2016-01-01 00:00 UTC, which is before"));
}

TEST(ClockWait, AfterTheLimitItIsTriedAllTheSame) {
  ClockWait wait(30, kReleased);
  Steps steps;
  EXPECT_TRUE(wait.must_wait({0, kValidFrom}, kStart, steps));
  EXPECT_TRUE(wait.must_wait({29, kValidFrom}, kStart + seconds(29), steps));
  steps.clear();
  EXPECT_FALSE(wait.must_wait({30, kValidFrom}, kStart + seconds(30), steps));
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_TRUE(std::get<step::TellReason>(steps[1]).why.ends_with("tried all the same"));
  steps.clear();
  EXPECT_FALSE(wait.must_wait({31, kValidFrom}, kStart + seconds(31), steps));
  EXPECT_EQ(steps, Steps{}) << "given up for good";
}

TEST(ClockWait, OffNeverWaits) {
  ClockWait wait(0, kReleased);
  Steps steps;
  EXPECT_FALSE(wait.must_wait({0, kValidFrom}, kStart, steps));
  EXPECT_EQ(steps, Steps{});
}

TEST(ClockWait, TheReleaseIsADateOfThisCentury) {
  EXPECT_GT(release_time(), 1'764'547'200);  // 2025-12-01
  EXPECT_EQ(release_time() % 86400, 0);
}

}  // namespace
