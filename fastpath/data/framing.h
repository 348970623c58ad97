// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fastpath/packet/packet_batch.h"

namespace data {

// OpenVPN protocol: compression framing of a payload, as far as nothing is compressed.
enum class Framing {
  kNone,
  kLzoNo,   // comp-lzo no: FA in front
  kStub,    // compress [stub]: FB in front, the byte it displaces goes to the end
  kStubV2,  // compress stub-v2: nothing, or 50 00 in front of a payload that begins with 50
};

inline constexpr std::size_t kFramingBytesMax = 2;

// In place. frame() wants a payload of at least one byte, kFramingBytesMax bytes of headroom and
// one of tailroom.
void frame(Framing framing, packet::Packet& packet);
// False if the payload is compressed, or framed in a way this tunnel does not speak; the packet's
// bytes are then unspecified.
[[nodiscard]] bool unframe(Framing framing, packet::Packet& packet);

}  // namespace data
