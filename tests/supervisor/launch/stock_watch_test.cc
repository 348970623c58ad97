// SPDX-License-Identifier: Apache-2.0
// The guard's rules as talk: lines as OpenVPN 2.6.14 sends them, a clock that only the test moves.
#include "supervisor/launch/stock_watch.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/text.h"

namespace launch {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr base::UnixSeconds kWall = 1796072480;
constexpr const char* kStatistics =
    "OpenVPN STATISTICS\r\nUpdated,2026-11-30 21:01:21\r\nTUN/TAP read bytes,48\r\n"
    "TUN/TAP write bytes,52\r\nTCP/UDP read bytes,0\r\nTCP/UDP write bytes,100\r\n"
    "Auth read bytes,0\r\nEND\r\n";

constexpr const char* kNoStatus =
    "ERROR: The 'status' command is not supported by the current daemon mode\r\n";

class StockWatchTest : public ::testing::Test {
 protected:
  void begin(StockWatchSettings settings = {}) {
    watch.emplace(settings, now);
    watch->connected(now);
    hears(
        ">INFO:OpenVPN Management Interface Version 5 -- type 'help' for more info\r\n"
        ">HOLD:Waiting for hold release:0\r\n");
  }
  void hears(const std::string& text) {
    reader.feed(text);
    while (const auto message = reader.next()) watch->message(now, kWall, *message);
    watch->timeout(now);
  }
  // Stock answers all commands so far, in their order; returns them. Held, it has no status yet.
  std::string answers(bool held = false) {
    const std::string commands = watch->take_commands();
    for (const auto line : base::split(commands, '\n')) {
      if (line.empty()) continue;
      if (line != "status") {
        hears("SUCCESS: " + std::string(line) + "\r\n");
      } else {
        hears(held ? kNoStatus : kStatistics);
      }
    }
    return commands;
  }
  void pass(base::Duration time) {
    const base::TimePoint end = now + time;
    while (watch->next_timeout() && *watch->next_timeout() <= end) {
      now = std::max(now, *watch->next_timeout());
      watch->timeout(now);
      if (watch->gave_up()) return;
    }
    now = end;
  }
  std::string words() { return watch->take_words(); }
  void assigns_address() { hears(">STATE:1796072480,ASSIGN_IP,,10.8.0.2,,,,\r\n"); }
  void connects() { hears(">STATE:1796072490,CONNECTED,SUCCESS,10.8.0.2,10.0.0.1,2011,,\r\n"); }

  base::TimePoint now{seconds(1000)};
  std::optional<StockWatch> watch;
  ovpn::ManagementReader reader;
};

TEST_F(StockWatchTest, ReadyOnceTheLoopAnswersBehindTheInterface) {
  begin();
  EXPECT_EQ(answers(true), "state on\nstatus\nhold release\n");
  EXPECT_EQ(words(), "WATCHDOG=1\nSTATUS=INITIAL\n");
  assigns_address();
  EXPECT_EQ(words(), "STATUS=ASSIGN_IP since 1796072480\n");
  EXPECT_EQ(answers(), "status\n");
  EXPECT_EQ(words(), "WATCHDOG=1\nREADY=1\nSTATUS=ASSIGN_IP since 1796072480 rx 52 tx 48\n");
}

TEST_F(StockWatchTest, AnAnswerToAnOlderQuestionDoesNotMakeItReady) {
  begin();
  assigns_address();  // the first question was asked before
  EXPECT_EQ(answers(), "state on\nstatus\nhold release\n");
  EXPECT_EQ(words().find("READY"), std::string::npos);
  pass(seconds(5));
  EXPECT_EQ(answers(), "status\n");
  EXPECT_NE(words().find("READY=1"), std::string::npos);
}

TEST_F(StockWatchTest, ConnectedNamesThePeer) {
  begin();
  answers();
  assigns_address();
  answers();
  words();
  connects();
  EXPECT_EQ(words(), "STATUS=CONNECTED peer 10.0.0.1:2011 since 1796072480 rx 52 tx 48\n");
  hears(">STATE:1796072490,CONNECTED,ERROR,10.8.0.2,fd00::1,2011,,\r\n");
  EXPECT_EQ(words(), "STATUS=CONNECTED peer [fd00::1]:2011 since 1796072480 rx 52 tx 48 - ERROR\n");
}

// systemd takes the first STATUS of a message: there may be only one.
TEST_F(StockWatchTest, WhatIsHeardInOneGoIsOneStatusTheNewest) {
  begin({.ready_connected = true});
  answers();
  assigns_address();
  hears(kStatistics);
  connects();
  const std::string said = words();
  EXPECT_NE(said.find("READY=1\n"), std::string::npos) << said;
  EXPECT_NE(said.find("\nSTATUS=CONNECTED peer 10.0.0.1:2011 "), std::string::npos) << said;
  EXPECT_EQ(said.find("STATUS="), said.rfind("STATUS=")) << said;
}

TEST_F(StockWatchTest, NoAnswerNoWatchdog) {
  begin();
  answers();
  words();
  pass(seconds(5));
  EXPECT_EQ(watch->take_commands(), "status\n");
  pass(seconds(60));
  EXPECT_EQ(watch->take_commands(), "");  // one question is enough
  EXPECT_EQ(words(), "");
  hears(kStatistics);
  EXPECT_EQ(words(), "WATCHDOG=1\nREADY=1\n");  // patience is over: who answers is started
}

TEST_F(StockWatchTest, ANameThatCannotBeResolvedDoesNotHoldUpTheBoot) {
  begin();
  answers(true);
  hears(
      ">STATE:1796072520,RESOLVE,,,,,,\r\n"
      ">STATE:1796072520,RECONNECTING,Could not determine IPv4/IPv6 protocol,,,,,\r\n"
      ">HOLD:Waiting for hold release:1\r\n");
  EXPECT_EQ(answers(true), "");
  pass(milliseconds(999));
  EXPECT_EQ(answers(true), "");
  pass(milliseconds(1));
  EXPECT_EQ(answers(true), "hold release\n");
  words();
  pass(seconds(5));
  answers();
  EXPECT_NE(words().find("WATCHDOG=1\nREADY=1\n"), std::string::npos);
}

TEST_F(StockWatchTest, ALinkThatHasRunDryIsTriedAnew) {
  begin({.dry_after = seconds(130)});
  answers(true);
  assigns_address();
  answers();
  pass(seconds(129));
  EXPECT_EQ(answers().find("SIGUSR1"), std::string::npos);
  pass(seconds(1));
  EXPECT_NE(answers().find("signal SIGUSR1\n"), std::string::npos);
  hears(">STATE:1796072485,RECONNECTING,SIGUSR1,,,,,\r\n>HOLD:Waiting for hold release:1\r\n");
  words();
  pass(seconds(1));
  EXPECT_NE(answers().find("hold release\n"), std::string::npos);
  // With the interface kept stock says nothing more; it waits for the peer as before.
  pass(seconds(5));
  answers();
  EXPECT_NE(words().find("STATUS=ASSIGN_IP"), std::string::npos);
  connects();
  for (int minute = 0; minute < 60; ++minute) {
    pass(seconds(60));
    EXPECT_EQ(answers().find("SIGUSR1"), std::string::npos);
  }
}

TEST_F(StockWatchTest, ReadyConnectedWaitsForThePeerAndGivesUp) {
  begin({.ready_connected = true, .ready_limit = seconds(20)});
  answers(true);
  assigns_address();
  answers();
  pass(seconds(10));
  answers();
  EXPECT_EQ(words().find("READY"), std::string::npos);
  pass(seconds(10));
  EXPECT_TRUE(watch->gave_up());
  EXPECT_NE(watch->last_words(), "");
  words();
  connects();
  EXPECT_EQ(words(), "");  // too late: READY would be taken back by the exit
  EXPECT_GT(*watch->next_timeout(), now) << "or the guard would spin until stock has ended";
}

TEST_F(StockWatchTest, ReadyConnectedComesWithThePeer) {
  begin({.ready_connected = true, .ready_limit = seconds(20)});
  answers(true);
  connects();
  EXPECT_NE(words().find("READY=1"), std::string::npos);
  pass(seconds(60));
  EXPECT_FALSE(watch->gave_up());
}

TEST_F(StockWatchTest, LastWordsAreKept) {
  begin();
  hears(">FATAL:Cipher BF-CBC not supported\r\n");
  EXPECT_EQ(watch->last_words(), "Cipher BF-CBC not supported");
}

TEST(IsPermanent, TellsWhatARestartCannotMend) {
  for (const char* words :
       {"Cipher BF-CBC not supported", "Cannot open TUN/TAP dev /dev/net/tun (errno=2)",
        "Cannot pre-load keyfile (static.key)",
        "Insufficient key material or header text not found in file 'k' (0/128/256 bytes "
        "found/min/max)"}) {
    EXPECT_TRUE(is_permanent(words)) << words;
  }
  for (const char* words : {"TCP/UDP: Socket bind failed on local address [AF_INET][undef]:2011: "
                            "Address already in use (errno=98)",
                            "Inactivity timeout (--ping-exit), exiting", ""}) {
    EXPECT_FALSE(is_permanent(words)) << words;
  }
}

}  // namespace
}  // namespace launch
