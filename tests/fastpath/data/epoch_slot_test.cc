// SPDX-License-Identifier: Apache-2.0
// How the keys of the epoch format move, and that a forged packet moves nothing.
#include "fastpath/data/epoch_slot.h"

#include <gtest/gtest.h>

#include "tests/support/data_keys.h"
#include "tests/support/peer_parts.h"

namespace {

using data::EpochSlot;
using data::ReplayVerdict;
using packet::DropReason;

constexpr base::TimePoint kNow{std::chrono::seconds(1000)};
const support::DataChannel kChannel{.format = crypto::DataFormat::kEpoch};
const base::Bytes kPayload = support::ip_packet(60, 7);

std::uint64_t number(std::uint64_t epoch, std::uint64_t count) { return epoch << 48 | count; }

struct End {
  explicit End(bool client, std::uint64_t limit = data::AeadUsage::kGcmLimit,
               std::uint16_t first_epoch = 1)
      : slot(library, support::data_keys(kChannel, client),
             {.gcm_limit = limit, .first_epoch = first_epoch}, kNow) {}

  base::Bytes seal(std::uint64_t with) {
    packet::Packet& packet = fill(kPayload);
    slot.seal_with(with, packet);
    EXPECT_FALSE(packet.dropped());
    return support::copy_of(packet);
  }
  base::Bytes seal() { return seal(slot.next_number().value()); }
  DropReason open(const base::Bytes& datagram) {
    packet::Packet& packet = fill(datagram);
    const auto opened = slot.decrypt(wire::load_data_header(datagram).value(), packet);
    if (opened && slot.accept(*opened, kNow) != ReplayVerdict::kAccept)
      return DropReason::kReplayed;
    return packet.verdict;
  }
  packet::Packet& fill(base::ByteSpan bytes) {
    batch.clear();
    packet::Packet& packet = *batch.append();
    support::fill(packet, bytes);
    return packet;
  }

  crypto::Library library;
  EpochSlot slot;
  packet::PacketBatch batch{2048, 1};
};

TEST(EpochSlot, TheNextEpochBeginsAtTheLimit) {
  End client(true, 15), server(false, 15);  // two packets a key
  std::vector<std::uint64_t> numbers;
  for (int i = 0; i < 7; ++i) {
    numbers.push_back(client.slot.next_number().value());
    EXPECT_EQ(server.open(client.seal(numbers.back())), DropReason::kNone) << i;
  }
  EXPECT_EQ(numbers,
            (std::vector<std::uint64_t>{number(1, 1), number(1, 2), number(1, 3), number(2, 1),
                                        number(2, 2), number(2, 3), number(3, 1)}));
  EXPECT_EQ(server.slot.receive_epoch(), 3u);
}

TEST(EpochSlot, ThePeerFollowsWhoIsAhead) {
  End client(true, 15), server(false);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(server.open(client.seal()), DropReason::kNone);
  EXPECT_EQ(server.slot.send_epoch(), 2u);
  EXPECT_EQ(server.slot.next_number(), number(2, 1));
}

// Only one end sends: it is told by the other's epoch that its key is worn.
TEST(EpochSlot, AWornReceivingKeyIsShownByGoingAhead) {
  End client(true), server(false, 15);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(server.open(client.seal()), DropReason::kNone);
  EXPECT_EQ(server.slot.send_epoch(), 2u);
  EXPECT_EQ(client.open(server.seal()), DropReason::kNone);
  EXPECT_EQ(client.slot.next_number(), number(2, 1));
}

TEST(EpochSlot, NumbersMayBeTakenBeforeAnythingIsSealed) {
  End client(true, 15), server(false);
  client.seal();
  client.seal();
  client.seal();
  const std::uint64_t a = client.slot.next_number().value();
  const std::uint64_t b = client.slot.next_number().value();
  EXPECT_EQ(a, number(2, 1));
  EXPECT_EQ(b, number(2, 2));
  EXPECT_EQ(server.open(client.seal(a)), DropReason::kNone);
  EXPECT_EQ(server.open(client.seal(b)), DropReason::kNone);
}

TEST(EpochSlot, KeepsTheOneBeforeAndFourToCome) {
  End client(true), server(false);
  const base::Bytes one = client.seal(number(1, 1)), one_late = client.seal(number(1, 2));
  const base::Bytes two = client.seal(number(2, 1)), two_late = client.seal(number(2, 2));
  const base::Bytes five = client.seal(number(5, 1)), nine = client.seal(number(9, 1));
  const base::Bytes fourteen = client.seal(number(14, 1));
  EXPECT_EQ(server.open(one), DropReason::kNone);
  EXPECT_EQ(server.open(five), DropReason::kNone);
  EXPECT_EQ(server.open(one_late), DropReason::kNone);  // retiring
  EXPECT_EQ(server.open(one_late), DropReason::kReplayed);
  EXPECT_EQ(server.open(two), DropReason::kNoKey);  // skipped
  EXPECT_EQ(server.open(fourteen), DropReason::kNoKey);
  EXPECT_EQ(server.open(nine), DropReason::kNone);
  EXPECT_EQ(server.open(five), DropReason::kReplayed);
  EXPECT_EQ(server.open(one_late), DropReason::kNoKey);
  EXPECT_EQ(server.open(two_late), DropReason::kNoKey);
  EXPECT_EQ(server.slot.receive_epoch(), 9u);
  EXPECT_EQ(server.slot.send_epoch(), 9u);
}

TEST(EpochSlot, AForgedOrNumberlessPacketMovesNothing) {
  End client(true), server(false);
  base::Bytes forged = client.seal(number(3, 1));
  forged.back() ^= 1;
  EXPECT_EQ(server.open(forged), DropReason::kAuthFailed);
  EXPECT_EQ(server.open(client.seal(number(4, 0))), DropReason::kReplayed);
  EXPECT_EQ(server.slot.receive_epoch(), 1u);
  EXPECT_EQ(server.slot.send_epoch(), 1u);
}

TEST(EpochSlot, EpochZeroIsNone) {
  End server(false);
  base::Bytes packet(60, 0);
  packet[0] = 0x48;
  EXPECT_EQ(server.open(packet), DropReason::kNoKey);
}

TEST(EpochSlot, NeverComesAsPDataV1) {
  End client(true), server(false);
  base::Bytes packet = client.seal();
  packet[0] = wire::first_byte(wire::Opcode::kDataV1, 0);
  EXPECT_EQ(server.open(packet), DropReason::kAuthFailed);
}

TEST(EpochSlot, ALateEpochAsksForARenegotiation) {
  End client(true, 15, EpochSlot::kEpochsShort - 1), server(false, 15, EpochSlot::kEpochsShort - 1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(server.open(client.seal()), DropReason::kNone);
  EXPECT_FALSE(client.slot.wants_renegotiation());
  EXPECT_EQ(server.open(client.seal()), DropReason::kNone);
  EXPECT_TRUE(client.slot.wants_renegotiation());
  EXPECT_TRUE(server.slot.wants_renegotiation());
}

TEST(EpochSlot, EndsBeforeTheLastEpoch) {
  End client(true, 15, EpochSlot::kEpochMax);
  for (int i = 0; i < 3; ++i) client.seal();
  EXPECT_EQ(client.slot.next_number(), std::nullopt);
  // A receiver knows no key it would have no successors for.
  End last(false, 15, EpochSlot::kEpochMax - EpochSlot::kFutureKeys - 1);
  End ahead(true, 15, EpochSlot::kEpochMax - EpochSlot::kFutureKeys);
  EXPECT_EQ(last.open(ahead.seal()), DropReason::kNoKey);
}

}  // namespace
