// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>

#include "fastpath/wire/compression_byte.h"
#include "fastpath/wire/magic.h"
#include "fastpath/wire/occ_type.h"
#include "fastpath/wire/packet_id.h"
#include "fastpath/wire/static_layout.h"
#include "tests/support/vectors.h"

namespace {

TEST(LongPacketId, StandsIdFirstInNetworkOrder) {
  std::array<std::uint8_t, 8> bytes{};
  const wire::LongPacketId packet_id{wire::PacketId{0x01020304}, wire::PacketTime{0xa0b0c0d0}};
  wire::store_long_packet_id(bytes.data(), packet_id);
  EXPECT_EQ(base::to_hex(bytes), "01020304a0b0c0d0");
  EXPECT_EQ(wire::load_long_packet_id(bytes.data()), packet_id);
}

TEST(Magic, IsWhatOpenVpnSends) {
  bool ping = false, request = false, reply = false, exit = false;
  for (const std::string& file : support::static_vector_files()) {
    for (const support::StaticVector& vector : support::load_static_vectors(file)) {
      if (vector.kind == "ping") {
        EXPECT_EQ(base::to_hex(vector.plain), base::to_hex(wire::kPingMagic));
        ping = true;
      } else if (vector.kind.starts_with("occ_")) {
        ASSERT_TRUE(wire::starts_with(vector.plain, wire::kOccMagic));
        const auto type = wire::OccType{vector.plain[wire::kOccTypeAt]};
        request |= vector.kind == "occ_request" && type == wire::OccType::kRequest;
        reply |= vector.kind == "occ_reply" && type == wire::OccType::kReply;
        exit |= vector.kind == "occ_exit" && type == wire::OccType::kExit;
      }
    }
  }
  EXPECT_TRUE(ping && request && reply && exit);
}

TEST(Magic, WantsAllSixteenBytes) {
  base::Bytes bytes(wire::kPingMagic.begin(), wire::kPingMagic.end());
  bytes.push_back(9);
  EXPECT_TRUE(wire::starts_with(bytes, wire::kPingMagic));
  for (std::size_t size = 0; size < 16; ++size) {
    EXPECT_FALSE(wire::starts_with(base::ByteSpan(bytes).first(size), wire::kPingMagic));
    base::Bytes other = bytes;
    other[size] ^= 1;
    EXPECT_FALSE(wire::starts_with(other, wire::kPingMagic));
  }
}

// The captured sizes: padding and overhead as sums agree with what OpenVPN sent.
TEST(StaticLayout, PredictsEveryCapturedSize) {
  for (const std::string& file : support::static_vector_files()) {
    for (const support::StaticVector& vector : support::load_static_vectors(file)) {
      const auto layout = wire::static_layout(vector.hmac.size(), vector.iv.size(), vector.replay);
      EXPECT_EQ(layout.datagram_bytes(vector.payload.size()), vector.wire.size()) << vector.name;
      EXPECT_LE(layout.datagram_bytes_min(), vector.wire.size());
    }
  }
}

TEST(StaticLayout, PadsOneToBlockBytes) {
  const auto layout = wire::static_layout(20, 8, true);
  for (std::size_t payload = 0; payload < 64; ++payload) {
    const std::size_t padding = layout.padding_bytes(payload);
    EXPECT_GE(padding, 1u);
    EXPECT_LE(padding, 8u);
    EXPECT_EQ((8 + payload + padding) % 8, 0u);
  }
  EXPECT_EQ(wire::static_layout(20, 0, true).padding_bytes(5), 0u);
}

// Framing bytes as captured: comp_byte of the payload behind the packet id.
TEST(CompressionByte, IsWhatOpenVpnSends) {
  const auto first_byte = [](const char* file) {
    return support::load_static_vectors(file).front().payload.front();
  };
  EXPECT_EQ(first_byte("static_aes256_sha256_complzo_no.json"), wire::kNotCompressed);
  EXPECT_EQ(first_byte("static_aes256_sha256_compress_stub.json"), wire::kNotCompressedSwap);
}

}  // namespace
