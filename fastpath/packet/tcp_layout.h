// SPDX-License-Identifier: Apache-2.0
// Where things stand in a TCP packet that is cut up or put together (RFC 791, RFC 8200, RFC 9293).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace packet {

inline constexpr std::size_t kIpv4LengthAt = 2;
inline constexpr std::size_t kIpv4IdAt = 4;
inline constexpr std::size_t kIpv4FragmentAt = 6;  // flags and offset
inline constexpr std::size_t kIpv4ChecksumAt = 10;
inline constexpr std::size_t kIpv6LengthAt = 4;

// From the start of the TCP header.
inline constexpr std::size_t kTcpSequenceAt = 4;
inline constexpr std::size_t kTcpFlagsAt = 13;
inline constexpr std::size_t kTcpChecksumFieldAt = 16;

inline constexpr std::uint8_t kTcpFin = 0x01;
inline constexpr std::uint8_t kTcpPsh = 0x08;
inline constexpr std::uint8_t kTcpAck = 0x10;
inline constexpr std::uint8_t kTcpCwr = 0x80;

// Sizes of an unfragmented TCP packet whose length field agrees with its bytes.
struct TcpLayout {
  bool v4 = true;
  std::size_t ip_bytes = 0;   // all in front of the TCP header
  std::size_t tcp_bytes = 0;  // header with options
  std::size_t header_bytes() const { return ip_bytes + tcp_bytes; }
};
// Of plain IPv4 (no options) or plain IPv6 (no extension headers): the ones worth joining.
std::optional<TcpLayout> tcp_layout(base::ByteSpan packet);
// Of IPv4 with any options, or IPv6 with extension headers that may stand in front of TCP.
std::optional<TcpLayout> tcp_layout_with_options(base::ByteSpan packet);

// Sets the length field, and IPv4's header checksum, to those of a packet of `packet_bytes`.
void set_ip_length(const TcpLayout& layout, base::MutableByteSpan ip_header,
                   std::size_t packet_bytes);

}  // namespace packet
