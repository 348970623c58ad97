// SPDX-License-Identifier: Apache-2.0
// The guard's rules as talk: lines as OpenVPN 2.6.14 sends them, a clock that only the test moves.
#include "supervisor/launch/stock_watch.h"

#include <gtest/gtest.h>

namespace launch {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr base::UnixSeconds kWall = 1796072480;
constexpr const char* kStatistics =
    "OpenVPN STATISTICS\r\nUpdated,2026-11-30 21:01:21\r\nTUN/TAP read bytes,48\r\n"
    "TUN/TAP write bytes,52\r\nTCP/UDP read bytes,0\r\nTCP/UDP write bytes,100\r\n"
    "Auth read bytes,0\r\nEND\r\n";

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
  void pass(base::Duration time) {
    const base::TimePoint end = now + time;
    while (watch->next_timeout() && *watch->next_timeout() <= end) {
      now = std::max(now, *watch->next_timeout());
      watch->timeout(now);
      if (watch->gave_up()) return;
    }
    now = end;
  }
  std::string commands() { return watch->take_commands(); }
  std::string words() { return watch->take_words(); }

  base::TimePoint now{seconds(1000)};
  std::optional<StockWatch> watch;
  ovpn::ManagementReader reader;
};

TEST_F(StockWatchTest, ReadyOnceTheLoopAnswersBehindTheInterface) {
  begin();
  EXPECT_EQ(commands(), "state on\nstatus\nhold release\n");
  hears("SUCCESS: real-time state notification set to ON\r\n");
  hears(kStatistics);  // answers before the interface stands
  EXPECT_EQ(words(), "WATCHDOG=1\nSTATUS=INITIAL rx 52 tx 48\n");
  hears(">STATE:1796072480,ASSIGN_IP,,10.8.0.2,,,,\r\n");
  EXPECT_EQ(commands(), "status\n");
  EXPECT_EQ(words(), "STATUS=ASSIGN_IP since 1796072480 rx 52 tx 48\n");
  hears(kStatistics);
  EXPECT_EQ(words(), "WATCHDOG=1\nREADY=1\n");
}

TEST_F(StockWatchTest, ConnectedNamesThePeer) {
  begin();
  hears(">STATE:1796072480,ASSIGN_IP,,10.8.0.2,,,,\r\n" + std::string(kStatistics));
  words();
  hears(">STATE:1796072490,CONNECTED,SUCCESS,10.8.0.2,10.0.0.1,2011,,\r\n");
  EXPECT_EQ(words(), "STATUS=CONNECTED peer 10.0.0.1:2011 since 1796072480 rx 52 tx 48\n");
  hears(">STATE:1796072490,CONNECTED,ERROR,10.8.0.2,fd00::1,2011,,\r\n");
  EXPECT_EQ(words(), "STATUS=CONNECTED peer [fd00::1]:2011 since 1796072480 rx 52 tx 48 - ERROR\n");
}

TEST_F(StockWatchTest, NoAnswerNoWatchdog) {
  begin();
  hears(kStatistics);
  words();
  commands();
  pass(seconds(5));
  EXPECT_EQ(commands(), "status\n");
  pass(seconds(60));
  EXPECT_EQ(commands(), "");  // one question is enough
  EXPECT_EQ(words(), "");
  hears(kStatistics);
  EXPECT_EQ(words(), "WATCHDOG=1\nREADY=1\n");  // patience is over: who answers is started
}

TEST_F(StockWatchTest, ANameThatCannotBeResolvedDoesNotHoldUpTheBoot) {
  begin();
  hears(std::string(">STATE:1796072520,RESOLVE,,,,,,\r\n") +
        ">STATE:1796072520,RECONNECTING,Could not determine IPv4/IPv6 protocol,,,,,\r\n"
        ">HOLD:Waiting for hold release:1\r\n" +
        kStatistics);
  commands();
  pass(milliseconds(999));
  EXPECT_EQ(commands(), "");
  pass(milliseconds(1));
  EXPECT_EQ(commands(), "hold release\n");
  pass(seconds(5));
  words();
  hears(kStatistics);
  EXPECT_EQ(words(), "WATCHDOG=1\nREADY=1\n");
}

TEST_F(StockWatchTest, ALinkThatHasRunDryIsTriedAnew) {
  begin({.dry_after = seconds(130)});
  hears(">STATE:1796072480,ASSIGN_IP,,10.8.0.2,,,,\r\n" + std::string(kStatistics));
  hears(kStatistics);
  commands();
  pass(seconds(129));
  EXPECT_EQ(commands().find("SIGUSR1"), std::string::npos);
  pass(seconds(1));
  EXPECT_NE(commands().find("signal SIGUSR1\n"), std::string::npos);
  hears(
      "SUCCESS: signal SIGUSR1 thrown\r\n"
      ">STATE:1796072485,RECONNECTING,SIGUSR1,,,,,\r\n>HOLD:Waiting for hold release:1\r\n");
  words();
  pass(seconds(1));
  EXPECT_NE(commands().find("hold release\n"), std::string::npos);
  // With the interface kept stock says nothing more; it waits for the peer as before.
  hears(kStatistics);
  EXPECT_EQ(words(), "WATCHDOG=1\nSTATUS=ASSIGN_IP since 1796072480 rx 52 tx 48\n");
  hears(">STATE:1796072490,CONNECTED,SUCCESS,10.8.0.2,10.0.0.1,2011,,\r\n");
  commands();
  for (int minute = 0; minute < 60; ++minute) {
    pass(seconds(60));
    hears(kStatistics);
    EXPECT_EQ(commands().find("SIGUSR1"), std::string::npos);
  }
}

TEST_F(StockWatchTest, ReadyConnectedWaitsForThePeerAndGivesUp) {
  begin({.ready_connected = true, .ready_limit = seconds(20)});
  hears(">STATE:1796072480,ASSIGN_IP,,10.8.0.2,,,,\r\n" + std::string(kStatistics));
  pass(seconds(10));
  hears(kStatistics);
  EXPECT_EQ(words().find("READY"), std::string::npos);
  pass(seconds(10));
  EXPECT_TRUE(watch->gave_up());
  EXPECT_NE(watch->last_words(), "");
}

TEST_F(StockWatchTest, ReadyConnectedComesWithThePeer) {
  begin({.ready_connected = true, .ready_limit = seconds(20)});
  hears(">STATE:1796072490,CONNECTED,SUCCESS,10.8.0.2,10.0.0.1,2011,,\r\n");
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
