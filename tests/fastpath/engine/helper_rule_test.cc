// SPDX-License-Identifier: Apache-2.0
// (what was measured and read, whether helpers are wanted)
#include "fastpath/engine/helper_rule.h"

#include <gtest/gtest.h>

namespace {

using engine::HelperRule;
using std::chrono::microseconds;
using std::chrono::seconds;

constexpr base::TimePoint kNow{seconds(1000)};
constexpr std::size_t kTun = 0, kLink = 1;

HelperRule rule_with(base::Duration bytes_work) {
  HelperRule rule;
  for (int i = 0; i < 8; ++i) rule.measured(bytes_work);
  return rule;
}

void read_busily(HelperRule& rule, std::size_t way, std::size_t times, base::TimePoint now = kNow) {
  for (std::size_t i = 0; i < times; ++i) rule.read(way, now, true);
}

TEST(HelperRule, SlowWorkUnderLoadWantsHelpers) {
  HelperRule rule = rule_with(microseconds(280));
  read_busily(rule, kTun, HelperRule::kBusyReads - 1);
  EXPECT_FALSE(rule.join());
  read_busily(rule, kTun, 1);
  EXPECT_TRUE(rule.join());
}

TEST(HelperRule, WorkThatIsCheapNeverDoes) {
  HelperRule rule = rule_with(microseconds(3));
  read_busily(rule, kTun, 1000);
  EXPECT_FALSE(rule.join());
}

TEST(HelperRule, WhatWasNotMeasuredIsTakenForCheap) {
  HelperRule rule;
  read_busily(rule, kTun, 1000);
  EXPECT_FALSE(rule.join());
  rule.measured(seconds(1));
  EXPECT_FALSE(rule.join());
}

// A thread that was pushed aside for a moment looks slow, once.
TEST(HelperRule, OneSlowTrainAmongQuickOnesIsNoReason) {
  HelperRule rule = rule_with(microseconds(3));
  rule.measured(seconds(1));
  read_busily(rule, kTun, 10);
  EXPECT_FALSE(rule.join());
}

TEST(HelperRule, APortThatRunsEmptyBetweenIsNotBusy) {
  HelperRule rule = rule_with(microseconds(280));
  for (int i = 0; i < 100; ++i) {
    read_busily(rule, kLink, HelperRule::kBusyReads - 1);
    rule.read(kLink, kNow, false);
  }
  EXPECT_FALSE(rule.join());
}

// Acknowledgements of a transfer trickle in on the other side.
TEST(HelperRule, OneWayIsEnough) {
  HelperRule rule = rule_with(microseconds(280));
  for (std::size_t i = 0; i < HelperRule::kBusyReads; ++i) {
    rule.read(kTun, kNow, true);
    rule.read(kLink, kNow, false);
  }
  EXPECT_TRUE(rule.join());
}

TEST(HelperRule, TheyLeaveAfterQuiet) {
  HelperRule rule = rule_with(microseconds(280));
  read_busily(rule, kTun, 10);
  const base::TimePoint later = kNow + seconds(3);
  read_busily(rule, kTun, 10, later);
  rule.read(kTun, later, false);
  rule.read(kTun, later + HelperRule::kQuiet / 2, false);
  EXPECT_FALSE(rule.leave(later + HelperRule::kQuiet / 2));
  EXPECT_EQ(rule.leave_at(), later + HelperRule::kQuiet);
  EXPECT_TRUE(rule.leave(rule.leave_at()));
}

}  // namespace
