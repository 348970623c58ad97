// SPDX-License-Identifier: Apache-2.0
// Where things stand in a TCP or UDP packet that is cut up or put together (RFC 768, RFC 791, RFC
// 8200, RFC 9293).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "fastpath/packet/ip_header.h"

namespace packet {

inline constexpr std::size_t kIpv4LengthAt = 2;
inline constexpr std::size_t kIpv4IdAt = 4;
inline constexpr std::size_t kIpv4FragmentAt = 6;  // flags and offset
inline constexpr std::size_t kIpv4ChecksumAt = 10;
inline constexpr std::size_t kIpv6LengthAt = 4;

inline constexpr std::uint16_t kIpv4DontFragment = 0x4000;

// From the start of the TCP header.
inline constexpr std::size_t kTcpSequenceAt = 4;
inline constexpr std::size_t kTcpFlagsAt = 13;
inline constexpr std::size_t kTcpChecksumAt = 16;

inline constexpr std::uint8_t kTcpFin = 0x01;
inline constexpr std::uint8_t kTcpPsh = 0x08;
inline constexpr std::uint8_t kTcpAck = 0x10;
inline constexpr std::uint8_t kTcpCwr = 0x80;

// From the start of the UDP header.
inline constexpr std::size_t kUdpLengthAt = 4;
inline constexpr std::size_t kUdpChecksumAt = 6;
inline constexpr std::size_t kUdpHeaderBytes = 8;

// Sizes of an unfragmented TCP or UDP packet whose length fields agree with its bytes.
struct SegmentLayout {
  bool v4 = true;
  std::uint8_t protocol = kProtocolTcp;  // or kProtocolUdp
  std::size_t ip_bytes = 0;              // all in front of the transport's header
  std::size_t transport_bytes = 0;       // the transport's header, with TCP's options

  bool udp() const { return protocol == kProtocolUdp; }
  std::size_t header_bytes() const { return ip_bytes + transport_bytes; }
  // From the start of the transport's header.
  std::size_t checksum_at() const { return udp() ? kUdpChecksumAt : kTcpChecksumAt; }
};
// Of plain IPv4 (no options) or plain IPv6 (no extension headers): the ones worth joining.
std::optional<SegmentLayout> segment_layout(base::ByteSpan packet);
// Of IPv4 with any options, or IPv6 with extension headers that may stand in front of a transport.
std::optional<SegmentLayout> segment_layout_with_options(base::ByteSpan packet);

// Sets the length fields of IP and UDP, and IPv4's header checksum, to those of a packet of
// `packet_bytes`. `headers` has header_bytes() at least.
void set_lengths(const SegmentLayout& layout, base::MutableByteSpan headers,
                 std::size_t packet_bytes);

}  // namespace packet
