// SPDX-License-Identifier: Apache-2.0
#include "fastpath/packet/tcp_merge.h"

#include <algorithm>

#include "fastpath/packet/checksum.h"
#include "fastpath/packet/ip_header.h"

namespace packet {
namespace {

constexpr std::size_t kJoinedBytesMax = 65535;  // IPv4's length field; IPv6's takes 40 more
constexpr std::uint16_t kGoodSum = 0xffff;

bool same(base::ByteSpan a, base::ByteSpan b, std::size_t from, std::size_t to) {
  return std::equal(a.begin() + static_cast<std::ptrdiff_t>(from),
                    a.begin() + static_cast<std::ptrdiff_t>(to),
                    b.begin() + static_cast<std::ptrdiff_t>(from));
}

bool checksum_right(const TcpLayout& layout, base::ByteSpan packet) {
  const base::ByteSpan tcp = packet.subspan(layout.ip_bytes);
  const auto pseudo =
      pseudo_header_sum(packet, kProtocolTcp, static_cast<std::uint32_t>(tcp.size()));
  if (checksum_add(pseudo, tcp) != kGoodSum) return false;
  return !layout.v4 || checksum_add(0, packet.first(layout.ip_bytes)) == kGoodSum;
}

bool plain_flags(std::uint8_t flags) { return (flags & ~kTcpPsh) == kTcpAck; }

}  // namespace

bool TcpMerger::begin(base::MutableByteSpan first) {
  count_ = 0;
  const auto layout = tcp_layout(first);
  if (!layout || first.size() == layout->header_bytes()) return false;
  const base::ByteSpan tcp = first.subspan(layout->ip_bytes);
  // A packet with PSH ends a run, so it begins none that could grow.
  if (tcp[kTcpFlagsAt] != kTcpAck || !checksum_right(*layout, first)) return false;
  layout_ = *layout;
  first_ = first;
  bytes_ = first.size();
  per_packet_ = first.size() - layout_.header_bytes();
  next_sequence_ = base::load_be32(&tcp[kTcpSequenceAt]) + static_cast<std::uint32_t>(per_packet_);
  closed_ = push_ = false;
  count_ = 1;
  return true;
}

// Everything in both headers but lengths, IPv4 id, sequence number, PSH and checksums is the same.
bool TcpMerger::same_flow(base::ByteSpan next) const {
  const std::size_t tcp = layout_.ip_bytes;
  const bool ip = layout_.v4 ? same(first_, next, 0, kIpv4LengthAt) &&
                                   same(first_, next, kIpv4FragmentAt, kIpv4ChecksumAt) &&
                                   same(first_, next, kIpv4ChecksumAt + 2, tcp)
                             : same(first_, next, 0, kIpv6LengthAt) &&
                                   same(first_, next, kIpv6LengthAt + 2, tcp);
  return ip && same(first_, next, tcp, tcp + kTcpSequenceAt) &&
         same(first_, next, tcp + kTcpSequenceAt + 4, tcp + kTcpFlagsAt) &&
         same(first_, next, tcp + kTcpFlagsAt + 1, tcp + kTcpChecksumFieldAt) &&
         same(first_, next, tcp + kTcpChecksumFieldAt + 2, layout_.header_bytes());
}

bool TcpMerger::join(base::ByteSpan next) {
  if (count_ == 0 || closed_) return false;
  const auto layout = tcp_layout(next);
  if (!layout || layout->v4 != layout_.v4 || layout->tcp_bytes != layout_.tcp_bytes) return false;
  const std::size_t payload = next.size() - layout->header_bytes();
  if (payload == 0 || payload > per_packet_ || bytes_ + payload > kJoinedBytesMax) return false;
  const base::ByteSpan tcp = next.subspan(layout->ip_bytes);
  if (base::load_be32(&tcp[kTcpSequenceAt]) != next_sequence_) return false;
  if (!plain_flags(tcp[kTcpFlagsAt]) || !same_flow(next)) return false;
  if (!checksum_right(*layout, next)) return false;
  push_ = (tcp[kTcpFlagsAt] & kTcpPsh) != 0;
  closed_ = push_ || payload < per_packet_;
  bytes_ += payload;
  next_sequence_ += static_cast<std::uint32_t>(payload);
  ++count_;
  return true;
}

void TcpMerger::finish() {
  if (count_ < 2) return;
  base::MutableByteSpan tcp = first_.subspan(layout_.ip_bytes);
  if (push_) tcp[kTcpFlagsAt] |= kTcpPsh;
  const auto transport = static_cast<std::uint32_t>(bytes_ - layout_.ip_bytes);
  set_ip_length(layout_, first_.first(layout_.ip_bytes), bytes_);
  base::store_be16(&tcp[kTcpChecksumFieldAt], pseudo_header_sum(first_, kProtocolTcp, transport));
}

}  // namespace packet
