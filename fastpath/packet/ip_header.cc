// SPDX-License-Identifier: Apache-2.0
#include "fastpath/packet/ip_header.h"

#include <algorithm>

namespace packet {
namespace {

constexpr std::uint8_t kIpv6FragmentHeader = 44;
constexpr std::size_t kIpv6FragmentHeaderBytes = 8;

// TCP and UDP both have it behind the port of who sends.
bool port_is(base::ByteSpan packet, std::size_t header_at, std::uint16_t port) {
  return packet.size() >= header_at + 4 && base::load_be16(&packet[header_at + 2]) == port;
}

bool goes_to_ipv4(base::ByteSpan packet, std::uint8_t protocol, const base::Endpoint& to) {
  if (!std::ranges::equal(packet.subspan(16, 4), to.address.bytes())) return false;
  const bool later_fragment = (base::load_be16(&packet[6]) & 0x1fff) != 0;
  if (packet[9] != protocol || later_fragment) return false;
  return port_is(packet, std::size_t{4} * (packet[0] & 0x0f), to.port);
}

bool goes_to_ipv6(base::ByteSpan packet, std::uint8_t protocol, const base::Endpoint& to) {
  if (!std::ranges::equal(packet.subspan(24, 16), to.address.bytes())) return false;
  if (packet[6] == protocol) return port_is(packet, kIpv6HeaderBytes, to.port);
  constexpr std::size_t kBehind = kIpv6HeaderBytes + kIpv6FragmentHeaderBytes;
  if (packet[6] != kIpv6FragmentHeader || packet.size() < kBehind) return false;
  const bool later_fragment = (base::load_be16(&packet[kIpv6HeaderBytes + 2]) & 0xfff8) != 0;
  if (packet[kIpv6HeaderBytes] != protocol || later_fragment) return false;
  return port_is(packet, kBehind, to.port);
}

// The TCP header begins at `at`; its length field counts 32-bit words.
std::optional<TcpSegment> tcp_at(base::MutableByteSpan packet, std::size_t at,
                                 base::IpFamily family) {
  if (packet.size() < at + kTcpHeaderBytesMin) return std::nullopt;
  const std::size_t bytes = std::size_t{4} * (packet[at + 12] >> 4);
  if (bytes < kTcpHeaderBytesMin || packet.size() < at + bytes) return std::nullopt;
  return TcpSegment{family, packet.subspan(at, bytes)};
}

std::optional<TcpSegment> tcp_in_ipv4(base::MutableByteSpan packet) {
  const std::size_t header = std::size_t{4} * (packet[0] & 0x0f);
  const bool later_fragment = (base::load_be16(&packet[6]) & 0x1fff) != 0;
  if (packet[9] != kProtocolTcp || header < kIpv4HeaderBytesMin || later_fragment) {
    return std::nullopt;
  }
  return tcp_at(packet, header, base::IpFamily::kIpv4);
}

}  // namespace

std::uint8_t service_class(base::ByteSpan packet) {
  constexpr int kWithoutEcn = 0xfc;
  const bool v4 = packet[0] >> 4 == 4;
  // IPv6 has it behind four bits of version.
  const int value = v4 ? packet[1] : (packet[0] << 4 | packet[1] >> 4);
  return static_cast<std::uint8_t>(value & kWithoutEcn);
}

std::optional<base::IpFamily> ip_family(base::ByteSpan packet) {
  if (packet.size() < kIpv4HeaderBytesMin) return std::nullopt;
  const int version = packet[0] >> 4;
  if (version == 4) return base::IpFamily::kIpv4;
  if (version == 6 && packet.size() >= kIpv6HeaderBytes) return base::IpFamily::kIpv6;
  return std::nullopt;
}

bool goes_to(base::ByteSpan packet, std::uint8_t protocol, const base::Endpoint& to) {
  const bool v4 = packet[0] >> 4 == 4;
  if (v4 != to.address.is_v4()) return false;
  return v4 ? goes_to_ipv4(packet, protocol, to) : goes_to_ipv6(packet, protocol, to);
}

std::optional<TcpSegment> tcp_segment(base::MutableByteSpan packet) {
  const std::optional<base::IpFamily> family = ip_family(packet);
  if (!family) return std::nullopt;
  if (*family == base::IpFamily::kIpv4) return tcp_in_ipv4(packet);
  if (packet[6] != kProtocolTcp) return std::nullopt;
  return tcp_at(packet, kIpv6HeaderBytes, base::IpFamily::kIpv6);
}

std::uint16_t adjust_checksum(std::uint16_t checksum, std::uint16_t old_word,
                              std::uint16_t new_word) {
  const auto inverted = [](std::uint16_t word) { return static_cast<std::uint16_t>(~word); };
  std::uint32_t sum = std::uint32_t{inverted(checksum)} + inverted(old_word) + new_word;
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return inverted(static_cast<std::uint16_t>(sum));
}

}  // namespace packet
