// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/occ.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "fastpath/wire/occ_type.h"

namespace {

using control::Occ;

constexpr base::TimePoint kStart{std::chrono::seconds(1000)};
constexpr const char* kMagic = "287f346bd4ef7a812d56b8d3afc5459c";

base::TimePoint at(int seconds) { return kStart + std::chrono::seconds(seconds); }

std::string next(Occ& occ, base::TimePoint now) {
  std::array<std::uint8_t, 600> out{};
  const std::size_t bytes = occ.next_message(now, out);
  EXPECT_LE(bytes, occ.message_bytes_max());
  return base::to_hex(base::ByteSpan(out).first(bytes));
}

base::Bytes message(std::string_view type_and_body) {
  return base::from_hex(kMagic + std::string(type_and_body)).value();
}

TEST(Occ, AsksWithTheFirstBreathAndAgainUpToEveryTenSeconds) {
  Occ occ(true, "V4,x");
  occ.restart(kStart);
  std::vector<int> asked;
  for (int second = 0; second <= 60; ++second) {
    EXPECT_LE(occ.next_timeout().value(), at(second + 10));
    if (const std::string told = next(occ, at(second)); !told.empty()) {
      EXPECT_EQ(told, std::string(kMagic) + "00");
      asked.push_back(second);
    }
    EXPECT_EQ(next(occ, at(second)), "");
  }
  EXPECT_EQ(asked, (std::vector{0, 1, 3, 7, 15, 25, 35, 45, 55}));
}

TEST(Occ, APeersOptionsEndTheAsking) {
  Occ occ(true, "V4,x");
  occ.restart(kStart);
  next(occ, kStart);
  occ.authenticated_packet_received(kStart);
  EXPECT_EQ(occ.handle_message(kStart, message("0156342c7900")), Occ::Heard::kReply);
  EXPECT_EQ(occ.next_timeout(), std::nullopt);
  EXPECT_EQ(next(occ, at(100)), "");
  occ.restart(at(200));
  EXPECT_EQ(next(occ, at(200)), std::string(kMagic) + "00");
}

// What was asked before the peer was there is lost, and the peer's ping is no answer.
TEST(Occ, APeerThatIsHeardIsAskedForItsOptionsAFewTimes) {
  for (const bool asked_before : {false, true}) {
    Occ occ(true, "V4,x");
    occ.restart(kStart);
    if (asked_before) next(occ, kStart);
    std::vector<int> asked;
    for (int second = 5; second <= 60; ++second) {
      occ.authenticated_packet_received(at(second));
      if (!next(occ, at(second)).empty()) asked.push_back(second);
    }
    EXPECT_EQ(asked, (std::vector{5, 6, 8, 12}));
    EXPECT_EQ(occ.next_timeout(), std::nullopt) << "there are peers that tell nothing";
  }
}

TEST(Occ, WhoAsksAgainLaterIsAskedAgain) {
  Occ occ(true, "V4,x");
  occ.restart(kStart);
  next(occ, kStart);
  occ.authenticated_packet_received(kStart);
  occ.handle_message(kStart, message("0156342c7900"));
  occ.handle_message(at(29), message("00"));
  EXPECT_EQ(next(occ, at(29)), std::string(kMagic) + "0156342c7800");
  EXPECT_EQ(next(occ, at(29)), "") << "two ends that ask each other would never stop";
  occ.handle_message(at(40), message("00"));
  EXPECT_EQ(next(occ, at(40)), std::string(kMagic) + "0156342c7800");
  EXPECT_EQ(next(occ, at(40)), std::string(kMagic) + "00");
  occ.handle_message(at(40), message("0156342c7a00"));
  EXPECT_EQ(occ.next_timeout(), std::nullopt);
  EXPECT_EQ(occ.peer_options(), "V4,z");
}

TEST(Occ, DisableOccAsksNothingButAnswers) {
  Occ occ(false, "V4,x");
  occ.restart(kStart);
  EXPECT_EQ(next(occ, at(100)), "");
  occ.handle_message(kStart, message("00"));
  EXPECT_EQ(next(occ, at(100)), std::string(kMagic) + "01" + "56342c78" + "00");
}

TEST(Occ, AnswersEveryRequestButNotTwiceInASecond) {
  Occ occ(false, "V4,x");
  occ.restart(kStart);
  const std::string reply = std::string(kMagic) + "0156342c7800";
  occ.handle_message(kStart, message("00"));
  occ.handle_message(kStart, message("00"));
  EXPECT_LE(occ.next_timeout().value(), kStart);
  EXPECT_EQ(next(occ, kStart), reply);
  EXPECT_EQ(next(occ, kStart), "");
  occ.handle_message(kStart, message("00"));
  EXPECT_EQ(next(occ, kStart + std::chrono::milliseconds(999)), "");
  EXPECT_EQ(occ.next_timeout(), at(1));
  EXPECT_EQ(next(occ, at(1)), reply);
  EXPECT_EQ(occ.next_timeout(), std::nullopt);
}

TEST(Occ, ReadsReplyAndExitAndNothingElse) {
  Occ occ(false, "V4,x");
  EXPECT_EQ(occ.handle_message(kStart, message("0156342c7900ff")), Occ::Heard::kReply);
  EXPECT_EQ(occ.peer_options(), "V4,y");
  EXPECT_EQ(occ.handle_message(kStart, message("0156342c79")), Occ::Heard::kReply);
  EXPECT_EQ(occ.peer_options(), "V4,y");
  EXPECT_EQ(occ.handle_message(kStart, message("06")), Occ::Heard::kExit);
  for (const char* other : {"020000", "0300", "04", "0505dc05dc", "07", "ff"}) {
    EXPECT_EQ(occ.handle_message(kStart, message(other)), Occ::Heard::kNothing) << other;
    EXPECT_EQ(next(occ, at(100)), "") << other;
  }
  EXPECT_EQ(occ.handle_message(kStart, message("")), Occ::Heard::kNothing);
}

TEST(Occ, WhatAPersonSeesOfAReplyIsPrintable) {
  Occ occ(true, "V4,x");
  occ.handle_message(kStart, message("011b5b324a41ff00"));
  EXPECT_EQ(occ.peer_options(), "\\x1b[2JA\\xff");
}

TEST(Occ, ExitGoesFirstAndAsOftenAsAsked) {
  Occ occ(true, "V4,x");
  occ.restart(kStart);
  occ.send_exit();
  EXPECT_LE(occ.next_timeout().value(), kStart);
  EXPECT_EQ(next(occ, kStart), std::string(kMagic) + "06");
  EXPECT_EQ(next(occ, kStart), std::string(kMagic) + "00");
}

TEST(Occ, AMessageThatDoesNotFitIsNotWritten) {
  Occ occ(true, "V4,x");
  occ.restart(kStart);
  std::array<std::uint8_t, 16> small{};
  EXPECT_EQ(occ.next_message(kStart, small), 0u);
}

}  // namespace
