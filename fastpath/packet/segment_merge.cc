// SPDX-License-Identifier: Apache-2.0
#include "fastpath/packet/segment_merge.h"

#include <algorithm>

#include "fastpath/packet/checksum.h"

namespace packet {
namespace {

constexpr std::size_t kJoinedBytesMax = 65535;  // IPv4's length field; IPv6's takes 40 more
constexpr std::uint16_t kGoodSum = 0xffff;

bool same(base::ByteSpan a, base::ByteSpan b, std::size_t from, std::size_t to) {
  return std::equal(a.begin() + static_cast<std::ptrdiff_t>(from),
                    a.begin() + static_cast<std::ptrdiff_t>(to),
                    b.begin() + static_cast<std::ptrdiff_t>(from));
}

bool checksum_right(const SegmentLayout& layout, base::ByteSpan packet) {
  const base::ByteSpan transport = packet.subspan(layout.ip_bytes);
  if (layout.udp() && base::load_be16(&transport[kUdpChecksumAt]) == 0) return false;  // none
  const auto pseudo =
      pseudo_header_sum(packet, layout.protocol, static_cast<std::uint32_t>(transport.size()));
  if (checksum_add(pseudo, transport) != kGoodSum) return false;
  return !layout.v4 || checksum_add(0, packet.first(layout.ip_bytes)) == kGoodSum;
}

bool plain_flags(std::uint8_t flags) { return (flags & ~kTcpPsh) == kTcpAck; }

}  // namespace

bool SegmentMerger::begin(base::MutableByteSpan first) {
  count_ = 0;
  const auto layout = segment_layout(first);
  if (!layout || first.size() == layout->header_bytes()) return false;
  if (layout->udp() && !udp_) return false;
  // A packet with PSH ends a run, so it begins none that could grow.
  if (!layout->udp() && first[layout->ip_bytes + kTcpFlagsAt] != kTcpAck) return false;
  layout_ = *layout;
  first_ = first;
  first_right_ = false;
  bytes_ = first.size();
  per_packet_ = first.size() - layout_.header_bytes();
  closed_ = push_ = false;
  count_ = 1;
  return true;
}

// Everything in both headers but lengths, IPv4 id, sequence number, PSH and checksums is the same.
bool SegmentMerger::continues_flow(base::ByteSpan next) const {
  const std::size_t transport = layout_.ip_bytes;
  const bool ip = layout_.v4
                      ? same(first_, next, 0, kIpv4LengthAt) &&
                            same(first_, next, kIpv4FragmentAt, kIpv4ChecksumAt) &&
                            same(first_, next, kIpv4ChecksumAt + 2, transport) && id_counts_up(next)
                      : same(first_, next, 0, kIpv6LengthAt) &&
                            same(first_, next, kIpv6LengthAt + 2, transport);
  if (!ip) return false;
  return layout_.udp() ? same(first_, next, transport, transport + kUdpLengthAt)
                       : continues_tcp(next);
}

// A packet that may not be fragmented needs no id (RFC 6864).
bool SegmentMerger::id_counts_up(base::ByteSpan next) const {
  if ((base::load_be16(&first_[kIpv4FragmentAt]) & kIpv4DontFragment) != 0) return true;
  const std::size_t expected = base::load_be16(&first_[kIpv4IdAt]) + count_;
  return base::load_be16(&next[kIpv4IdAt]) == static_cast<std::uint16_t>(expected);
}

bool SegmentMerger::continues_tcp(base::ByteSpan next) const {
  const std::size_t tcp = layout_.ip_bytes;
  const auto so_far = static_cast<std::uint32_t>(bytes_ - layout_.header_bytes());
  const std::uint32_t expected = base::load_be32(&first_[tcp + kTcpSequenceAt]) + so_far;
  return base::load_be32(&next[tcp + kTcpSequenceAt]) == expected &&
         plain_flags(next[tcp + kTcpFlagsAt]) && same(first_, next, tcp, tcp + kTcpSequenceAt) &&
         same(first_, next, tcp + kTcpSequenceAt + 4, tcp + kTcpFlagsAt) &&
         same(first_, next, tcp + kTcpFlagsAt + 1, tcp + kTcpChecksumAt) &&
         same(first_, next, tcp + kTcpChecksumAt + 2, layout_.header_bytes());
}

bool SegmentMerger::join(base::ByteSpan next) {
  if (count_ == 0 || closed_) return false;
  const auto layout = segment_layout(next);
  if (!layout || layout->v4 != layout_.v4 || layout->protocol != layout_.protocol ||
      layout->transport_bytes != layout_.transport_bytes) {
    return false;
  }
  const std::size_t payload = next.size() - layout->header_bytes();
  if (payload == 0 || payload > per_packet_ || bytes_ + payload > kJoinedBytesMax) return false;
  if (!continues_flow(next)) return false;
  if (!first_right_ && !checksum_right(layout_, first_)) return false;
  first_right_ = true;
  if (!checksum_right(*layout, next)) return false;
  push_ = !layout->udp() && (next[layout->ip_bytes + kTcpFlagsAt] & kTcpPsh) != 0;
  closed_ = push_ || payload < per_packet_;
  bytes_ += payload;
  ++count_;
  return true;
}

void SegmentMerger::finish() {
  if (count_ < 2) return;
  base::MutableByteSpan transport = first_.subspan(layout_.ip_bytes);
  if (push_) transport[kTcpFlagsAt] |= kTcpPsh;
  set_lengths(layout_, first_.first(layout_.header_bytes()), bytes_);
  const auto length = static_cast<std::uint32_t>(bytes_ - layout_.ip_bytes);
  base::store_be16(&transport[layout_.checksum_at()],
                   pseudo_header_sum(first_, layout_.protocol, length));
}

}  // namespace packet
