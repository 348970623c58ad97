// SPDX-License-Identifier: Apache-2.0
// What the fast path looks at in the packets it carries: IPv4 (RFC 791), IPv6 (RFC 8200), TCP
// (RFC 9293). Views only, every length checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/ip.h"

namespace packet {

inline constexpr std::size_t kIpv4HeaderBytesMin = 20;
inline constexpr std::size_t kIpv6HeaderBytes = 40;
inline constexpr std::size_t kTcpHeaderBytesMin = 20;
inline constexpr std::uint8_t kProtocolTcp = 6;
inline constexpr std::uint8_t kProtocolUdp = 17;

// The family a tun would take the packet for, if it is long enough for that family's header.
std::optional<base::IpFamily> ip_family(base::ByteSpan packet);

// The Differentiated Services code point (RFC 2474) of an IP packet, in the upper six bits as in
// the type of service (traffic class) that holds it; the two bits of ECN are 0. `packet` has a
// family.
std::uint8_t service_class(base::ByteSpan packet);

// Whether `packet`, which has a family, goes to `to` under `protocol`, TCP or UDP. A later fragment
// names no port and goes to nobody here; of IPv6's extension headers a first fragment's is looked
// behind, and no other.
bool goes_to(base::ByteSpan packet, std::uint8_t protocol, const base::Endpoint& to);

struct TcpSegment {
  base::IpFamily family = base::IpFamily::kIpv4;
  base::MutableByteSpan header;  // TCP header with all its options, inside the packet

  bool syn() const { return (header[13] & 0x02) != 0; }
};

// The TCP header of an unfragmented (or first) IPv4 packet, or of an IPv6 packet without extension
// headers; nothing for everything else and for headers that run over the packet's end.
std::optional<TcpSegment> tcp_segment(base::MutableByteSpan packet);

// The internet checksum after one 16-bit word of what it covers changed (RFC 1624, equation 3).
std::uint16_t adjust_checksum(std::uint16_t checksum, std::uint16_t old_word,
                              std::uint16_t new_word);

}  // namespace packet
