// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/framing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "base/sha256.h"
#include "tests/support/vectors.h"

namespace {

using data::Framing;

constexpr std::size_t kPayloadMax = 40000;
constexpr Framing kEvery[] = {Framing::kNone, Framing::kLzoNo, Framing::kStub, Framing::kStubV2,
                              Framing::kLzo,  Framing::kLz4,   Framing::kLz4V2};

class OnePacket {
 public:
  explicit OnePacket(const base::Bytes& bytes) {
    std::ranges::copy(bytes, packet.fill_space().begin());
    packet.set_size(bytes.size());
  }
  std::string hex() { return base::to_hex(packet.bytes()); }

 private:
  packet::PacketBatch batch_{kPayloadMax, 1};

 public:
  packet::Packet& packet = *batch_.append();
};

std::string framed(Framing framing, std::string_view payload) {
  OnePacket one(base::from_hex(payload).value());
  frame(framing, one.packet);
  return one.hex();
}

using Outcome = data::Unframer::Outcome;

Outcome unframe(Framing framing, OnePacket& one) {
  data::Unframer unframer(kPayloadMax);
  return unframer.unframe(framing, one.packet);
}

std::string unframed(Framing framing, std::string_view wire) {
  OnePacket one(base::from_hex(wire).value());
  switch (unframe(framing, one)) {
    case Outcome::kPayload:
      return one.hex();
    case Outcome::kBadFraming:
      return "refused";
    case Outcome::kBadCompression:
      return "does not unpack";
  }
  return "";
}

TEST(Framing, ExactBytes) {
  EXPECT_EQ(framed(Framing::kNone, "450102"), "450102");
  EXPECT_EQ(framed(Framing::kLzoNo, "450102"), "fa450102");
  EXPECT_EQ(framed(Framing::kStub, "450102"), "fb010245");
  EXPECT_EQ(framed(Framing::kStub, "45"), "fb45");
  EXPECT_EQ(framed(Framing::kStubV2, "450102"), "450102");
  EXPECT_EQ(framed(Framing::kStubV2, "500102"), "5000500102");
  // Nothing is compressed, whatever the peer may do.
  EXPECT_EQ(framed(Framing::kLzo, "450102"), "fa450102");
  EXPECT_EQ(framed(Framing::kLz4, "450102"), "fb010245");
  EXPECT_EQ(framed(Framing::kLz4V2, "450102"), "450102");
  EXPECT_EQ(framed(Framing::kLz4V2, "500102"), "5000500102");
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
  EXPECT_EQ(unframed(Framing::kLzo, "69450102"), "refused");
  EXPECT_EQ(unframed(Framing::kLzo, ""), "refused");
  EXPECT_EQ(unframed(Framing::kLz4, "66450102"), "refused");
  EXPECT_EQ(unframed(Framing::kLz4, "69"), "refused");
  EXPECT_EQ(unframed(Framing::kLz4V2, "50"), "refused");
  EXPECT_EQ(unframed(Framing::kLz4V2, "5002450102"), "refused");
}

TEST(Framing, UnpacksWhatIsCompressed) {
  EXPECT_EQ(unframed(Framing::kLzo, "6614414243110000"), "414243");
  EXPECT_EQ(unframed(Framing::kLzo, "66110000"), "");
  EXPECT_EQ(unframed(Framing::kLz4V2, "500130414243"), "414243");
  EXPECT_EQ(unframed(Framing::kLz4, "6941424330"), "414243");
  EXPECT_EQ(unframed(Framing::kLzo, "66"), "does not unpack");
  EXPECT_EQ(unframed(Framing::kLzo, "661441424311000000"), "does not unpack");
  EXPECT_EQ(unframed(Framing::kLz4V2, "5001"), "does not unpack");
  EXPECT_EQ(unframed(Framing::kLz4V2, "50014041"), "does not unpack");
}

// One byte more than a packet may have is one too many.
TEST(Framing, ABombIsRefused) {
  const std::string bomb =
      "661261"
      "20" +
      std::string(40, '0') +
      "ff0000"
      "110000";
  const std::size_t size = 1 + 2 + 31 + 20 * 255 + 255;
  for (const std::size_t room : {size, size - 1, std::size_t{0}}) {
    OnePacket one(base::from_hex(bomb).value());
    data::Unframer unframer(room);
    const Outcome outcome = unframer.unframe(Framing::kLzo, one.packet);
    EXPECT_EQ(outcome, room == size ? Outcome::kPayload : Outcome::kBadCompression) << room;
  }
}

TEST(Framing, WhatDoesNotFitTheSlotIsRefused) {
  packet::PacketBatch small(64, 1);
  packet::Packet& packet = *small.append();
  const base::Bytes bomb = base::from_hex("6612612002ff0000110000").value();
  std::ranges::copy(bomb, packet.fill_space().begin());
  packet.set_size(bomb.size());
  data::Unframer unframer(kPayloadMax);
  EXPECT_EQ(unframer.unframe(Framing::kLzo, packet), Outcome::kBadCompression);
}

TEST(Framing, RoundTripAtEveryLength) {
  for (const Framing framing : kEvery) {
    for (const std::uint8_t first : {0x45, 0x50, 0x2a, 0xfa, 0xfb}) {
      for (std::size_t size = 1; size < 200; ++size) {
        base::Bytes payload(size, static_cast<std::uint8_t>(size));
        payload[0] = first;
        OnePacket one(payload);
        frame(framing, one.packet);
        ASSERT_LE(one.packet.size(), size + data::kFramingBytesMax);
        ASSERT_EQ(unframe(framing, one), Outcome::kPayload);
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
      EXPECT_EQ(unframe(row.framing, received), Outcome::kPayload) << vector.name;
      EXPECT_EQ(received.hex(), base::to_hex(vector.plain)) << vector.name;
    }
  }
}

TEST(Framing, CompressedCapturesAreRead) {
  int compressed = 0;
  for (const auto& [file, stub, framing] :
       {std::tuple{"static_aes256_sha256_complzo.json", Framing::kLzoNo, Framing::kLzo},
        std::tuple{"static_aes256_sha256_lz4.json", Framing::kStub, Framing::kLz4}}) {
    for (const support::StaticVector& vector : support::load_static_vectors(file)) {
      OnePacket received(vector.payload);
      ASSERT_EQ(unframe(framing, received), Outcome::kPayload) << vector.name;
      EXPECT_EQ(received.hex(), base::to_hex(vector.plain)) << vector.name;
      // Where nothing may be compressed they are refused, not misread.
      OnePacket again(vector.payload);
      if (unframe(stub, again) == Outcome::kBadFraming) ++compressed;
    }
  }
  EXPECT_GT(compressed, 0);
}

Framing framing_named(const std::string& name) {
  if (name == "comp-lzo") return Framing::kLzo;
  return name == "compress lz4" ? Framing::kLz4 : Framing::kLz4V2;
}

TEST(Framing, UnpacksWhatOpenVpnCompressed) {
  int read = 0;
  for (const support::CompressionVector& vector : support::load_compression_vectors()) {
    const Framing framing = framing_named(vector.framing);
    OnePacket received(vector.payload);
    ASSERT_EQ(unframe(framing, received), Outcome::kPayload) << vector.plain_sha256;
    EXPECT_EQ(received.packet.size(), vector.plain_bytes);
    EXPECT_EQ(base::to_hex(base::sha256(received.packet.bytes())), vector.plain_sha256);
    ++read;
  }
  EXPECT_GT(read, 20);
}

// Whatever is missing at the end of it or changed inside, a block is refused or gives some bytes.
TEST(Framing, DamagedBlocksDoNoHarm) {
  int refused = 0;
  for (const support::CompressionVector& vector : support::load_compression_vectors()) {
    if (vector.payload.size() > 400) continue;
    const Framing framing = framing_named(vector.framing);
    for (std::size_t size = 1; size < vector.payload.size(); ++size) {
      OnePacket cut(
          {vector.payload.begin(), vector.payload.begin() + static_cast<std::ptrdiff_t>(size)});
      if (unframe(framing, cut) != Outcome::kPayload) ++refused;
      OnePacket changed(vector.payload);
      changed.packet.bytes()[size] ^= 0x55;
      static_cast<void>(unframe(framing, changed));
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
