// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/keepalive.h"

#include <gtest/gtest.h>

namespace {

using control::Expiry;
using control::Keepalive;

constexpr base::TimePoint kStart{std::chrono::seconds(1000)};

base::TimePoint at(double seconds) {
  return kStart +
         std::chrono::duration_cast<base::Duration>(std::chrono::duration<double>(seconds));
}

// Walks from timeout to timeout; the seconds at which something ran out, or -1 by `until`.
double runs_out_at(Keepalive& keepalive, Expiry expected, double until) {
  while (keepalive.next_timeout() && *keepalive.next_timeout() <= at(until)) {
    const base::TimePoint now = *keepalive.next_timeout();
    const Expiry expiry = keepalive.handle_timeout(now);
    if (expiry == expected) return std::chrono::duration<double>(now - kStart).count();
    if (expiry == Expiry::kNone) return -2;
  }
  return -1;
}

TEST(Keepalive, WithoutDirectivesThereIsNoTimer) {
  Keepalive keepalive({}, kStart);
  keepalive.restart(kStart, true);
  EXPECT_EQ(keepalive.next_timeout(), std::nullopt);
  EXPECT_FALSE(keepalive.ping_due(at(1e6)));
  EXPECT_EQ(keepalive.handle_timeout(at(1e6)), Expiry::kNone);
}

TEST(Keepalive, PingIsDueOnlyAfterSilenceOfOurs) {
  Keepalive keepalive({.ping_seconds = 10}, kStart);
  keepalive.restart(kStart, true);
  EXPECT_EQ(keepalive.next_timeout(), at(10));
  EXPECT_FALSE(keepalive.ping_due(at(9.999)));
  EXPECT_TRUE(keepalive.ping_due(at(10)));
  keepalive.data_sent(at(7));
  keepalive.authenticated_packet_received(at(9));
  EXPECT_FALSE(keepalive.ping_due(at(16.9)));
  EXPECT_TRUE(keepalive.ping_due(at(17)));
  EXPECT_EQ(keepalive.next_timeout(), at(17));
}

TEST(Keepalive, NoPingWhileNobodyIsThere) {
  Keepalive keepalive({.ping_seconds = 10}, kStart);
  keepalive.restart(kStart, false);
  EXPECT_EQ(keepalive.next_timeout(), std::nullopt);
  EXPECT_FALSE(keepalive.ping_due(at(100)));
  keepalive.remote_known(at(100));
  EXPECT_FALSE(keepalive.ping_due(at(109)));
  EXPECT_TRUE(keepalive.ping_due(at(110)));
}

TEST(Keepalive, PingRestartRunsOutExactlyOnceAfterTheLastAuthenticatedPacket) {
  Keepalive keepalive({.ping_restart_seconds = 60}, kStart);
  keepalive.restart(kStart, true);
  keepalive.authenticated_packet_received(at(30));
  keepalive.data_sent(at(80));
  EXPECT_EQ(keepalive.handle_timeout(at(89.999)), Expiry::kNone);
  EXPECT_EQ(runs_out_at(keepalive, Expiry::kPingRestart, 1000), 90);
  EXPECT_EQ(keepalive.next_timeout(), std::nullopt);
  EXPECT_EQ(keepalive.handle_timeout(at(500)), Expiry::kNone);
  keepalive.restart(at(500), true);
  EXPECT_EQ(runs_out_at(keepalive, Expiry::kPingRestart, 1000), 560);
}

TEST(Keepalive, PingRestartRunsWithoutAPeerUnlessPingTimerRem) {
  Keepalive plain({.ping_restart_seconds = 60}, kStart);
  plain.restart(kStart, false);
  EXPECT_EQ(runs_out_at(plain, Expiry::kPingRestart, 1000), 60);

  Keepalive waiting({.ping_restart_seconds = 60, .timer_needs_remote = true}, kStart);
  waiting.restart(kStart, false);
  EXPECT_EQ(runs_out_at(waiting, Expiry::kPingRestart, 1000), -1);
  waiting.remote_known(at(500));
  EXPECT_EQ(runs_out_at(waiting, Expiry::kPingRestart, 1000), 560);
}

TEST(Keepalive, PingExitRunsOut) {
  Keepalive keepalive({.ping_exit_seconds = 20}, kStart);
  keepalive.restart(kStart, true);
  EXPECT_EQ(runs_out_at(keepalive, Expiry::kPingExit, 1000), 20);
}

TEST(Keepalive, SpuriousTimeoutsAreHarmless) {
  Keepalive keepalive({.ping_seconds = 5, .ping_restart_seconds = 60, .inactive_seconds = 90},
                      kStart);
  keepalive.restart(kStart, true);
  for (int i = 0; i < 59; ++i) EXPECT_EQ(keepalive.handle_timeout(at(i)), Expiry::kNone);
  EXPECT_EQ(keepalive.handle_timeout(at(60)), Expiry::kPingRestart);
}

TEST(Keepalive, InactiveCountsTunnelPacketsOnly) {
  Keepalive keepalive({.inactive_seconds = 100}, kStart);
  keepalive.restart(kStart, true);
  keepalive.authenticated_packet_received(at(50));
  keepalive.data_sent(at(50));
  EXPECT_EQ(keepalive.next_timeout(), at(100));
  keepalive.tunnel_bytes(at(60), 1);
  EXPECT_EQ(runs_out_at(keepalive, Expiry::kInactive, 1000), 160);
}

TEST(Keepalive, InactiveWithBytesWantsThatMany) {
  Keepalive keepalive({.inactive_seconds = 100, .inactive_bytes = 1000}, kStart);
  keepalive.tunnel_bytes(at(10), 999);
  EXPECT_EQ(keepalive.next_timeout(), at(100));
  keepalive.tunnel_bytes(at(20), 1);
  EXPECT_EQ(keepalive.next_timeout(), at(120));
  keepalive.tunnel_bytes(at(30), 999);
  EXPECT_EQ(runs_out_at(keepalive, Expiry::kInactive, 1000), 120);
}

// A restart of the link is no activity: a dark tunnel must still end when it was told to.
TEST(Keepalive, InactiveOutlastsARestartOfTheLink) {
  Keepalive keepalive({.ping_restart_seconds = 60, .inactive_seconds = 100}, kStart);
  keepalive.restart(kStart, true);
  EXPECT_EQ(runs_out_at(keepalive, Expiry::kPingRestart, 1000), 60);
  keepalive.restart(at(60), true);
  EXPECT_EQ(runs_out_at(keepalive, Expiry::kInactive, 1000), 100);
}

TEST(Keepalive, TwoThatRunOutAtOnceAreBothTold) {
  Keepalive keepalive({.ping_restart_seconds = 60, .inactive_seconds = 60}, kStart);
  keepalive.restart(kStart, true);
  EXPECT_EQ(keepalive.handle_timeout(at(60)), Expiry::kPingRestart);
  EXPECT_EQ(keepalive.handle_timeout(at(60)), Expiry::kInactive);
  EXPECT_EQ(keepalive.handle_timeout(at(60)), Expiry::kNone);
}

}  // namespace
