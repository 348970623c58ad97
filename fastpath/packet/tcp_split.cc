// SPDX-License-Identifier: Apache-2.0
#include "fastpath/packet/tcp_split.h"

#include <algorithm>
#include <array>

#include "fastpath/packet/checksum.h"
#include "fastpath/packet/ip_header.h"

namespace packet {

bool TcpSplitter::begin(base::ByteSpan whole, std::size_t tcp_at, std::size_t payload_per_piece) {
  offset_ = 0;
  index_ = 0;
  payload_ = {};
  const auto layout = tcp_layout_with_options(whole);
  if (!layout || layout->ip_bytes != tcp_at || payload_per_piece == 0) return false;
  layout_ = *layout;
  header_ = whole.first(layout_.header_bytes());
  payload_ = whole.subspan(layout_.header_bytes());
  per_piece_ = payload_per_piece;
  return true;
}

std::size_t TcpSplitter::next_size() const {
  return header_.size() + std::min(per_piece_, payload_.size() - offset_);
}

std::size_t TcpSplitter::pieces_left() const {
  return (payload_.size() - offset_ + per_piece_ - 1) / per_piece_;
}

std::size_t TcpSplitter::next(base::MutableByteSpan to) {
  const std::size_t size = next_size();
  const base::MutableByteSpan piece = to.first(size);
  std::ranges::copy(header_, piece.begin());
  std::ranges::copy(payload_.subspan(offset_, size - header_.size()),
                    piece.begin() + static_cast<std::ptrdiff_t>(header_.size()));
  if (layout_.v4) {
    const std::uint16_t id = base::load_be16(&header_[kIpv4IdAt]);
    base::store_be16(&piece[kIpv4IdAt], static_cast<std::uint16_t>(id + index_));
  }
  set_ip_length(layout_, piece, size);

  const base::MutableByteSpan tcp = piece.subspan(layout_.ip_bytes);
  const std::uint32_t sequence = base::load_be32(&tcp[kTcpSequenceAt]);
  base::store_be32(&tcp[kTcpSequenceAt], sequence + static_cast<std::uint32_t>(offset_));
  offset_ += size - header_.size();
  std::uint8_t cleared = 0;
  if (more()) cleared |= kTcpFin | kTcpPsh;
  if (index_ > 0) cleared |= kTcpCwr;
  tcp[kTcpFlagsAt] = static_cast<std::uint8_t>(tcp[kTcpFlagsAt] & ~cleared);
  ++index_;

  // What is in the field counts the whole's TCP bytes; the rest of the pseudo header is the same.
  const auto whole_tcp = static_cast<std::uint16_t>(layout_.tcp_bytes + payload_.size());
  std::array<std::uint8_t, 4> lengths{};
  base::store_be16(lengths.data(), static_cast<std::uint16_t>(~whole_tcp));
  base::store_be16(&lengths[2], static_cast<std::uint16_t>(tcp.size()));
  const auto sum = checksum_add(checksum_add(0, lengths), tcp);
  base::store_be16(&tcp[kTcpChecksumFieldAt], checksum_finish(sum));
  return size;
}

}  // namespace packet
