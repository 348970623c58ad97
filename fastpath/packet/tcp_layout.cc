// SPDX-License-Identifier: Apache-2.0
#include "fastpath/packet/tcp_layout.h"

#include "fastpath/packet/checksum.h"
#include "fastpath/packet/ip_header.h"

namespace packet {
namespace {

constexpr std::size_t kIpv4ProtocolAt = 9;
constexpr std::size_t kIpv6NextHeaderAt = 6;
constexpr std::uint16_t kMoreOrOffset = 0x3fff;

// IPv6 extension headers (RFC 8200, 4) that begin with the next header's number and a length in
// units of 8 bytes, the first not counted. A fragment cannot be cut, and behind the others no TCP
// can be seen.
constexpr std::uint8_t kHopByHop = 0;
constexpr std::uint8_t kRouting = 43;
constexpr std::uint8_t kDestinationOptions = 60;

// Where the TCP header begins; nothing if there is none that could be cut.
std::optional<std::size_t> tcp_in_ipv4(base::ByteSpan p) {
  const std::size_t header = std::size_t{4} * (p[0] & 0x0f);
  if (header < kIpv4HeaderBytesMin || p[kIpv4ProtocolAt] != kProtocolTcp ||
      base::load_be16(&p[kIpv4LengthAt]) != p.size() ||
      (base::load_be16(&p[kIpv4FragmentAt]) & kMoreOrOffset) != 0) {
    return std::nullopt;
  }
  return header;
}

std::optional<std::size_t> tcp_in_ipv6(base::ByteSpan p) {
  if (base::load_be16(&p[kIpv6LengthAt]) + kIpv6HeaderBytes != p.size()) return std::nullopt;
  std::uint8_t next = p[kIpv6NextHeaderAt];
  std::size_t at = kIpv6HeaderBytes;
  while (next == kHopByHop || next == kRouting || next == kDestinationOptions) {
    if (at + 2 > p.size()) return std::nullopt;
    next = p[at];
    at += std::size_t{8} * (p[at + 1] + 1);
  }
  return next == kProtocolTcp ? std::optional(at) : std::nullopt;
}

}  // namespace

std::optional<TcpLayout> tcp_layout(base::ByteSpan packet) {
  const auto layout = tcp_layout_with_options(packet);
  if (!layout) return std::nullopt;
  return layout->ip_bytes == (layout->v4 ? kIpv4HeaderBytesMin : kIpv6HeaderBytes) ? layout
                                                                                   : std::nullopt;
}

std::optional<TcpLayout> tcp_layout_with_options(base::ByteSpan packet) {
  const auto family = ip_family(packet);
  if (!family) return std::nullopt;
  TcpLayout layout;
  layout.v4 = *family == base::IpFamily::kIpv4;
  const auto tcp_at = layout.v4 ? tcp_in_ipv4(packet) : tcp_in_ipv6(packet);
  if (!tcp_at) return std::nullopt;
  layout.ip_bytes = *tcp_at;
  if (packet.size() < layout.ip_bytes + kTcpHeaderBytesMin) return std::nullopt;
  layout.tcp_bytes = std::size_t{packet[layout.ip_bytes + 12]} / 16 * 4;
  if (layout.tcp_bytes < kTcpHeaderBytesMin || layout.header_bytes() > packet.size()) {
    return std::nullopt;
  }
  return layout;
}

void set_ip_length(const TcpLayout& layout, base::MutableByteSpan ip_header,
                   std::size_t packet_bytes) {
  if (!layout.v4) {
    const auto length = static_cast<std::uint16_t>(packet_bytes - kIpv6HeaderBytes);
    base::store_be16(&ip_header[kIpv6LengthAt], length);
    return;
  }
  base::store_be16(&ip_header[kIpv4LengthAt], static_cast<std::uint16_t>(packet_bytes));
  base::store_be16(&ip_header[kIpv4ChecksumAt], 0);
  base::store_be16(&ip_header[kIpv4ChecksumAt],
                   checksum_finish(checksum_add(0, ip_header.first(layout.ip_bytes))));
}

}  // namespace packet
