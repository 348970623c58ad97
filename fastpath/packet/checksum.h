// SPDX-License-Identifier: Apache-2.0
// The internet checksum (RFC 1071) of IP headers and of TCP and UDP with their pseudo headers.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/ip.h"

namespace packet {

// A sum under way: 16-bit words in network order, carries folded in. Start with 0. Only the last
// piece may have an odd number of bytes.
std::uint16_t checksum_add(std::uint16_t sum, base::ByteSpan bytes);
// What goes into the header: the complement.
inline std::uint16_t checksum_finish(std::uint16_t sum) { return static_cast<std::uint16_t>(~sum); }
// Of UDP: a finished sum of zero would mean that there is none (RFC 768).
inline std::uint16_t udp_checksum(std::uint16_t finished) {
  return finished == 0 ? 0xffff : finished;
}

// The sum of the pseudo header: addresses out of `ip_header` (IPv4 or IPv6, at least that long),
// protocol, and length of the transport's part. This uncomplemented sum is also what a packet
// carries whose checksum is left to whoever sends it on.
std::uint16_t pseudo_header_sum(base::ByteSpan ip_header, std::uint8_t protocol,
                                std::uint32_t transport_bytes);

}  // namespace packet
