// SPDX-License-Identifier: Apache-2.0
#include "fastpath/packet/checksum.h"

#include <array>
#include <bit>
#include <cstring>

namespace packet {
namespace {

constexpr std::size_t kIpv4AddressesAt = 12;
constexpr std::size_t kIpv6AddressesAt = 8;

std::uint16_t fold(std::uint64_t sum) {
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(sum);
}

std::uint16_t swapped(std::uint16_t word) {
  return static_cast<std::uint16_t>(word << 8 | word >> 8);
}

}  // namespace

// Sums 32-bit words in the machine's own order, which RFC 1071 (2B) allows, and turns the result
// round at the end: four words to an addition, and no alignment needed.
std::uint16_t checksum_add(std::uint16_t sum, base::ByteSpan bytes) {
  std::uint64_t total = 0;
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    std::array<std::uint32_t, 2> words;
    std::memcpy(words.data(), at, 8);
    total += std::uint64_t{words[0]} + words[1];
  }
  std::array<std::uint32_t, 2> tail{};
  if (left > 0) std::memcpy(tail.data(), at, left);
  total += std::uint64_t{tail[0]} + tail[1];
  const std::uint16_t folded = fold(total);
  const bool little = std::endian::native == std::endian::little;
  return fold(std::uint64_t{sum} + (little ? swapped(folded) : folded));
}

std::uint16_t pseudo_header_sum(base::ByteSpan ip_header, std::uint8_t protocol,
                                std::uint32_t transport_bytes) {
  const bool v4 = ip_header[0] >> 4 == 4;
  const base::ByteSpan addresses =
      v4 ? ip_header.subspan(kIpv4AddressesAt, 8) : ip_header.subspan(kIpv6AddressesAt, 32);
  const std::uint64_t rest =
      std::uint64_t{protocol} + (transport_bytes >> 16) + (transport_bytes & 0xffff);
  return fold(checksum_add(0, addresses) + rest);
}

}  // namespace packet
