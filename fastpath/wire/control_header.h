// SPDX-License-Identifier: Apache-2.0
// OpenVPN protocol: layout of a control packet, what stands in it before and behind the wrapping.
//
//   opcode and key id[1] | session id[8] | wrapping | n[1] | acks[4n] | session acked[8] if n > 0
//                                                   | message id[4], not in P_ACK_V1 | payload
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace wire {

// Random and not zero, chosen by each end for as long as its TLS session lives.
struct SessionId {
  static constexpr std::size_t kBytes = 8;
  std::array<std::uint8_t, kBytes> bytes{};

  bool is_zero() const {
    return std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; });
  }
  static SessionId from(base::ByteSpan eight) {
    SessionId id;
    std::copy_n(eight.begin(), kBytes, id.bytes.begin());
    return id;
  }
  friend bool operator==(const SessionId&, const SessionId&) = default;
};

// Counts the messages of one key id and one direction from 0, without gaps.
using MessageId = std::uint32_t;

inline constexpr std::size_t kControlHeadBytes = 1 + SessionId::kBytes;
static_assert(kControlHeadBytes == 9);

inline constexpr std::size_t kAcksMax = 8;  // a packet with more is refused
inline constexpr std::size_t kAcksWithMessageMax = 4;

constexpr std::size_t ack_array_bytes(std::size_t acks) {
  return 1 + 4 * acks + (acks > 0 ? SessionId::kBytes : 0);
}

// OpenVPN protocol: early negotiation. A hard reset may carry TLVs: type, length, value.
inline constexpr std::uint16_t kTlvFlags = 1;
inline constexpr std::uint16_t kTlvFlagResendWkc = 0x0001;
// The replay packet ids of a client that understands them begin behind this.
inline constexpr std::uint32_t kEarlyNegotiationPacketId = 0x0f000000;

}  // namespace wire
