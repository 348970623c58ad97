// SPDX-License-Identifier: Apache-2.0
// OpenVPN protocol: what stands in front of a data packet in TLS mode.
//
//   P_DATA_V1   opcode and key id [1]
//   P_DATA_V2   opcode and key id [1] | peer id [3]
//
// and behind it, by the key's format:
//
//   AEAD        packet id [4] | tag [16] | ciphertext          nonce: packet id | implicit IV [8]
//   epoch       packet id [8] | ciphertext | tag [16]          P_DATA_V2 only
//               nonce: (packet id | 0 [4]) xor data IV [12]; packet id: epoch [2] | counter [6]
//   CBC, none   the layout of static_layout.h with a packet id of 4 bytes
//
// A tag covers packet id and, with P_DATA_V2 only, the header; an HMAC covers neither header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "fastpath/wire/opcode.h"

namespace wire {

inline constexpr std::size_t kDataV1HeaderBytes = 1;
inline constexpr std::size_t kDataV2HeaderBytes = 4;
inline constexpr std::uint32_t kPeerIdMax = 0xFFFFFF;  // as a peer id: none, the format only

inline constexpr std::size_t kShortPacketIdBytes = 4;
inline constexpr std::size_t kEpochPacketIdBytes = 8;
inline constexpr std::size_t kTagBytes = 16;
inline constexpr std::size_t kNonceBytes = 12;
inline constexpr std::size_t kImplicitIvBytes = kNonceBytes - kShortPacketIdBytes;
inline constexpr unsigned kEpochCounterBits = 48;
inline constexpr std::uint64_t kEpochCounterMax = (std::uint64_t{1} << kEpochCounterBits) - 1;

// Bytes added to each tunnel packet; the numbers are what captures of OpenVPN 2.6 and 2.7 show.
static_assert(kDataV1HeaderBytes + kShortPacketIdBytes + kTagBytes == 21);
static_assert(kDataV2HeaderBytes + kShortPacketIdBytes + kTagBytes == 24);
static_assert(kDataV2HeaderBytes + kEpochPacketIdBytes + kTagBytes == 28);

struct DataHeader {
  std::uint8_t key_id = 0;
  std::optional<std::uint32_t> peer_id;  // P_DATA_V2

  constexpr std::size_t size() const { return peer_id ? kDataV2HeaderBytes : kDataV1HeaderBytes; }
  friend bool operator==(const DataHeader&, const DataHeader&) = default;
};

// Nothing: no data packet, or shorter than its header.
inline std::optional<DataHeader> load_data_header(base::ByteSpan packet) {
  if (packet.empty()) return std::nullopt;
  const std::uint8_t key_id = key_id_of(packet[0]);
  if (opcode_of(packet[0]) == Opcode::kDataV1) return DataHeader{key_id, std::nullopt};
  if (opcode_of(packet[0]) != Opcode::kDataV2 || packet.size() < kDataV2HeaderBytes) {
    return std::nullopt;
  }
  return DataHeader{key_id, base::load_be32(packet.data()) & kPeerIdMax};
}

// `to`: header.size() bytes.
inline void store_data_header(std::uint8_t* to, const DataHeader& header) {
  if (!header.peer_id) {
    to[0] = first_byte(Opcode::kDataV1, header.key_id);
    return;
  }
  const std::uint32_t opcode = first_byte(Opcode::kDataV2, header.key_id);
  base::store_be32(to, opcode << 24 | (*header.peer_id & kPeerIdMax));
}

}  // namespace wire
