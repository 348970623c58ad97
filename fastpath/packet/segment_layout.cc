// SPDX-License-Identifier: Apache-2.0
#include "fastpath/packet/segment_layout.h"

#include "fastpath/packet/checksum.h"

namespace packet {
namespace {

constexpr std::size_t kIpv4ProtocolAt = 9;
constexpr std::size_t kIpv6NextHeaderAt = 6;
constexpr std::uint16_t kMoreOrOffset = 0x3fff;

// IPv6 extension headers (RFC 8200, 4) that begin with the next header's number and a length in
// units of 8 bytes, the first not counted. A fragment cannot be cut, and behind the others no
// transport can be seen.
constexpr std::uint8_t kHopByHop = 0;
constexpr std::uint8_t kRouting = 43;
constexpr std::uint8_t kDestinationOptions = 60;

// Which transport it is and where its header begins; false if there is none that could be cut.
bool behind_ipv4(base::ByteSpan p, SegmentLayout& layout) {
  layout.ip_bytes = std::size_t{4} * (p[0] & 0x0f);
  layout.protocol = p[kIpv4ProtocolAt];
  return layout.ip_bytes >= kIpv4HeaderBytesMin && base::load_be16(&p[kIpv4LengthAt]) == p.size() &&
         (base::load_be16(&p[kIpv4FragmentAt]) & kMoreOrOffset) == 0;
}

bool behind_ipv6(base::ByteSpan p, SegmentLayout& layout) {
  if (base::load_be16(&p[kIpv6LengthAt]) + kIpv6HeaderBytes != p.size()) return false;
  std::uint8_t next = p[kIpv6NextHeaderAt];
  std::size_t at = kIpv6HeaderBytes;
  while (next == kHopByHop || next == kRouting || next == kDestinationOptions) {
    if (at + 2 > p.size()) return false;
    next = p[at];
    at += std::size_t{8} * (p[at + 1] + 1);
  }
  layout.protocol = next;
  layout.ip_bytes = at;
  return true;
}

bool measure_tcp(base::ByteSpan p, SegmentLayout& layout) {
  if (p.size() < layout.ip_bytes + kTcpHeaderBytesMin) return false;
  layout.transport_bytes = std::size_t{p[layout.ip_bytes + 12]} / 16 * 4;
  return layout.transport_bytes >= kTcpHeaderBytesMin && layout.header_bytes() <= p.size();
}

bool measure_udp(base::ByteSpan p, SegmentLayout& layout) {
  if (p.size() < layout.ip_bytes + kUdpHeaderBytes) return false;
  layout.transport_bytes = kUdpHeaderBytes;
  return base::load_be16(&p[layout.ip_bytes + kUdpLengthAt]) == p.size() - layout.ip_bytes;
}

}  // namespace

std::optional<SegmentLayout> segment_layout(base::ByteSpan packet) {
  const auto layout = segment_layout_with_options(packet);
  if (!layout) return std::nullopt;
  return layout->ip_bytes == (layout->v4 ? kIpv4HeaderBytesMin : kIpv6HeaderBytes) ? layout
                                                                                   : std::nullopt;
}

std::optional<SegmentLayout> segment_layout_with_options(base::ByteSpan packet) {
  const auto family = ip_family(packet);
  if (!family) return std::nullopt;
  SegmentLayout layout;
  layout.v4 = *family == base::IpFamily::kIpv4;
  if (!(layout.v4 ? behind_ipv4(packet, layout) : behind_ipv6(packet, layout))) return std::nullopt;
  bool measured = false;
  if (layout.protocol == kProtocolTcp) measured = measure_tcp(packet, layout);
  if (layout.protocol == kProtocolUdp) measured = measure_udp(packet, layout);
  return measured ? std::optional(layout) : std::nullopt;
}

void set_lengths(const SegmentLayout& layout, base::MutableByteSpan headers,
                 std::size_t packet_bytes) {
  if (layout.udp()) {
    base::store_be16(&headers[layout.ip_bytes + kUdpLengthAt],
                     static_cast<std::uint16_t>(packet_bytes - layout.ip_bytes));
  }
  if (!layout.v4) {
    const auto length = static_cast<std::uint16_t>(packet_bytes - kIpv6HeaderBytes);
    base::store_be16(&headers[kIpv6LengthAt], length);
    return;
  }
  base::store_be16(&headers[kIpv4LengthAt], static_cast<std::uint16_t>(packet_bytes));
  base::store_be16(&headers[kIpv4ChecksumAt], 0);
  base::store_be16(&headers[kIpv4ChecksumAt],
                   checksum_finish(checksum_add(0, headers.first(layout.ip_bytes))));
}

}  // namespace packet
