// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/fragment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/peer_parts.h"
#include "tests/support/vectors.h"

namespace {

using data::FragmentAssembler;
using data::FragmentSender;
using Outcome = FragmentAssembler::Outcome;

base::TimePoint at(int seconds) { return base::TimePoint(std::chrono::seconds(1000 + seconds)); }

base::Bytes counting(std::size_t size, std::uint8_t first = 0) {
  base::Bytes bytes(size);
  for (std::uint8_t& byte : bytes) byte = first++;
  return bytes;
}

base::Bytes piece(const wire::FragmentHeader& header, base::ByteSpan bytes) {
  base::Bytes piece(4);
  base::store_be32(piece.data(), encode(header));
  piece.insert(piece.end(), bytes.begin(), bytes.end());
  return piece;
}

struct Fragments : testing::Test {
  std::vector<base::Bytes> pieces_of(const base::Bytes& payload, std::size_t piece_max) {
    std::vector<base::Bytes> pieces;
    const auto cut = data::cut_payload(payload.size(), piece_max);
    if (!cut) return pieces;
    sender.begin(payload, *cut);
    while (sender.more()) {
      batch.clear();
      packet::Packet& packet = *batch.append();
      sender.next(packet);
      pieces.push_back(support::copy_of(packet));
    }
    return pieces;
  }
  Outcome take(const base::Bytes& bytes, int now = 0) {
    batch.clear();
    packet::Packet& packet = *batch.append();
    support::fill(packet, bytes);
    const Outcome outcome = assembler.take(at(now), packet);
    whole = support::copy_of(packet);
    return outcome;
  }

  packet::PacketBatch batch{2048, 1};
  FragmentSender sender{250};
  FragmentAssembler assembler{1602};
  base::Bytes whole;
};

TEST_F(Fragments, CapturedPiecesMakeTheCapturedPacketAndAreMadeFromIt) {
  std::size_t whole_ones = 0;
  std::vector<base::Bytes> captured;
  for (const support::StaticVector& vector :
       support::load_static_vectors("static_aes256_sha256_fragment.json")) {
    SCOPED_TRACE(vector.name);
    if (vector.kind != "fragment") {
      EXPECT_EQ(take(vector.payload), Outcome::kWhole);
      EXPECT_EQ(whole, vector.plain);
      continue;
    }
    captured.push_back(vector.payload);
    if (captured.size() % 3 != 0) {
      EXPECT_EQ(take(vector.payload), Outcome::kKept);
      continue;
    }
    ASSERT_EQ(take(vector.payload), Outcome::kWhole);
    EXPECT_EQ(whole.size(), 1228u);
    EXPECT_EQ(whole[0], 0x45);
    EXPECT_EQ(base::load_be16(&whole[2]), whole.size());
    // `fragment 500` leaves 435 bytes for a piece with this cipher and digest.
    const std::uint8_t sequence =
        wire::decode_fragment_header(base::load_be32(captured.back().data())).sequence;
    sender = FragmentSender(static_cast<std::uint8_t>(sequence - 1));
    EXPECT_EQ(pieces_of(base::Bytes(whole), 435), captured);
    captured.clear();
    ++whole_ones;
  }
  EXPECT_EQ(whole_ones, 4u);
}

TEST_F(Fragments, EveryLengthComesBackWhole) {
  for (std::size_t size = 1; size <= 1602; ++size) {
    const base::Bytes payload = counting(size, static_cast<std::uint8_t>(size));
    for (const std::size_t piece_max : {64u, 67u, 435u, 1203u}) {
      const auto pieces = pieces_of(payload, piece_max);
      ASSERT_FALSE(pieces.empty());
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        ASSERT_LE(pieces[i].size(), piece_max + 4);
        ASSERT_EQ(take(pieces[i]), i + 1 == pieces.size() ? Outcome::kWhole : Outcome::kKept);
      }
      ASSERT_EQ(whole, payload) << size << " " << piece_max;
    }
  }
  EXPECT_EQ(assembler.take_incomplete(), 0u);
}

TEST_F(Fragments, InAnyOrder) {
  const base::Bytes payload = counting(1500);
  auto pieces = pieces_of(payload, 200);
  ASSERT_EQ(pieces.size(), 8u);
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    std::shuffle(pieces.begin(), pieces.end(), random);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      ASSERT_EQ(take(pieces[i]), i + 1 == pieces.size() ? Outcome::kWhole : Outcome::kKept);
    }
    ASSERT_EQ(whole, payload);
  }
}

TEST_F(Fragments, SmallRestsAreEvenedOut) {
  EXPECT_EQ(data::cut_payload(435, 435)->count, 1u);
  EXPECT_EQ(data::cut_payload(1228, 435)->size, 432u);  // the rest is more than three quarters
  // 432 + 1 would be a large piece and a tiny one.
  EXPECT_EQ(data::cut_payload(433, 432)->size, 220u);
  EXPECT_EQ(data::cut_payload(64 * 32, 64)->count, 32u);
  EXPECT_EQ(data::cut_payload(64 * 32 + 1, 64), std::nullopt);
}

TEST_F(Fragments, AHeaderThatMakesNoSenseIsRefused) {
  using Kind = wire::FragmentKind;
  const base::Bytes bytes = counting(64);
  EXPECT_EQ(take({}), Outcome::kBad);
  EXPECT_EQ(take({0, 0, 0}), Outcome::kBad);
  EXPECT_EQ(take(piece({Kind::kWhole, 1, 0, 0}, bytes)), Outcome::kBad);
  EXPECT_EQ(take(piece({Kind::kWhole, 0, 1, 0}, bytes)), Outcome::kBad);
  EXPECT_EQ(take(piece({Kind::kTest, 0, 0, 0}, bytes)), Outcome::kBad);
  EXPECT_EQ(take(piece({Kind::kMore, 1, 0, 0}, {})), Outcome::kBad);
  EXPECT_EQ(take(piece({Kind::kMore, 1, 0, 0}, counting(63))), Outcome::kBad);
  EXPECT_EQ(take(piece({Kind::kLast, 1, 1, 0}, bytes)), Outcome::kBad);
  EXPECT_EQ(take(piece({Kind::kLast, 1, 1, 60}, bytes)), Outcome::kBad);  // longer than a piece
  EXPECT_EQ(take(piece({Kind::kMore, 1, 31, 0}, bytes)), Outcome::kBad);  // beyond the largest
  EXPECT_EQ(take(piece({Kind::kLast, 1, 3, 65532}, bytes)), Outcome::kBad);
  EXPECT_EQ(take(piece({Kind::kWhole, 0, 0, 0}, bytes)), Outcome::kWhole);
  EXPECT_EQ(assembler.take_incomplete(), 0u);
}

TEST_F(Fragments, APieceTwiceIsOnePiece) {
  const auto pieces = pieces_of(counting(600), 400);
  EXPECT_EQ(take(pieces[0]), Outcome::kKept);
  EXPECT_EQ(take(pieces[0]), Outcome::kKept);
  EXPECT_EQ(take(pieces[1]), Outcome::kWhole);
  EXPECT_EQ(whole, counting(600));
}

TEST_F(Fragments, AnotherPieceSizeStartsOver) {
  using Kind = wire::FragmentKind;
  EXPECT_EQ(take(piece({Kind::kMore, 9, 0, 0}, counting(64))), Outcome::kKept);
  EXPECT_EQ(take(piece({Kind::kMore, 9, 0, 0}, counting(32))), Outcome::kKept);
  EXPECT_EQ(take(piece({Kind::kLast, 9, 1, 32}, counting(5, 32))), Outcome::kWhole);
  EXPECT_EQ(whole, counting(37));
  EXPECT_EQ(assembler.take_incomplete(), 1u);
}

TEST_F(Fragments, WhatFallsBehindIsGivenUpAndTheWindowStaysTight) {
  std::vector<std::vector<base::Bytes>> payloads;
  for (std::uint8_t i = 0; i < 60; ++i) payloads.push_back(pieces_of(counting(600, i), 400));
  for (int i = 0; i < 25; ++i) EXPECT_EQ(take(payloads[i][0]), Outcome::kKept);
  EXPECT_EQ(take(payloads[0][1]), Outcome::kWhole);
  EXPECT_EQ(take(payloads[25][0]), Outcome::kKept);
  EXPECT_EQ(take(payloads[26][0]), Outcome::kKept);  // pushes out the second
  EXPECT_EQ(assembler.take_incomplete(), 1u);
  EXPECT_EQ(take(payloads[2][1]), Outcome::kWhole);
  // A jump: nothing of the old ones is worth keeping.
  EXPECT_EQ(take(payloads[59][1]), Outcome::kKept);
  EXPECT_EQ(assembler.take_incomplete(), 24u);
  EXPECT_EQ(take(payloads[59][0]), Outcome::kWhole);
}

TEST_F(Fragments, WhatIsNotWholeInTimeIsGivenUp) {
  const auto pieces = pieces_of(counting(600), 400);
  EXPECT_EQ(take(pieces[0], 0), Outcome::kKept);
  EXPECT_EQ(take(pieces[1], 10), Outcome::kKept);
  EXPECT_EQ(assembler.take_incomplete(), 1u);
  EXPECT_EQ(take(pieces[0], 19), Outcome::kWhole);
}

TEST_F(Fragments, AnyBytesAreRefusedOrKeptAndNeverGrowBeyondTheLimit) {
  std::mt19937 random(11);
  for (int i = 0; i < 200000; ++i) {
    base::Bytes bytes(random() % 200);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    if (bytes.size() > 3 && i % 2 == 0) base::store_be32(bytes.data(), random() & 0x1fffff);
    if (take(bytes, i / 1000) == Outcome::kWhole) {
      ASSERT_LE(whole.size(), 1602u);
    }
  }
}

}  // namespace
