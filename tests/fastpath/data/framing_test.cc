// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/framing.h"

#include <gtest/gtest.h>

#include "tests/support/vectors.h"

namespace {

using data::Framing;

class OnePacket {
 public:
  explicit OnePacket(const base::Bytes& bytes) {
    std::ranges::copy(bytes, packet.fill_space().begin());
    packet.set_size(bytes.size());
  }
  std::string hex() { return base::to_hex(packet.bytes()); }

 private:
  packet::PacketBatch batch_{2048, 1};

 public:
  packet::Packet& packet = *batch_.append();
};

std::string framed(Framing framing, std::string_view payload) {
  OnePacket one(base::from_hex(payload).value());
  frame(framing, one.packet);
  return one.hex();
}

std::string unframed(Framing framing, std::string_view wire) {
  OnePacket one(base::from_hex(wire).value());
  return unframe(framing, one.packet) ? one.hex() : "refused";
}

TEST(Framing, ExactBytes) {
  EXPECT_EQ(framed(Framing::kNone, "450102"), "450102");
  EXPECT_EQ(framed(Framing::kLzoNo, "450102"), "fa450102");
  EXPECT_EQ(framed(Framing::kStub, "450102"), "fb010245");
  EXPECT_EQ(framed(Framing::kStub, "45"), "fb45");
  EXPECT_EQ(framed(Framing::kStubV2, "450102"), "450102");
  EXPECT_EQ(framed(Framing::kStubV2, "500102"), "5000500102");
}

TEST(Framing, RefusesWhatItDoesNotSpeak) {
  EXPECT_EQ(unframed(Framing::kLzoNo, "66450102"), "refused");
  EXPECT_EQ(unframed(Framing::kLzoNo, "450102"), "refused");
  EXPECT_EQ(unframed(Framing::kLzoNo, ""), "refused");
  EXPECT_EQ(unframed(Framing::kStub, "69010245"), "refused");
  EXPECT_EQ(unframed(Framing::kStub, "fa450102"), "refused");
  EXPECT_EQ(unframed(Framing::kStub, "fb"), "refused");
  EXPECT_EQ(unframed(Framing::kStubV2, "5001aabb"), "refused");
  EXPECT_EQ(unframed(Framing::kStubV2, "50"), "refused");
  EXPECT_EQ(unframed(Framing::kStubV2, ""), "refused");
}

TEST(Framing, RoundTripAtEveryLength) {
  for (const Framing framing :
       {Framing::kNone, Framing::kLzoNo, Framing::kStub, Framing::kStubV2}) {
    for (const std::uint8_t first : {0x45, 0x50, 0x2a, 0xfa, 0xfb}) {
      for (std::size_t size = 1; size < 200; ++size) {
        base::Bytes payload(size, static_cast<std::uint8_t>(size));
        payload[0] = first;
        OnePacket one(payload);
        frame(framing, one.packet);
        ASSERT_LE(one.packet.size(), size + data::kFramingBytesMax);
        ASSERT_TRUE(unframe(framing, one.packet));
        ASSERT_EQ(one.hex(), base::to_hex(payload));
      }
    }
  }
}

TEST(Framing, IsWhatOpenVpnSends) {
  const struct {
    const char* file;
    Framing framing;
  } rows[] = {{"static_aes256_sha256.json", Framing::kNone},
              {"static_aes256_sha256_complzo_no.json", Framing::kLzoNo},
              {"static_aes256_sha256_compress_stub.json", Framing::kStub},
              {"static_aes256_sha256_compress_stubv2.json", Framing::kStubV2}};
  for (const auto& row : rows) {
    for (const support::StaticVector& vector : support::load_static_vectors(row.file)) {
      OnePacket sent(vector.plain);
      frame(row.framing, sent.packet);
      EXPECT_EQ(sent.hex(), base::to_hex(vector.payload)) << vector.name;
      OnePacket received(vector.payload);
      EXPECT_TRUE(unframe(row.framing, received.packet)) << vector.name;
      EXPECT_EQ(received.hex(), base::to_hex(vector.plain)) << vector.name;
    }
  }
}

// Captures with LZO and LZ4 hold both plain and compressed payloads; the compressed ones are
// refused, the others read like any stub's.
TEST(Framing, CompressedCapturesAreRefusedNotMisread) {
  int refused = 0;
  for (const auto& [file, framing] :
       {std::pair{"static_aes256_sha256_complzo.json", Framing::kLzoNo},
        std::pair{"static_aes256_sha256_lz4.json", Framing::kStub}}) {
    for (const support::StaticVector& vector : support::load_static_vectors(file)) {
      OnePacket received(vector.payload);
      if (unframe(framing, received.packet)) {
        EXPECT_EQ(received.hex(), base::to_hex(vector.plain)) << vector.name;
      } else {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
