// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/framing.h"

#include <algorithm>

#include "fastpath/data/lz4_block.h"
#include "fastpath/data/lzo1x.h"
#include "fastpath/wire/compression_byte.h"

namespace data {
namespace {

void swap_in(packet::Packet& packet) {
  packet.push_back(1)[0] = packet.bytes()[0];
  packet.bytes()[0] = wire::kNotCompressedSwap;
}

void escape(packet::Packet& packet) {
  if (packet.bytes()[0] != wire::kV2Indicator) return;
  const base::MutableByteSpan front = packet.push_front(2);
  front[0] = wire::kV2Indicator;
  front[1] = wire::kV2Uncompressed;
}

}  // namespace

void frame(Framing framing, packet::Packet& packet) {
  switch (framing) {
    case Framing::kNone:
      return;
    case Framing::kLzoNo:
    case Framing::kLzo:
      packet.push_front(1)[0] = wire::kNotCompressed;
      return;
    case Framing::kStub:
    case Framing::kLz4:
      return swap_in(packet);
    case Framing::kStubV2:
    case Framing::kLz4V2:
      return escape(packet);
  }
}

Unframer::Unframer(std::size_t payload_max) : unpacked_(payload_max) {}

Unframer::Outcome Unframer::unframe(Framing framing, packet::Packet& packet) {
  if (packet.size() == 0 && framing != Framing::kNone) return Outcome::kBadFraming;
  switch (framing) {
    case Framing::kNone:
      return Outcome::kPayload;
    case Framing::kLzoNo:
      return take_lzo(false, packet);
    case Framing::kLzo:
      return take_lzo(true, packet);
    case Framing::kStub:
      return take_swapped(false, packet);
    case Framing::kLz4:
      return take_swapped(true, packet);
    case Framing::kStubV2:
      return take_v2(false, packet);
    case Framing::kLz4V2:
      return take_v2(true, packet);
  }
  return Outcome::kBadFraming;
}

Unframer::Outcome Unframer::take_lzo(bool may_compress, packet::Packet& packet) {
  const std::uint8_t mark = packet.bytes()[0];
  packet.pop_front(1);
  if (mark == wire::kNotCompressed) return Outcome::kPayload;
  if (mark != wire::kLzoCompressed || !may_compress) return Outcome::kBadFraming;
  return unpack(unpack_lzo1x, packet);
}

Unframer::Outcome Unframer::take_swapped(bool may_compress, packet::Packet& packet) {
  const std::uint8_t mark = packet.bytes()[0];
  const bool compressed = mark == wire::kLz4Compressed && may_compress;
  if (packet.size() < 2 || (mark != wire::kNotCompressedSwap && !compressed)) {
    return Outcome::kBadFraming;
  }
  packet.bytes()[0] = packet.bytes()[packet.size() - 1];
  packet.pop_back(1);
  return compressed ? unpack(unpack_lz4, packet) : Outcome::kPayload;
}

Unframer::Outcome Unframer::take_v2(bool may_compress, packet::Packet& packet) {
  if (packet.bytes()[0] != wire::kV2Indicator) return Outcome::kPayload;
  if (packet.size() < 2) return Outcome::kBadFraming;
  const std::uint8_t algorithm = packet.bytes()[1];
  packet.pop_front(2);
  if (algorithm == wire::kV2Uncompressed) return Outcome::kPayload;
  if (algorithm != wire::kV2Lz4 || !may_compress) return Outcome::kBadFraming;
  return unpack(unpack_lz4, packet);
}

Unframer::Outcome Unframer::unpack(Unpack unpack, packet::Packet& packet) {
  const std::optional<std::size_t> size = unpack(packet.bytes(), unpacked_);
  if (!size || !packet.replace(base::ByteSpan(unpacked_).first(*size))) {
    return Outcome::kBadCompression;
  }
  return Outcome::kPayload;
}

}  // namespace data
