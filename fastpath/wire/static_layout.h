// SPDX-License-Identifier: Apache-2.0
// OpenVPN protocol: static-key layout of one datagram, without opcode, key id or peer id.
//
//   HMAC[H] | IV[B] | CBC( packet id[8] | payload | PKCS#7 )     cipher and auth
//             IV[B] | CBC( packet id[8] | payload | PKCS#7 )     cipher, auth none
//   HMAC[H] |              packet id[8] | payload                cipher none, auth
//                          packet id[8] | payload                cipher none, auth none
//
// and the same four without the packet id (`no-replay`). The HMAC covers everything behind it.
#pragma once

#include <cstddef>

#include "fastpath/wire/packet_id.h"

namespace wire {

inline constexpr std::size_t kHmacBytesMax = 64;   // SHA-512
inline constexpr std::size_t kBlockBytesMax = 16;  // AES

// Sizes in bytes; a part that a layout does not have is 0.
struct StaticLayout {
  std::size_t hmac_bytes = 0;
  std::size_t iv_bytes = 0;  // equals the cipher's block; 0: cipher none
  std::size_t packet_id_bytes = 0;

  static constexpr std::size_t hmac_at() { return 0; }
  constexpr std::size_t iv_at() const { return hmac_at() + hmac_bytes; }
  constexpr std::size_t body_at() const { return iv_at() + iv_bytes; }  // ciphertext, if any
  constexpr std::size_t payload_at() const { return body_at() + packet_id_bytes; }

  constexpr bool encrypted() const { return iv_bytes != 0; }
  constexpr bool authenticated() const { return hmac_bytes != 0; }

  // The shortest datagram worth a look: with a cipher one block, because padding is never empty.
  constexpr std::size_t datagram_bytes_min() const {
    if (!encrypted()) return payload_at();
    const std::size_t blocks = packet_id_bytes / iv_bytes + 1;
    return body_at() + blocks * iv_bytes;
  }
  // PKCS#7 appends 1 to B bytes.
  constexpr std::size_t padding_bytes(std::size_t payload) const {
    return encrypted() ? iv_bytes - (packet_id_bytes + payload) % iv_bytes : 0;
  }
  constexpr std::size_t datagram_bytes(std::size_t payload) const {
    return payload_at() + payload + padding_bytes(payload);
  }
};

constexpr StaticLayout static_layout(std::size_t hmac_bytes, std::size_t iv_bytes, bool replay) {
  return {hmac_bytes, iv_bytes, replay ? kLongPacketIdBytes : 0};
}

// The eight, with SHA-256 and AES; the numbers are what captures of OpenVPN 2.6 show.
static_assert(static_layout(32, 16, true).payload_at() == 32 + 16 + 8);
static_assert(static_layout(0, 16, true).payload_at() == 16 + 8);
static_assert(static_layout(32, 0, true).payload_at() == 32 + 8);
static_assert(static_layout(0, 0, true).payload_at() == 8);
static_assert(static_layout(32, 16, false).payload_at() == 32 + 16);
static_assert(static_layout(0, 16, false).payload_at() == 16);
static_assert(static_layout(32, 0, false).payload_at() == 32);
static_assert(static_layout(0, 0, false).payload_at() == 0);

static_assert(static_layout(32, 16, true).datagram_bytes_min() == 32 + 16 + 16);
static_assert(static_layout(20, 8, true).datagram_bytes_min() == 20 + 8 + 16);  // BF-CBC: 8 + pad
static_assert(static_layout(20, 8, false).datagram_bytes_min() == 20 + 8 + 8);
static_assert(static_layout(20, 8, true).datagram_bytes(16) == 20 + 8 + 8 + 16 + 8);
static_assert(static_layout(64, 16, true).datagram_bytes(84) == 64 + 16 + 8 + 84 + 4);

}  // namespace wire
