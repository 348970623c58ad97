// SPDX-License-Identifier: Apache-2.0
#include "ovpn/management.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ovpn {
namespace {

using testing::ElementsAre;

template <typename... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <typename... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

// A message in one line, so that tests read as talk.
std::string show(const ManagementMessage& message) {
  return std::visit(
      Overloaded{
          [](const ManagementHold& m) { return "hold " + std::to_string(m.wait_seconds); },
          [](const ManagementState& m) {
            return "state " + std::to_string(m.time) + " " + std::string(to_string(m.state)) + "|" +
                   m.detail + "|" + m.tunnel_ipv4 + "|" + m.remote_address + "|" + m.remote_port +
                   "|" + m.tunnel_ipv6;
          },
          [](const ManagementByteCount& m) {
            return "bytes " + std::to_string(m.in) + " " + std::to_string(m.out);
          },
          [](const ManagementLog& m) { return "log " + m.flags + "|" + m.text; },
          [](const ManagementPassword& m) { return "password " + m.text; },
          [](const ManagementFatal& m) { return "fatal " + m.text; },
          [](const ManagementNotice& m) { return "notice " + m.kind + "|" + m.text; },
          [](const ManagementSuccess& m) { return "success " + m.text; },
          [](const ManagementError& m) { return "error " + m.text; },
          [](const ManagementData& m) { return "data " + m.text; },
          [](const ManagementEnd&) { return std::string("end"); },
          [](const ManagementPasswordPrompt&) { return std::string("prompt"); },
      },
      message);
}

std::vector<std::string> drain(ManagementReader& reader) {
  std::vector<std::string> lines;
  while (const auto message = reader.next()) lines.push_back(show(*message));
  return lines;
}

std::vector<std::string> read(std::string_view text) {
  ManagementReader reader;
  reader.feed(text);
  return drain(reader);
}

// A talk with OpenVPN 2.6.14.
constexpr std::string_view kTalk =
    ">INFO:OpenVPN Management Interface Version 5 -- type 'help' for more info\r\n"
    ">HOLD:Waiting for hold release:10\r\n"
    "SUCCESS: hold release succeeded\r\n"
    ">LOG:1796073011,,MANAGEMENT: >STATE:1796073011,ASSIGN_IP,,,,,,\r\n"
    ">STATE:1796073011,ASSIGN_IP,,,,,,\r\n"
    ">BYTECOUNT:136,68\r\n"
    "1796073012,CONNECTED,SUCCESS,,127.0.0.1,3193,,\r\n"
    "END\r\n"
    "ERROR: unknown command, enter 'help' for more options\r\n";

TEST(ManagementReader, UnderstandsStock) {
  EXPECT_THAT(read(kTalk),
              ElementsAre("notice INFO|OpenVPN Management Interface Version 5 -- type 'help' for "
                          "more info",
                          "hold 10", "success hold release succeeded",
                          "log |MANAGEMENT: >STATE:1796073011,ASSIGN_IP,,,,,,",
                          "state 1796073011 ASSIGN_IP|||||", "bytes 136 68",
                          "data 1796073012,CONNECTED,SUCCESS,,127.0.0.1,3193,,", "end",
                          "error unknown command, enter 'help' for more options"));
}

TEST(ManagementReader, TakesBytesInAnyPieces) {
  ManagementReader reader;
  for (const char c : kTalk) reader.feed({&c, 1});
  EXPECT_EQ(drain(reader), read(kTalk));
}

TEST(ManagementReader, KnowsTheOtherNotices) {
  EXPECT_THAT(
      read(">PASSWORD:Need 'Auth' username/password\r\n>FATAL:no tun\r\n>REMOTE:h,1,udp\r\n"
           ">STATE:5,CONNECTED,SUCCESS,10.8.0.2,10.0.0.1,2011,10.0.0.2,2011,fd00::2\r\n"),
      ElementsAre("password Need 'Auth' username/password", "fatal no tun", "notice REMOTE|h,1,udp",
                  "state 5 CONNECTED|SUCCESS|10.8.0.2|10.0.0.1|2011|fd00::2"));
}

TEST(ManagementReader, MalformedNoticesStayNotices) {
  EXPECT_THAT(read(">STATE:x\n>STATE:5,DANCING\n>BYTECOUNT:1\n>LOG:1,x\n>\n>HOLD\n\n"),
              ElementsAre("notice STATE|x", "notice STATE|5,DANCING", "notice BYTECOUNT|1",
                          "notice LOG|1,x", "notice |", "hold 0"));
}

TEST(ManagementReader, SeesThePromptWithoutNewline) {
  EXPECT_THAT(read("ENTER PASSWORD:"), ElementsAre("prompt"));
  ManagementReader reader;
  reader.feed("ENTER PASS");
  EXPECT_THAT(drain(reader), ElementsAre());
  reader.feed("WORD:");
  reader.feed("SUCCESS: password is correct\r\n");
  EXPECT_THAT(drain(reader), ElementsAre("prompt", "success password is correct"));
}

TEST(ManagementReader, DropsEndlessLines) {
  ManagementReader reader;
  const std::string piece(1000, 'x');
  for (int i = 0; i < 100; ++i) reader.feed(piece);
  reader.feed("\nEND\n");
  EXPECT_THAT(drain(reader), ElementsAre("end"));
}

TEST(ManagementCommands, AreSpelledAsStockReadsThem) {
  EXPECT_EQ(management_bytecount(5), "bytecount 5\n");
  EXPECT_EQ(management_signal("SIGTERM"), "signal SIGTERM\n");
  EXPECT_EQ(management_hold_release(), "hold release\n");
  EXPECT_EQ(management_username("Auth", "joe"), "username \"Auth\" \"joe\"\n");
  EXPECT_EQ(management_password("Private Key", "a\"b\\c d"),
            "password \"Private Key\" \"a\\\"b\\\\c d\"\n");
  EXPECT_FALSE(management_password("Auth", "a\nsignal SIGTERM").has_value());
}

}  // namespace
}  // namespace ovpn
