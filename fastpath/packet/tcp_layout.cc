// SPDX-License-Identifier: Apache-2.0
#include "fastpath/packet/tcp_layout.h"

#include "fastpath/packet/checksum.h"
#include "fastpath/packet/ip_header.h"

namespace packet {
namespace {

constexpr std::size_t kIpv4ProtocolAt = 9;
constexpr std::size_t kIpv6NextHeaderAt = 6;
constexpr std::uint8_t kPlainIpv4 = 0x45;  // version 4, five words of header
constexpr std::uint16_t kMoreOrOffset = 0x3fff;

bool plain_ipv4(base::ByteSpan p) {
  return p[0] == kPlainIpv4 && p[kIpv4ProtocolAt] == kProtocolTcp &&
         base::load_be16(&p[kIpv4LengthAt]) == p.size() &&
         (base::load_be16(&p[kIpv4FragmentAt]) & kMoreOrOffset) == 0;
}

bool plain_ipv6(base::ByteSpan p) {
  return p[kIpv6NextHeaderAt] == kProtocolTcp &&
         base::load_be16(&p[kIpv6LengthAt]) + kIpv6HeaderBytes == p.size();
}

}  // namespace

std::optional<TcpLayout> tcp_layout(base::ByteSpan packet) {
  const auto family = ip_family(packet);
  if (!family) return std::nullopt;
  TcpLayout layout;
  layout.v4 = *family == base::IpFamily::kIpv4;
  layout.ip_bytes = layout.v4 ? kIpv4HeaderBytesMin : kIpv6HeaderBytes;
  if (!(layout.v4 ? plain_ipv4(packet) : plain_ipv6(packet))) return std::nullopt;
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
