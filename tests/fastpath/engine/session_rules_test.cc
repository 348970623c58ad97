// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/session_rules.h"

#include <gtest/gtest.h>

namespace {

using namespace engine;
using control::SessionStage;
using ovpn::ConnectionState;
using Retry = config::CredentialsConfig::Retry;

control::AuthFailed refusal(const std::string& reason) {
  control::AuthFailed event;
  event.reason = reason;
  return event;
}

TEST(SessionRules, APasswordThatIsRefusedEndsItUnlessTheConfigSaysOtherwise) {
  const control::AuthFailed refused = refusal("no");
  const Steps ends = after(refused, false, Retry::kNone);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0], Step(step::ForgetToken{}));
  ASSERT_TRUE(std::holds_alternative<step::End>(ends[1]));
  EXPECT_EQ(std::get<step::End>(ends[1]).ending, Ending::kLasting);
  EXPECT_TRUE(std::get<step::End>(ends[1]).why.starts_with("AUTH_FAILED: no; give the right"));
  EXPECT_EQ(after(refused, false, Retry::kNointeract),
            (Steps{step::ForgetToken{},
                   step::Restart{"AUTH_FAILED: no", {.stay = true, .pause_seconds_min = 10}}}));
  EXPECT_EQ(after(refused, false, Retry::kInteract),
            (Steps{step::ForgetToken{}, step::AskLogin{},
                   step::Restart{"AUTH_FAILED: no", {.stay = true, .at_once = true}}}));
}

TEST(SessionRules, ATokenThatIsRefusedSaysNothingAboutThePassword) {
  const Steps anew{step::ForgetToken{},
                   step::Restart{"AUTH_FAILED (the session's token is void)", {.stay = true}}};
  EXPECT_EQ(after(control::AuthFailed{}, true, Retry::kNone), anew);
  control::AuthFailed expired;
  expired.session_expired = true;
  EXPECT_EQ(after(expired, false, Retry::kNone), anew);
}

TEST(SessionRules, ATemporaryRefusalIsRepeatedWhenTheServerSaidAndWhere) {
  control::AuthFailed busy = refusal("busy");
  busy.temporary = true;
  busy.backoff_seconds = 42;
  busy.advance = "no";
  EXPECT_EQ(after(busy, false, Retry::kNone),
            (Steps{step::ForgetToken{},
                   step::Restart{"AUTH_FAILED: busy", {.stay = true, .pause_seconds_min = 42}}}));
  busy.advance = "addr";
  EXPECT_EQ(after(busy, false, Retry::kNone)[1],
            Step(step::Restart{"AUTH_FAILED: busy", {.pause_seconds_min = 42}}));
}

TEST(SessionRules, AChallengeIsAQuestionAndNoRefusal) {
  const Steps steps = after(refusal("CRV1:R,E:abc:am9l:code?"), true, Retry::kNone);
  ASSERT_EQ(steps.size(), 3u);
  ASSERT_TRUE(std::holds_alternative<step::AskChallenge>(steps[1]));
  EXPECT_EQ(std::get<step::AskChallenge>(steps[1]).challenge.username, "joe");
  EXPECT_EQ(steps[2], Step(step::Restart{"AUTH_FAILED: code?", {.stay = true, .at_once = true}}));
}

TEST(SessionRules, WhatAServerWritesCannotForgeALine) {
  const Steps steps = after(refusal("a\nb\x1b[2J"), false, Retry::kNointeract);
  EXPECT_EQ(std::get<step::Restart>(steps[1]).reason, "AUTH_FAILED: a\\x0ab\\x1b[2J");
}

TEST(SessionRules, RestartHaltAndExit) {
  EXPECT_EQ(after(control::RestartAsked{}),
            (Steps{step::ForgetToken{},
                   step::Restart{"the server asks to connect anew", {.stay = true}}}));
  EXPECT_EQ(
      after(control::RestartAsked{.text = "moved", .keep_credentials = true, .next_remote = true}),
      (Steps{step::Restart{"the server asks to connect anew: moved"}}));
  EXPECT_EQ(after(control::PeerExited{.halt = true, .text = "banned"}),
            (Steps{step::End{Ending::kLasting, "the server ends this client (HALT): banned"}}));
  EXPECT_EQ(after(control::PeerExited{}), (Steps{step::Restart{"the peer said that it stops"}}));
}

TEST(SessionRules, AFailedSessionIsTriedAgainUnlessThatChangesNothing) {
  EXPECT_EQ(after(control::SessionFailed{"late"}, false), (Steps{step::Restart{"late"}}));
  EXPECT_EQ(after(control::SessionFailed{"late"}, true),
            (Steps{step::End{Ending::kFailed, "late (tls-exit)"}}));
  EXPECT_EQ(after(control::SessionFailed{"expired", true}, true),
            (Steps{step::End{Ending::kLasting, "expired"}}));
}

TEST(SessionRules, TheDataChannelsSilence) {
  config::KeepaliveConfig keepalive;
  keepalive.ping_restart_seconds = 60;
  keepalive.ping_exit_seconds = 90;
  EXPECT_EQ(after(peer::PeerEvent::kPingRestart, keepalive),
            (Steps{step::Restart{"ping-restart: nothing heard for 60 s"}}));
  EXPECT_EQ(after(peer::PeerEvent::kPingExit, keepalive),
            (Steps{step::End{Ending::kFailed, "ping-exit: nothing heard for 90 s"}}));
  EXPECT_EQ(after(peer::PeerEvent::kRemoteExit, keepalive),
            (Steps{step::Restart{"the peer said that it stops"}}));
  EXPECT_EQ(after(peer::PeerEvent::kHeard, keepalive), Steps{});
}

TEST(SessionProgress, EachStageIsToldOnceAndTheServersAnswerStopsTheClock) {
  SessionProgress progress(true);
  progress.begin();
  EXPECT_EQ(progress.reached(SessionStage::kCalling, ConnectionState::kWait), Steps{});
  EXPECT_EQ(progress.reached(SessionStage::kHandshake, ConnectionState::kWait),
            (Steps{step::Unset{Timer::kServerPoll}, step::TellState{ConnectionState::kAuth}}));
  EXPECT_EQ(progress.reached(SessionStage::kHandshake, ConnectionState::kAuth), Steps{});
  EXPECT_EQ(progress.reached(SessionStage::kAsking, ConnectionState::kAuth),
            (Steps{step::TellState{ConnectionState::kGetConfig}}));
  EXPECT_EQ(progress.reached(SessionStage::kAsking, ConnectionState::kAuthPending), Steps{});
  progress.begin();
  EXPECT_EQ(progress.reached(SessionStage::kReady, ConnectionState::kConnected),
            (Steps{step::Unset{Timer::kServerPoll}}));
}

TEST(SessionProgress, WhoDoesNotPullAsksForNothing) {
  SessionProgress progress(false);
  progress.begin();
  EXPECT_EQ(progress.reached(SessionStage::kAsking, ConnectionState::kAuth),
            (Steps{step::Unset{Timer::kServerPoll}}));
}

}  // namespace
