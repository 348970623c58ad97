// SPDX-License-Identifier: Apache-2.0
#include "fastpath/packet/segment_split.h"

#include <algorithm>
#include <array>

#include "fastpath/packet/checksum.h"

namespace packet {

bool SegmentSplitter::begin(base::ByteSpan whole, const Cut& cut) {
  offset_ = 0;
  index_ = 0;
  payload_ = {};
  const auto layout = segment_layout_with_options(whole);
  if (!layout || layout->protocol != cut.protocol || layout->ip_bytes != cut.transport_at ||
      cut.payload_per_piece == 0) {
    return false;
  }
  layout_ = *layout;
  header_ = whole.first(layout_.header_bytes());
  payload_ = whole.subspan(layout_.header_bytes());
  per_piece_ = cut.payload_per_piece;
  return true;
}

std::size_t SegmentSplitter::next_size() const {
  return header_.size() + std::min(per_piece_, payload_.size() - offset_);
}

std::size_t SegmentSplitter::pieces_left() const {
  return (payload_.size() - offset_ + per_piece_ - 1) / per_piece_;
}

std::size_t SegmentSplitter::next(base::MutableByteSpan to) {
  const std::size_t size = next_size();
  const base::MutableByteSpan piece = to.first(size);
  const std::size_t payload_bytes = size - header_.size();
  std::ranges::copy(header_, piece.begin());
  std::ranges::copy(payload_.subspan(offset_, payload_bytes),
                    piece.begin() + static_cast<std::ptrdiff_t>(header_.size()));
  if (layout_.v4) {
    const std::uint16_t id = base::load_be16(&header_[kIpv4IdAt]);
    base::store_be16(&piece[kIpv4IdAt], static_cast<std::uint16_t>(id + index_));
  }
  set_lengths(layout_, piece, size);
  const base::MutableByteSpan transport = piece.subspan(layout_.ip_bytes);
  if (!layout_.udp()) number_tcp(transport, payload_bytes);
  offset_ += payload_bytes;
  ++index_;
  complete_checksum(transport);
  return size;
}

void SegmentSplitter::number_tcp(base::MutableByteSpan tcp, std::size_t payload_bytes) const {
  const std::uint32_t sequence = base::load_be32(&tcp[kTcpSequenceAt]);
  base::store_be32(&tcp[kTcpSequenceAt], sequence + static_cast<std::uint32_t>(offset_));
  const bool last = offset_ + payload_bytes == payload_.size();
  std::uint8_t cleared = 0;
  if (!last) cleared |= kTcpFin | kTcpPsh;
  if (index_ > 0) cleared |= kTcpCwr;
  tcp[kTcpFlagsAt] = static_cast<std::uint8_t>(tcp[kTcpFlagsAt] & ~cleared);
}

// What is in the field counts the whole's transport bytes; the rest of the pseudo header is the
// same.
void SegmentSplitter::complete_checksum(base::MutableByteSpan transport) const {
  const auto whole = static_cast<std::uint16_t>(layout_.transport_bytes + payload_.size());
  std::array<std::uint8_t, 4> lengths{};
  base::store_be16(lengths.data(), static_cast<std::uint16_t>(~whole));
  base::store_be16(&lengths[2], static_cast<std::uint16_t>(transport.size()));
  std::uint16_t sum = checksum_finish(checksum_add(checksum_add(0, lengths), transport));
  if (layout_.udp()) sum = udp_checksum(sum);
  base::store_be16(&transport[layout_.checksum_at()], sum);
}

}  // namespace packet
