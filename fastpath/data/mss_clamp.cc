// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/mss_clamp.h"

#include "fastpath/packet/ip_header.h"

namespace data {
namespace {

// TCP options (RFC 9293, 3.2).
constexpr std::uint8_t kEndOfOptions = 0;
constexpr std::uint8_t kNoOperation = 1;
constexpr std::uint8_t kMaximumSegmentSize = 2;
constexpr std::uint8_t kMssOptionBytes = 4;
constexpr std::size_t kTcpChecksumAt = 16;

// Where the option's value stands in the TCP header; 0: no well-formed MSS option.
std::size_t find_mss(base::ByteSpan header) {
  std::size_t at = packet::kTcpHeaderBytesMin;
  while (at < header.size() && header[at] != kEndOfOptions) {
    if (header[at] == kNoOperation) {
      ++at;
      continue;
    }
    if (at + 1 >= header.size()) return 0;
    const std::size_t bytes = header[at + 1];
    if (bytes < 2 || at + bytes > header.size()) return 0;
    if (header[at] == kMaximumSegmentSize) return bytes == kMssOptionBytes ? at + 2 : 0;
    at += bytes;
  }
  return 0;
}

// The 16-bit words that the checksum covers begin at even offsets of the header; an option may
// not. A value at an odd offset changes two words, in the other byte order, which comes to the same
// as one swapped word.
std::uint16_t in_word_order(std::uint16_t value, std::size_t at) {
  return at % 2 == 0 ? value : static_cast<std::uint16_t>(value << 8 | value >> 8);
}

}  // namespace

void clamp_mss(const MssLimits& limits, base::MutableByteSpan bytes) {
  if (limits.ipv4 == 0 && limits.ipv6 == 0) return;
  const auto segment = packet::tcp_segment(bytes);
  if (!segment || !segment->syn()) return;
  const std::uint16_t limit = segment->family == base::IpFamily::kIpv4 ? limits.ipv4 : limits.ipv6;
  const std::size_t at = find_mss(segment->header);
  if (limit == 0 || at == 0) return;
  std::uint8_t* value = &segment->header[at];
  const std::uint16_t mss = base::load_be16(value);
  if (mss <= limit) return;
  base::store_be16(value, limit);
  std::uint8_t* checksum = &segment->header[kTcpChecksumAt];
  base::store_be16(checksum,
                   packet::adjust_checksum(base::load_be16(checksum), in_word_order(mss, at),
                                           in_word_order(limit, at)));
}

}  // namespace data
