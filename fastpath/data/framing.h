// SPDX-License-Identifier: Apache-2.0
// OpenVPN protocol: compression framing of a payload. Nothing that is sent is ever compressed, as
// with stock's `allow-compression asym`: how well secrets compress beside known text tells them.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "fastpath/packet/packet_batch.h"

namespace data {

enum class Framing {
  kNone,
  kLzoNo,   // comp-lzo no: FA in front
  kStub,    // compress [stub]: FB in front, the byte it displaces goes to the end
  kStubV2,  // compress stub-v2: nothing, or 50 00 in front of a payload that begins with 50
  kLzo,     // comp-lzo, compress lzo: as kLzoNo; 66 in front of an LZO1X block
  kLz4,     // compress lz4: as kStub; 69 in place of FB, and an LZ4 block
  kLz4V2,   // compress lz4-v2: as kStubV2; 50 01 in front of an LZ4 block
};

inline constexpr std::size_t kFramingBytesMax = 2;

// In place. Wants a payload of at least one byte, kFramingBytesMax bytes of headroom and one of
// tailroom.
void frame(Framing framing, packet::Packet& packet);

// Takes framings off. Used by one worker; all memory is taken at construction.
class Unframer {
 public:
  // `payload_max`: of what is unpacked, in bytes; a packet's slot must have room for it.
  explicit Unframer(std::size_t payload_max);

  enum class Outcome {
    kPayload,         // `packet` is the payload; empty, if the peer compressed nothing at all
    kBadFraming,      // framed in a way this tunnel does not speak
    kBadCompression,  // does not unpack, or to more than payload_max
  };
  // `packet` has at least one byte. Unless kPayload comes back its bytes are unspecified.
  [[nodiscard]] Outcome unframe(Framing framing, packet::Packet& packet);

 private:
  using Unpack = std::optional<std::size_t> (*)(base::ByteSpan, base::MutableByteSpan);

  Outcome take_lzo(bool may_compress, packet::Packet& packet);
  Outcome take_swapped(bool may_compress, packet::Packet& packet);
  Outcome take_v2(bool may_compress, packet::Packet& packet);
  Outcome unpack(Unpack unpack, packet::Packet& packet);

  base::Bytes unpacked_;
};

}  // namespace data
