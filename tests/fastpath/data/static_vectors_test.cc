// SPDX-License-Identifier: Apache-2.0
// Every captured static-key datagram, opened and made again byte for byte.
#include <algorithm>

#include <gtest/gtest.h>

#include "fastpath/data/static_channel.h"
#include "ovpn/static_key.h"
#include "tests/support/vectors.h"

namespace {

using support::StaticVector;

constexpr base::TimePoint kNow{std::chrono::seconds(1000)};

ovpn::KeyDirection direction_of(const StaticVector& vector) {
  if (!vector.sender_key_direction) return ovpn::KeyDirection::kBidirectional;
  return *vector.sender_key_direction == 0 ? ovpn::KeyDirection::kNormal
                                           : ovpn::KeyDirection::kInverse;
}

data::DirectionKeys keys_of(const ovpn::StaticKey& key, int index) {
  return {key.cipher_block(index), key.hmac_block(index)};
}

struct Ends {  // both ends hold what the vector's sender sends with
  explicit Ends(const StaticVector& vector)
      : key(ovpn::parse_static_key("key", vector.key_file).value()),
        sent_with(keys_of(key, ovpn::send_key_index(direction_of(vector)))),
        channel(data::StaticChannelParts{.cipher = vector.cipher,
                                         .auth = vector.auth,
                                         .send = sent_with,
                                         .receive = sent_with,
                                         .replay = vector.replay,
                                         .random =
                                             [](base::MutableByteSpan to) {
                                               std::fill(to.begin(), to.end(), std::uint8_t{7});
                                             }},
                kNow) {}

  ovpn::StaticKey key;
  data::DirectionKeys sent_with;
  data::StaticChannel channel;
};

void fill(packet::Packet& packet, base::ByteSpan bytes) {
  std::ranges::copy(bytes, packet.fill_space().begin());
  packet.set_size(bytes.size());
}

base::Bytes copy_of(const packet::Packet& packet) {
  return {packet.bytes().begin(), packet.bytes().end()};
}

class StaticVectors : public testing::TestWithParam<std::string> {};

TEST_P(StaticVectors, OpenGivesThePayload) {
  for (const StaticVector& vector : support::load_static_vectors(GetParam())) {
    SCOPED_TRACE(vector.name);
    Ends ends(vector);
    packet::PacketBatch batch(4096, 1);
    packet::Packet& packet = *batch.append();
    fill(packet, vector.wire);
    ends.channel.open_packet(kNow, packet);
    EXPECT_EQ(packet.verdict, packet::DropReason::kNone);
    EXPECT_EQ(base::to_hex(packet.bytes()), base::to_hex(vector.payload));
    EXPECT_EQ(ends.channel.layout().hmac_bytes, vector.hmac.size());
    EXPECT_EQ(ends.channel.layout().iv_bytes, vector.iv.size());
    EXPECT_EQ(ends.channel.layout().datagram_bytes(vector.payload.size()), vector.wire.size());
  }
}

TEST_P(StaticVectors, SealGivesTheDatagram) {
  for (const StaticVector& vector : support::load_static_vectors(GetParam())) {
    SCOPED_TRACE(vector.name);
    Ends ends(vector);
    packet::PacketBatch batch(4096, 1);
    packet::Packet& packet = *batch.append();
    fill(packet, vector.payload);
    ends.channel.seal_packet_with(vector.packet_id, vector.iv, packet);
    EXPECT_FALSE(packet.dropped());
    EXPECT_EQ(base::to_hex(copy_of(packet)), base::to_hex(vector.wire));
  }
}

INSTANTIATE_TEST_SUITE_P(Captures, StaticVectors, testing::ValuesIn(support::static_vector_files()),
                         [](const auto& info) {
                           return info.param.substr(0, info.param.size() - 5);
                         });

TEST(StaticVectors, AreAllThere) { EXPECT_EQ(support::static_vector_files().size(), 18u); }

}  // namespace
