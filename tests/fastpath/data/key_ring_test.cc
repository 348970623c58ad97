// SPDX-License-Identifier: Apache-2.0
// Which key packets are sealed under, which open, and for how long.
#include "fastpath/data/key_ring.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/support/cipher_choices.h"
#include "tests/support/data_keys.h"
#include "tests/support/peer_parts.h"

namespace {

using packet::DropReason;
using support::DataChannel;

const base::Bytes kPayload = support::ip_packet(60, 7);

base::TimePoint at(int seconds) { return base::TimePoint(std::chrono::seconds(1000 + seconds)); }

struct End {
  explicit End(bool is_client, std::uint32_t ids_used = 0) : client(is_client) {
    data::KeyRingParts parts;
    parts.slot.random = support::seeded_random(1);
    parts.slot.packet_ids_used = ids_used;
    ring.emplace(parts);
  }

  void install(std::uint8_t key_id, bool first, int now) {
    // Every key of its own: an id that comes again has other bytes.
    const auto seed = static_cast<std::uint8_t>(10 + key_id + 8 * session);
    ring->install(support::data_keys(DataChannel{}, client, key_id, seed), first, at(now));
  }
  base::Bytes seal(int now) {
    packet::Packet& packet = fill(kPayload);
    ring->seal_packet(at(now), packet);
    verdict = packet.verdict;
    return support::copy_of(packet);
  }
  int sealed_under(int now) {
    const base::Bytes datagram = seal(now);
    return verdict == DropReason::kNone ? wire::key_id_of(datagram[0]) : -1;
  }
  DropReason open(const base::Bytes& datagram, int now) {
    packet::Packet& packet = fill(datagram);
    ring->open_packet(at(now), packet);
    return packet.verdict;
  }
  packet::Packet& fill(base::ByteSpan bytes) {
    batch.clear();
    packet::Packet& packet = *batch.append();
    support::fill(packet, bytes);
    return packet;
  }

  const bool client;
  int session = 0;
  std::optional<data::KeyRing> ring;
  packet::PacketBatch batch{2048, 1};
  DropReason verdict = DropReason::kNone;
};

struct KeyRing : testing::Test {
  End here{true}, there{false};
};

TEST_F(KeyRing, WithoutKeysEverythingIsDropped) {
  EXPECT_TRUE(here.ring->empty());
  EXPECT_EQ(here.sealed_under(0), -1);
  EXPECT_EQ(here.verdict, DropReason::kNoKey);
  there.install(0, true, 0);
  EXPECT_EQ(here.open(there.seal(0), 0), DropReason::kNoKey);
  EXPECT_EQ(here.open({}, 0), DropReason::kTooShort);
  EXPECT_EQ(here.open({0x48, 0}, 0), DropReason::kTooShort);
  EXPECT_FALSE(here.ring->take_renegotiation_wish());
}

TEST_F(KeyRing, TheFirstKeyServesAtOnce) {
  here.install(0, true, 0);
  EXPECT_EQ(here.sealed_under(0), 0);
}

TEST_F(KeyRing, TheOldKeyIsSealedUnderUntilTheNewOneIsCertain) {
  here.install(0, true, 0);
  here.install(1, false, 3600);
  EXPECT_EQ(here.sealed_under(3600), 0);
  EXPECT_EQ(here.sealed_under(3659), 0);
  EXPECT_EQ(here.sealed_under(3660), 1);
}

TEST_F(KeyRing, ThePeerUsingTheNewKeyMakesItCertain) {
  here.install(0, true, 0);
  there.install(0, true, 0);
  here.install(1, false, 3600);
  there.install(1, false, 3500);
  EXPECT_EQ(here.sealed_under(3600), 0);
  base::Bytes forged = there.seal(3600);
  ASSERT_EQ(wire::key_id_of(forged[0]), 1);
  forged.back() ^= 1;
  EXPECT_EQ(here.open(forged, 3600), DropReason::kAuthFailed);
  EXPECT_EQ(here.sealed_under(3600), 0);
  EXPECT_EQ(here.open(there.seal(3600), 3600), DropReason::kNone);
  EXPECT_EQ(here.sealed_under(3600), 1);
}

TEST_F(KeyRing, OfTwoYoungKeysTheOneThatWasHeardElseTheNewest) {
  here.install(0, true, 0);
  here.install(1, false, 5);
  EXPECT_EQ(here.sealed_under(6), 1);
  there.install(0, true, 0);
  EXPECT_EQ(here.open(there.seal(6), 6), DropReason::kNone);
  EXPECT_EQ(here.sealed_under(6), 0);
  EXPECT_EQ(here.sealed_under(65), 1);
}

TEST_F(KeyRing, BothOpenUntilOneRetires) {
  for (End* end : {&here, &there}) end->install(0, true, 0);
  const base::Bytes early = there.seal(1), late = there.seal(2);
  for (End* end : {&here, &there}) end->install(1, false, 100);
  EXPECT_EQ(here.open(early, 200), DropReason::kNone);
  EXPECT_EQ(here.open(there.seal(200), 200), DropReason::kNone);
  here.ring->retire(0);
  EXPECT_EQ(here.open(late, 201), DropReason::kNoKey);
  here.ring->retire(5);
  EXPECT_EQ(here.open(there.seal(201), 201), DropReason::kNone);
}

TEST_F(KeyRing, AThirdKeyForgetsTheFirst) {
  for (End* end : {&here, &there}) end->install(0, true, 0);
  const base::Bytes late = there.seal(1);
  for (const std::uint8_t key_id : {1, 2}) here.install(key_id, false, key_id);
  EXPECT_EQ(here.open(late, 3), DropReason::kNoKey);
}

TEST_F(KeyRing, ANewSessionVoidsAll) {
  for (End* end : {&here, &there}) end->install(0, true, 0);
  const base::Bytes late = there.seal(1);
  here.install(1, false, 1);
  here.session = 1;
  here.install(0, true, 2);
  EXPECT_EQ(here.sealed_under(2), 0);
  EXPECT_EQ(here.open(late, 2), DropReason::kAuthFailed);
  here.ring->clear();
  EXPECT_EQ(here.sealed_under(2), -1);
}

TEST_F(KeyRing, AnIdThatComesAgainIsAnotherKey) {
  for (End* end : {&here, &there}) end->install(1, true, 0);
  EXPECT_EQ(here.open(there.seal(1), 1), DropReason::kNone);
  for (End* end : {&here, &there}) {
    end->session = 1;
    end->install(1, false, 100);
  }
  EXPECT_EQ(here.open(there.seal(100), 100), DropReason::kNone);
}

TEST_F(KeyRing, AKeyWithoutIdsIsPassedOver) {
  End worn(true, 0xFFFFFFFE);
  worn.install(0, true, 0);
  EXPECT_EQ(worn.sealed_under(1000), 0);
  EXPECT_EQ(worn.sealed_under(1000), -1);
  EXPECT_EQ(worn.verdict, DropReason::kPacketIdExhausted);
  worn.install(1, false, 2000);
  EXPECT_EQ(worn.sealed_under(2000), 1);
}

TEST_F(KeyRing, AKeyThatCannotBeHadChangesNothing) {
  here.install(0, true, 0);
  EXPECT_THROW(
      here.ring->install(support::data_keys(DataChannel{.cipher = "NO-SUCH"}, true), true, at(1)),
      base::FatalError);
  EXPECT_EQ(here.sealed_under(1), 0);
}

TEST_F(KeyRing, CountsWhatWentUnderTheNewestKey) {
  for (End* end : {&here, &there}) end->install(0, true, 0);
  const base::Bytes sent = here.seal(1);
  EXPECT_EQ(here.open(there.seal(1), 1), DropReason::kNone);
  EXPECT_EQ(here.ring->bytes_under_key(), 2 * sent.size());
  EXPECT_EQ(here.ring->packets_under_key(), 2u);
  here.install(1, false, 2);
  EXPECT_EQ(here.ring->bytes_under_key(), 0u);
  here.seal(3);  // still under the old one
  EXPECT_EQ(here.ring->packets_under_key(), 0u);
}

// Several packets in hand at once.
struct Train {
  Train(const DataChannel& over, bool is_client, const crypto::CipherChoice& choice,
        std::uint32_t ids_used = 0)
      : channel(over), client(is_client) {
    data::KeyRingParts parts;
    parts.slot.random = support::seeded_random(1);
    parts.slot.packet_ids_used = ids_used;
    parts.ciphers = choice;
    ring.emplace(parts);
  }
  void install(std::uint8_t key_id, int now) {
    ring->install(support::data_keys(channel, client, key_id, 10 + key_id), key_id == 0, at(now));
  }
  void seal(std::size_t count, int now) {
    batch.clear();
    std::vector<data::Sealing> train(count);
    for (std::size_t i = 0; i < count; ++i) {
      train[i].packet = batch.append();
      support::fill(*train[i].packet,
                    support::ip_packet(40 + 9 * i, static_cast<std::uint32_t>(i)));
    }
    data::KeyHold hold;
    ring->begin_sealing(at(now), train, hold);
    data::KeyRing::seal_bytes(crypto::kLead, train);
    ring->finish_sealing(train, hold);
  }
  std::vector<base::Bytes> sealed() {
    std::vector<base::Bytes> datagrams;
    for (const packet::Packet& packet : batch.packets()) {
      datagrams.push_back(support::copy_of(packet));
    }
    return datagrams;
  }
  std::vector<DropReason> open(const std::vector<base::Bytes>& datagrams, int now) {
    batch.clear();
    std::vector<data::Opening> train(datagrams.size());
    for (std::size_t i = 0; i < datagrams.size(); ++i) {
      train[i].packet = batch.append();
      support::fill(*train[i].packet, datagrams[i]);
    }
    data::KeyHold hold;
    ring->begin_opening(train, hold);
    data::KeyRing::open_bytes(crypto::kLead, train);
    data::KeyRing::finish_opening(train);
    std::vector<DropReason> verdicts;
    for (data::Opening& opening : train) {
      if (!opening.packet->dropped()) ring->accept(at(now), opening);
      verdicts.push_back(opening.packet->verdict);
    }
    return verdicts;
  }

  const DataChannel channel;
  const bool client;
  std::optional<data::KeyRing> ring;
  packet::PacketBatch batch{2048};
};

TEST(KeyRingTrain, GoesOverToTheNextKeyInTheMiddle) {
  for (const auto& choice : support::cipher_choices()) {
    Train here({}, true, choice, 0xFFFFFFFF - 3);
    here.install(0, 0);
    here.install(1, 1);
    ASSERT_EQ(here.open({}, 1).size(), 0u);
    here.seal(8, 100);  // both keys are certain: the newest first, then what is left of the other
    std::string under;
    for (const packet::Packet& packet : here.batch.packets()) {
      under += packet.dropped() ? "-" : std::to_string(wire::key_id_of(packet.bytes()[0]));
      if (packet.dropped()) {
        EXPECT_EQ(packet.verdict, DropReason::kPacketIdExhausted);
      }
    }
    EXPECT_EQ(under, "111000--");
    EXPECT_EQ(here.ring->packets_under_key(), 3u);
  }
}

TEST(KeyRingTrain, KeysMixedInATrainOpenInTurn) {
  for (const DataChannel& channel : support::all_data_channels()) {
    for (const auto& choice : support::cipher_choices()) {
      Train here(channel, true, {}), there(channel, false, choice);
      for (Train* end : {&here, &there}) end->install(0, 0);
      here.seal(6, 0);
      const auto old = here.sealed();
      for (Train* end : {&here, &there}) end->install(1, 100);
      here.seal(6, 300);
      const auto fresh = here.sealed();
      ASSERT_EQ(wire::key_id_of(fresh[0][0]), 1);
      std::vector<base::Bytes> train;
      for (std::size_t i = 0; i < 6; ++i) {
        train.push_back(old[i]);
        train.push_back(fresh[i]);
      }
      auto forged = fresh[5];
      forged.back() ^= 1;
      auto unknown = fresh[5];
      unknown[0] = static_cast<std::uint8_t>((unknown[0] & ~7) | 5);
      train.insert(train.end(), {old[2], unknown, {}, fresh[3]});
      train.insert(train.begin() + 3, forged);
      const auto verdicts = there.open(train, 300);
      for (std::size_t i = 0; i < verdicts.size(); ++i) {
        DropReason expected = DropReason::kNone;
        if (i == 3) expected = DropReason::kAuthFailed;
        if (i == 13 || i == 16) expected = DropReason::kReplayed;
        if (i == 14) expected = DropReason::kNoKey;
        if (i == 15) expected = DropReason::kTooShort;
        // Without a MAC a flipped bit is no proof of anything, and what it came with is used up.
        if (!channel.authenticated() && (i == 3 || i == 12)) continue;
        EXPECT_EQ(verdicts[i], expected) << channel.name << " " << i;
      }
    }
  }
}

// What is on its way keeps its key, and nothing else does.
TEST(KeyRingTrain, AKeyThatRetiresLivesUntilTheLastTrainUnderItIsFinished) {
  using crypto::kLead;
  for (const DataChannel& channel : support::all_data_channels()) {
    if (!channel.authenticated()) continue;
    Train client(channel, true, {}), server(channel, false, {});
    client.install(0, 0);
    server.install(0, 0);
    packet::PacketBatch batch{2048, 2};
    data::Sealing sealing;
    data::Opening opening;
    data::KeyHold sealed_under, opened_under;
    sealing.packet = batch.append();
    support::fill(*sealing.packet, kPayload);
    client.ring->begin_sealing(at(1), {&sealing, 1}, sealed_under);
    client.ring->clear();
    ASSERT_EQ(sealed_under[0].use_count(), 1) << channel.name;
    data::KeyRing::seal_bytes(kLead, {&sealing, 1});
    client.ring->finish_sealing({&sealing, 1}, sealed_under);
    EXPECT_EQ(sealed_under[0], nullptr);
    EXPECT_EQ(sealing.epoch_key, nullptr);
    ASSERT_FALSE(sealing.packet->dropped());

    const base::Bytes datagram = support::copy_of(*sealing.packet);
    opening.packet = sealing.packet;
    server.ring->begin_opening({&opening, 1}, opened_under);
    server.ring->retire(0);
    ASSERT_EQ(opened_under[0].use_count(), 1) << channel.name;
    data::KeyRing::open_bytes(kLead, {&opening, 1});
    data::KeyRing::finish_opening({&opening, 1});
    EXPECT_EQ(opening.epoch_key, nullptr);
    ASSERT_FALSE(opening.packet->dropped());
    // Its session is over: nobody waits for it any more.
    server.ring->accept(at(1), opening);
    EXPECT_EQ(opening.packet->verdict, DropReason::kNoKey);
  }
}

}  // namespace
