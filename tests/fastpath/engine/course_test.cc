// SPDX-License-Identifier: Apache-2.0
// How an engine restarts, stops, and waits to be ready: decided without any of it happening.
#include <gtest/gtest.h>

#include "fastpath/engine/farewell.h"
#include "fastpath/engine/ready_wait.h"
#include "fastpath/engine/restart_plan.h"

namespace {

using namespace engine;
using enum RestartStep;
using Plan = std::vector<RestartStep>;
using std::chrono::seconds;

config::TunnelConfig tls_client() {
  config::TunnelConfig config;
  config.tls.emplace();
  config.tls->pull.pull = true;
  return config;
}

RestartFacts calling(bool device_open) {
  RestartFacts facts;
  facts.device_open = device_open;
  facts.routes_up = device_open;
  facts.has_targets = true;
  return facts;
}

TEST(RestartPlan, AStaticKeyIsReadAgainAndTheDeviceMadeAnew) {
  const config::TunnelConfig config;
  EXPECT_EQ(plan_restart(config, calling(true), {}),
            (Plan{kDropLink, kReloadKey, kStopWorker, kCloseDevice, kOpenDevice, kAddRoutes,
                  kListenOn, kPause}));
  RestartFacts no_routes = calling(true);
  no_routes.routes_up = false;
  EXPECT_EQ(
      plan_restart(config, no_routes, {}),
      (Plan{kDropLink, kReloadKey, kStopWorker, kCloseDevice, kOpenDevice, kListenOn, kPause}));
}

TEST(RestartPlan, WhatPersistsStays) {
  config::TunnelConfig config;
  config.crypto.persist_key = true;
  config.device.persist_tun = true;
  EXPECT_EQ(plan_restart(config, calling(true), {}),
            (Plan{kDropLink, kRunRestartScripts, kListenOn, kPause}));
}

TEST(RestartPlan, RightsThatWereGivenUpKeepTheDevice) {
  config::TunnelConfig config = tls_client();
  config.process.user = "nobody";
  EXPECT_EQ(
      plan_restart(config, calling(true), {}),
      (Plan{kDropLink, kForgetPushed, kReloadTlsFiles, kStopWorker, kRunRestartScripts, kPause}));
}

TEST(RestartPlan, OfAClientTheServerSaysWhatTheDeviceIsToBe) {
  EXPECT_EQ(plan_restart(tls_client(), calling(true), {.at_once = true}),
            (Plan{kDropLink, kForgetPushed, kReloadTlsFiles, kStopWorker, kCloseDevice, kConnect}));
  EXPECT_EQ(plan_restart(tls_client(), calling(false), {}),
            (Plan{kDropLink, kForgetPushed, kReloadTlsFiles, kStopWorker, kPause}));
}

TEST(RestartPlan, WhoIsCalledListensAtOnce) {
  config::TunnelConfig config;
  config.crypto.persist_key = true;
  config.device.kind = config::DeviceKind::kNull;
  RestartFacts facts;
  facts.is_called = true;
  EXPECT_EQ(plan_restart(config, facts, {}), (Plan{kDropLink, kConnect}));
}

TEST(RestartPlan, OverTcpNothingIsHeardInThePause) {
  RestartFacts facts = calling(false);
  facts.transport = config::Transport::kTcpClient;
  EXPECT_EQ(plan_restart({}, facts, {}), (Plan{kDropLink, kReloadKey, kPause}));
}

const Steps kStopNow{step::End{Ending::kStopped}};
const Step kInASecond = step::Wake{Timer::kExitNotify, seconds(1)};

TEST(Farewell, ThePeerIsToldAsOftenAsTheConfigSays) {
  Farewell farewell;
  EXPECT_FALSE(farewell.begun());
  EXPECT_EQ(farewell.begin({.notify_tries = 2, .peer_known = true}),
            (Steps{step::SendExitNotify{}, kInASecond}));
  EXPECT_TRUE(farewell.begun());
  EXPECT_EQ(farewell.tick(), (Steps{step::SendExitNotify{}, kInASecond}));
  EXPECT_EQ(farewell.tick(), kStopNow);
}

TEST(Farewell, TheHandshakesChannelIsAskedOnce) {
  Farewell farewell;
  EXPECT_EQ(farewell.begin({.notify_tries = 3, .peer_known = true, .exit_agreed = true}),
            (Steps{step::SendExit{}, kInASecond}));
  EXPECT_EQ(farewell.tick(), kStopNow);
}

TEST(Farewell, WithNobodyToTellOrAskedTwiceItIsOverAtOnce) {
  EXPECT_EQ(Farewell().begin({.notify_tries = 0, .peer_known = true}), kStopNow);
  EXPECT_EQ(Farewell().begin({.notify_tries = 1, .udp = false, .peer_known = true}), kStopNow);
  EXPECT_EQ(Farewell().begin({.notify_tries = 1, .session_ready = false, .peer_known = true}),
            kStopNow);
  EXPECT_EQ(Farewell().begin({.notify_tries = 1, .peer_known = false}), kStopNow);
  Farewell twice;
  static_cast<void>(twice.begin({.notify_tries = 5, .peer_known = true}));
  EXPECT_EQ(twice.begin({.notify_tries = 5, .peer_known = true}), kStopNow);
}

TEST(ReadyWait, AsksForPatienceInStepsUpToTheLimit) {
  const base::TimePoint start{};
  ReadyWait wait(25);
  EXPECT_EQ(wait.begin(start), (Steps{step::Wake{Timer::kReadyWait, seconds(10)}}));
  EXPECT_EQ(wait.tick(start + seconds(10)),
            (Steps{step::AskPatience{seconds(20)}, step::Wake{Timer::kReadyWait, seconds(10)}}));
  EXPECT_EQ(wait.tick(start + seconds(20)),
            (Steps{step::AskPatience{seconds(20)}, step::Wake{Timer::kReadyWait, seconds(5)}}));
  EXPECT_EQ(wait.tick(start + seconds(25)),
            (Steps{step::End{Ending::kFailed,
                             "the far end was not heard within 25 s (ready connected)"}}));
}

}  // namespace
