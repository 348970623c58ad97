// SPDX-License-Identifier: Apache-2.0
// OpenVPN protocol: payloads that are no tunnel packets are told by 16 bytes of magic in front.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace wire {

inline constexpr std::size_t kMagicBytes = 16;
using Magic = std::array<std::uint8_t, kMagicBytes>;

// A ping is these bytes and nothing more; whatever follows them is ignored.
inline constexpr Magic kPingMagic = {0x2a, 0x18, 0x7b, 0xf3, 0x64, 0x1e, 0xb4, 0xcb,
                                     0x07, 0xed, 0x2d, 0x0a, 0x98, 0x1f, 0xc7, 0x48};
// An option consistency check message: magic, OccType, body.
inline constexpr Magic kOccMagic = {0x28, 0x7f, 0x34, 0x6b, 0xd4, 0xef, 0x7a, 0x81,
                                    0x2d, 0x56, 0xb8, 0xd3, 0xaf, 0xc5, 0x45, 0x9c};

inline bool starts_with(base::ByteSpan payload, const Magic& magic) {
  return payload.size() >= kMagicBytes && std::equal(magic.begin(), magic.end(), payload.begin());
}

}  // namespace wire
