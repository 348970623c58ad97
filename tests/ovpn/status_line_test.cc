// SPDX-License-Identifier: Apache-2.0
#include "ovpn/status_line.h"

#include <cstddef>

#include <gtest/gtest.h>

namespace ovpn {
namespace {

StatusLine full_line() {
  StatusLine status;
  status.state = ConnectionState::kConnected;
  status.peer = "10.0.0.1:2011";
  status.since = 4'500'000'000;  // past 2038 and past 32 bits
  status.rx_bytes = 18'446'744'073'709'551'615u;
  status.tx_bytes = 6789;
  status.drops = 2;
  status.auth_failed = 0;
  status.heard_seconds = 3;
  status.crypto = "OpenSSL-3.0.15";
  status.offload = "tso,gro";
  status.drop_reasons = {{"replayed", 1}, {"no-peer", 1}};
  status.note = "key, direction, cipher or auth differ - look";
  return status;
}

TEST(StatusLine, FormatsInOneFixedSpelling) {
  EXPECT_EQ(format_status_line(full_line()),
            "CONNECTED peer 10.0.0.1:2011 since 4500000000 rx 18446744073709551615 tx 6789 "
            "drops 2 auth-failed 0 heard 3 crypto OpenSSL-3.0.15 offload tso,gro drop.replayed 1 "
            "drop.no-peer 1 - key, direction, cipher or auth differ - look");
  EXPECT_EQ(format_status_line({}), "INITIAL");
}

TEST(StatusLine, RoundTrip) {
  EXPECT_EQ(parse_status_line(format_status_line(full_line())), full_line());
  EXPECT_EQ(parse_status_line("INITIAL"), StatusLine{});
}

TEST(StatusLine, SkipsUnknownKeysAndRefusesOthersText) {
  const auto status = parse_status_line("CONNECTED colour blue rx 5");
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->rx_bytes, 5u);
  EXPECT_FALSE(parse_status_line("").has_value());
  EXPECT_FALSE(parse_status_line("Initialization Sequence Completed").has_value());
  EXPECT_FALSE(parse_status_line("CONNECTED rx").has_value());
  EXPECT_FALSE(parse_status_line("CONNECTED rx -1").has_value());
  EXPECT_FALSE(parse_status_line("CONNECTED drop.replayed many").has_value());
}

TEST(StatusLine, NeverBreaksTheLine) {
  StatusLine status;
  status.note = "a\nREADY=1";
  EXPECT_EQ(format_status_line(status), "INITIAL - a READY=1");
}

TEST(StatusLine, TruncationNeverCrashes) {
  const std::string text = format_status_line(full_line());
  std::size_t read = 0;
  for (std::size_t length = 0; length < text.size(); ++length) {
    read += parse_status_line(text.substr(0, length)).has_value() ? 1 : 0;
  }
  EXPECT_GT(read, 0u);
}

TEST(ConnectionState, NamesAreOpenVpnsOwn) {
  EXPECT_EQ(to_string(ConnectionState::kInitial), "INITIAL");
  EXPECT_EQ(to_string(ConnectionState::kAssignIp), "ASSIGN_IP");
  EXPECT_EQ(to_string(ConnectionState::kExiting), "EXITING");
  for (int i = 0; i <= static_cast<int>(ConnectionState::kExiting); ++i) {
    const auto state = static_cast<ConnectionState>(i);
    EXPECT_EQ(parse_connection_state(to_string(state)), state);
  }
  EXPECT_FALSE(parse_connection_state("connected").has_value());
}

}  // namespace
}  // namespace ovpn
