// SPDX-License-Identifier: Apache-2.0
// Every format of the data channel: round trip, truncation, damage, replay, running out.
#include "fastpath/data/key_slot.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "fastpath/data/key_ring.h"
#include "tests/support/allocation_count.h"
#include "tests/support/data_keys.h"
#include "tests/support/peer_parts.h"

namespace {

using packet::DropReason;
using support::DataChannel;

constexpr base::TimePoint kNow{std::chrono::seconds(1000)};
const base::Bytes kPayload = support::ip_packet(60, 7);

struct End {
  End(const DataChannel& channel, bool client, data::KeySlotParts parts = {}) {
    parts.random = support::seeded_random(client ? 1 : 2);
    ring.emplace(data::KeyRingParts{.slot = parts});
    ring->install(support::data_keys(channel, client), true, kNow);
  }

  base::Bytes seal(const base::Bytes& payload, DropReason expected = DropReason::kNone) {
    packet::Packet& packet = slot(payload);
    ring->seal_packet(kNow, packet);
    EXPECT_EQ(packet.verdict, expected);
    return support::copy_of(packet);
  }
  DropReason open(const base::Bytes& datagram) {
    packet::Packet& packet = slot(datagram);
    ring->open_packet(kNow, packet);
    opened = support::copy_of(packet);
    return packet.verdict;
  }
  packet::Packet& slot(base::ByteSpan bytes) {
    batch.clear();
    packet::Packet& packet = *batch.append();
    support::fill(packet, bytes);
    return packet;
  }

  std::optional<data::KeyRing> ring;
  packet::PacketBatch batch{2048, 1};
  base::Bytes opened;
};

class EachChannel : public testing::TestWithParam<DataChannel> {
 protected:
  End client{GetParam(), true}, server{GetParam(), false};
};

TEST_P(EachChannel, RoundTripAtEveryLengthBothWays) {
  for (std::size_t size = 1; size < 300; ++size) {
    base::Bytes payload(size, static_cast<std::uint8_t>(size));
    ASSERT_EQ(server.open(client.seal(payload)), DropReason::kNone) << size;
    ASSERT_EQ(server.opened, payload);
    ASSERT_EQ(client.open(server.seal(payload)), DropReason::kNone) << size;
    ASSERT_EQ(client.opened, payload);
  }
}

TEST_P(EachChannel, CarriesItsHeaderAndNoMoreThanPromised) {
  const base::Bytes datagram = client.seal(kPayload);
  const std::optional<std::uint32_t> peer_id =
      GetParam().peer_id ? std::optional<std::uint32_t>(0x010203) : std::nullopt;
  EXPECT_EQ(wire::load_data_header(datagram), (wire::DataHeader{0, peer_id}));
  EXPECT_LE(datagram.size(),
            data::KeyRing::headroom_max() + data::KeyRing::tailroom_max() + kPayload.size());
}

TEST_P(EachChannel, TruncatedAtEveryLengthIsRefused) {
  if (!GetParam().authenticated()) return;
  const base::Bytes whole = client.seal(kPayload);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const base::Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const DropReason verdict = server.open(cut);
    EXPECT_TRUE(verdict == DropReason::kTooShort || verdict == DropReason::kAuthFailed) << size;
  }
  EXPECT_EQ(server.open(whole), DropReason::kNone);
}

TEST_P(EachChannel, ABitFlippedInAnyByteIsSeen) {
  if (!GetParam().authenticated()) return;
  const base::Bytes whole = client.seal(kPayload);
  // Neither an HMAC nor the tag of P_DATA_V1 covers the header; key id and opcode show otherwise.
  const bool header_covered = GetParam().format != crypto::DataFormat::kCbc;
  const std::size_t header = GetParam().peer_id ? 4 : 1;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      if (at > 0 && at < header && !header_covered) continue;
      base::Bytes damaged = whole;
      damaged[at] ^= static_cast<std::uint8_t>(1 << bit);
      ASSERT_NE(server.open(damaged), DropReason::kNone) << at << " " << bit;
    }
  }
  base::Bytes longer = whole;
  longer.push_back(0);
  EXPECT_EQ(server.open(longer), DropReason::kAuthFailed);
  EXPECT_EQ(server.open(whole), DropReason::kNone);
}

TEST_P(EachChannel, SecondComingAndWhatIsTooOldAreRefused) {
  const base::Bytes first = client.seal(kPayload);
  EXPECT_EQ(server.open(first), DropReason::kNone);
  EXPECT_EQ(server.open(first), DropReason::kReplayed);
  const base::Bytes late = client.seal(kPayload);
  const base::Bytes still_in_time = client.seal(kPayload);
  for (int i = 0; i < 63; ++i) EXPECT_EQ(server.open(client.seal(kPayload)), DropReason::kNone);
  EXPECT_EQ(server.open(late), DropReason::kReplayed);
  EXPECT_EQ(server.open(still_in_time), DropReason::kNone);
}

TEST_P(EachChannel, OwnPacketsComingBackDoNotOpen) {
  if (!GetParam().authenticated()) return;
  EXPECT_EQ(client.open(client.seal(kPayload)), DropReason::kAuthFailed);
}

TEST_P(EachChannel, AllocatesNothingPerPacket) {
  const auto talk = [&] {
    packet::Packet& packet = client.slot(kPayload);
    client.ring->seal_packet(kNow, packet);
    server.ring->open_packet(kNow, packet);
    return packet.verdict;
  };
  talk();
  const std::size_t before = support::allocations();
  for (int i = 0; i < 1000; ++i) {
    if (talk() != DropReason::kNone) break;
  }
  EXPECT_EQ(support::allocations(), before);
}

// Trains of several workers, each under its own contexts, begun and finished by one: what the one
// sealed every other opens, and nobody minds which.
TEST_P(EachChannel, AnyWorkerSealsAndAnyOpens) {
  constexpr std::size_t kWorkers = 3;
  std::optional<data::KeyRing> rings[2];
  for (const bool is_client : {false, true}) {
    data::KeyRingParts parts;
    parts.slot.random = support::seeded_random(is_client ? 1 : 2);
    parts.workers = kWorkers;
    rings[is_client].emplace(parts);
    rings[is_client]->install(support::data_keys(GetParam(), is_client), true, kNow);
  }
  data::KeyRing &server_ring = *rings[0], &client_ring = *rings[1];
  packet::PacketBatch slots{2048, kWorkers * kWorkers};
  std::vector<data::Sealing> sealings(kWorkers * kWorkers);
  std::vector<data::KeyHold> holds(sealings.size());
  const auto worker_of = [](std::size_t i) { return i % kWorkers; };
  for (std::size_t i = 0; i < sealings.size(); ++i) {
    sealings[i].packet = slots.append();
    support::fill(*sealings[i].packet, kPayload);
    client_ring.begin_sealing(kNow, {&sealings[i], 1}, holds[i]);
  }
  for (std::size_t i = sealings.size(); i-- > 0;) {
    data::KeyRing::seal_bytes(worker_of(i), {&sealings[i], 1});
  }
  std::set<base::Bytes> seen;
  for (std::size_t i = 0; i < sealings.size(); ++i) {
    client_ring.finish_sealing({&sealings[i], 1}, holds[i]);
    ASSERT_FALSE(sealings[i].packet->dropped());
    const base::Bytes datagram = support::copy_of(*sealings[i].packet);
    // The same bytes as by one worker alone, whose IVs and nonces follow from the number.
    EXPECT_EQ(datagram, client.seal(kPayload)) << i;
    seen.insert(datagram);
    data::Opening opening;
    data::KeyHold hold;
    opening.packet = sealings[i].packet;
    server_ring.begin_opening({&opening, 1}, hold);
    data::KeyRing::open_bytes(i / kWorkers, {&opening, 1});
    data::KeyRing::finish_opening({&opening, 1});
    ASSERT_FALSE(opening.packet->dropped()) << i;
    server_ring.accept(kNow, opening);
    EXPECT_EQ(opening.packet->verdict, DropReason::kNone);
    EXPECT_EQ(support::copy_of(*opening.packet), kPayload);
  }
  EXPECT_EQ(seen.size(), sealings.size());
}

TEST_P(EachChannel, PacketIdsRunOutLoudly) {
  if (GetParam().format == crypto::DataFormat::kEpoch) return;
  End end(GetParam(), true, {.packet_ids_used = data::kPacketIdsShort - 1});
  EXPECT_FALSE(end.ring->take_renegotiation_wish());
  end.seal(kPayload);
  EXPECT_TRUE(end.ring->take_renegotiation_wish());
  EXPECT_FALSE(end.ring->take_renegotiation_wish());
  End last(GetParam(), true, {.packet_ids_used = 0xFFFFFFFE});
  EXPECT_EQ(server.open(last.seal(kPayload)), DropReason::kNone);
  last.seal(kPayload, DropReason::kPacketIdExhausted);
  last.seal(kPayload, DropReason::kPacketIdExhausted);
}

TEST_P(EachChannel, ARoomTooSmallIsADropAndNoDisaster) {
  packet::PacketBatch tight(64, 1);
  packet::Packet& packet = *tight.append();
  packet.push_back(packet.tailroom());
  packet.push_front(packet.headroom() - 2);
  client.ring->seal_packet(kNow, packet);
  EXPECT_EQ(packet.verdict, DropReason::kTooLong);
}

INSTANTIATE_TEST_SUITE_P(All, EachChannel, testing::ValuesIn(support::all_data_channels()),
                         [](const auto& info) { return info.param.name; });

// Where nothing is authenticated the ids of a captured stream are all there is.
TEST(NoReplay, LeavesThePacketIdOutWithCbcOnly) {
  const DataChannel cbc{.format = crypto::DataFormat::kCbc, .cipher = "none", .auth = "none"};
  End bare(cbc, true, {.replay = {.on = false}}),
      bare_server(cbc, false, {.replay = {.on = false}});
  const base::Bytes datagram = bare.seal(kPayload);
  EXPECT_EQ(datagram.size(), 4 + kPayload.size());
  EXPECT_EQ(bare_server.open(datagram), DropReason::kNone);
  EXPECT_EQ(bare_server.open(datagram), DropReason::kNone);
  End gcm(DataChannel{}, true, {.replay = {.on = false}}),
      gcm_server(DataChannel{}, false, {.replay = {.on = false}});
  const base::Bytes sealed = gcm.seal(kPayload);
  EXPECT_EQ(gcm_server.open(sealed), DropReason::kNone);
  EXPECT_EQ(gcm_server.open(sealed), DropReason::kReplayed);
}

TEST(AeadUsage, WishesAtSevenEighthsOfTheLimitEitherWay) {
  // Two packets of 84 bytes on the wire count 2 * (6 + 1).
  End client(DataChannel{}, true, {.gcm_limit = 15}),
      server(DataChannel{}, false, {.gcm_limit = 15});
  EXPECT_EQ(server.open(client.seal(kPayload)), DropReason::kNone);
  EXPECT_FALSE(client.ring->take_renegotiation_wish());
  EXPECT_FALSE(server.ring->take_renegotiation_wish());
  EXPECT_EQ(server.open(client.seal(kPayload)), DropReason::kNone);
  EXPECT_TRUE(client.ring->take_renegotiation_wish());
  EXPECT_TRUE(server.ring->take_renegotiation_wish());
  // What wished for is late, not lost.
  EXPECT_EQ(server.open(client.seal(kPayload)), DropReason::kNone);

  End chacha(DataChannel{.cipher = "CHACHA20-POLY1305"}, true, {.gcm_limit = 15});
  for (int i = 0; i < 100; ++i) chacha.seal(kPayload);
  EXPECT_FALSE(chacha.ring->take_renegotiation_wish());
}

TEST(AeadUsage, CountsBlocksPacketsAndFailures) {
  data::AeadUsage usage(100);
  for (int i = 0; i < 33; ++i) usage.count(17);  // 3 each
  EXPECT_TRUE(usage.near());
  EXPECT_FALSE(usage.reached());
  usage.count(17);
  EXPECT_TRUE(usage.reached());
  EXPECT_FALSE(data::AeadUsage().near());
}

TEST(KeySlot, RefusesKeysThatDoNotFit) {
  crypto::Library library;
  const auto make = [&](const crypto::DataKeys& keys) {
    return data::make_key_slot(library, keys, {.random = support::seeded_random(1)}, kNow);
  };
  crypto::DataKeys keys = support::data_keys(DataChannel{}, true);
  EXPECT_NE(make(keys), nullptr);
  keys.send_hmac = {};
  EXPECT_THROW(make(keys), base::FatalError);
  keys =
      support::data_keys(DataChannel{.format = crypto::DataFormat::kEpoch, .peer_id = false}, true);
  EXPECT_THROW(make(keys), base::FatalError);
  keys = support::data_keys(DataChannel{.cipher = "AES-256-CTR"}, true);
  EXPECT_THROW(make(keys), base::FatalError);
  keys = support::data_keys(DataChannel{}, true);
  keys.receive_cipher = base::SecretBytes(64);
  EXPECT_THROW(make(keys), base::FatalError);
}

}  // namespace
