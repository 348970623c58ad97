// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/fragment.h"

#include <algorithm>

namespace data {
namespace {

using wire::FragmentKind;

constexpr std::size_t round_up(std::size_t bytes) {
  return (bytes + wire::kFragmentUnit - 1) / wire::kFragmentUnit * wire::kFragmentUnit;
}

// How far `sequence` is ahead of `of`, around the byte; negative: behind.
int ahead(std::uint8_t sequence, std::uint8_t of) {
  return static_cast<std::int8_t>(static_cast<std::uint8_t>(sequence - of));
}

}  // namespace

// A last piece that would be small is evened out with the others, so that no datagram is much
// larger than the next.
std::optional<FragmentCut> cut_payload(std::size_t payload_bytes, std::size_t piece_max) {
  if (payload_bytes <= piece_max) return FragmentCut{payload_bytes, 1};
  const std::size_t aligned =
      std::min(piece_max, wire::kFragmentSizeMax) / wire::kFragmentUnit * wire::kFragmentUnit;
  const std::size_t full = payload_bytes / aligned;
  const std::size_t rest = payload_bytes % aligned;
  std::size_t size = aligned;
  if (full > 0 && rest > 0 && rest < aligned * 3 / 4) {
    size = std::min(aligned, round_up(piece_max - (piece_max - rest) / (full + 1)));
  }
  const std::size_t count = (payload_bytes + size - 1) / size;
  if (count > wire::kFragmentsMax) return std::nullopt;
  return FragmentCut{size, count};
}

void FragmentSender::mark_whole(packet::Packet& packet) {
  base::store_be32(packet.push_front(wire::kFragmentHeaderBytes).data(), wire::encode({}));
}

void FragmentSender::begin(base::ByteSpan payload, const FragmentCut& cut) {
  payload_ = payload;
  cut_ = cut;
  index_ = 0;
  if (cut.count > 1) ++sequence_;
}

void FragmentSender::next(packet::Packet& piece) {
  const std::size_t bytes = std::min(payload_.size(), cut_.size);
  std::ranges::copy(payload_.first(bytes), piece.push_back(bytes).begin());
  payload_ = payload_.subspan(bytes);
  if (cut_.count == 1) return mark_whole(piece);
  wire::FragmentHeader header{FragmentKind::kMore, sequence_, index_++, 0};
  if (payload_.empty()) {
    header.kind = FragmentKind::kLast;
    header.size = static_cast<std::uint16_t>(cut_.size);
  }
  base::store_be32(piece.push_front(wire::kFragmentHeaderBytes).data(), encode(header));
}

FragmentAssembler::FragmentAssembler(std::size_t payload_max) : payload_max_(payload_max) {
  for (Assembly& assembly : assemblies_) assembly.bytes.resize(payload_max);
}

FragmentAssembler::Outcome FragmentAssembler::take(base::TimePoint now, packet::Packet& packet) {
  if (packet.size() < wire::kFragmentHeaderBytes) return Outcome::kBad;
  const wire::FragmentHeader header =
      wire::decode_fragment_header(base::load_be32(packet.bytes().data()));
  packet.pop_front(wire::kFragmentHeaderBytes);
  if (header.kind == FragmentKind::kWhole) {
    return header.sequence == 0 && header.index == 0 ? Outcome::kWhole : Outcome::kBad;
  }
  if (header.kind == FragmentKind::kTest || packet.size() == 0) return Outcome::kBad;
  const std::size_t size = header.kind == FragmentKind::kLast ? header.size : packet.size();
  const bool fits = header.index * size + packet.size() <= payload_max_;
  if (size == 0 || size % wire::kFragmentUnit != 0 || packet.size() > size || !fits) {
    return Outcome::kBad;
  }

  expire(now);
  move_to(header.sequence);
  Assembly& assembly = assembly_of(header.sequence);
  assembly.touched = now;
  if (!keep(assembly, header, size, packet.bytes())) return Outcome::kKept;
  packet.pop_back(packet.size());
  if (packet.tailroom() < assembly.total) {
    give_up(assembly);
    return Outcome::kBad;
  }
  std::ranges::copy(base::ByteSpan(assembly.bytes).first(assembly.total),
                    packet.push_back(assembly.total).begin());
  assembly.used = false;
  return Outcome::kWhole;
}

// True when all pieces are there.
bool FragmentAssembler::keep(Assembly& assembly, const wire::FragmentHeader& header,
                             std::size_t size, base::ByteSpan piece) {
  if (assembly.size != 0 && assembly.size != size) {
    // Another payload under the same number: the first will not be completed any more.
    ++incomplete_;
    assembly.seen = 0;
    assembly.total = 0;
  }
  assembly.size = size;
  const std::uint32_t bit = std::uint32_t{1} << header.index;
  if ((assembly.seen & bit) != 0) return false;
  assembly.seen |= bit;
  std::ranges::copy(piece,
                    assembly.bytes.begin() + static_cast<std::ptrdiff_t>(header.index * size));
  if (header.kind == FragmentKind::kLast) {
    assembly.total = header.index * size + piece.size();
    assembly.pieces = static_cast<std::uint8_t>(header.index + 1);
  }
  if (assembly.total == 0) return false;
  const std::uint32_t all =
      assembly.pieces == wire::kFragmentsMax ? ~0u : (std::uint32_t{1} << assembly.pieces) - 1;
  return (assembly.seen & all) == all;
}

// Numbers that fall out of the window behind the newest are given up; after a jump, all.
void FragmentAssembler::move_to(std::uint8_t sequence) {
  constexpr int kSpan = static_cast<int>(kSequences);
  const int step = ahead(sequence, newest_);
  const bool jump = step >= kSpan || step <= -kSpan;
  if (step > 0 || jump) newest_ = sequence;
  for (Assembly& assembly : assemblies_) {
    if (!assembly.used) continue;
    const int behind = ahead(newest_, assembly.sequence);
    if (jump || behind >= kSpan || behind < 0) give_up(assembly);
  }
}

void FragmentAssembler::expire(base::TimePoint now) {
  for (Assembly& assembly : assemblies_) {
    if (assembly.used && now - assembly.touched >= kPatience) give_up(assembly);
  }
}

void FragmentAssembler::give_up(Assembly& assembly) {
  ++incomplete_;
  assembly.used = false;
}

FragmentAssembler::Assembly& FragmentAssembler::assembly_of(std::uint8_t sequence) {
  Assembly* free = &assemblies_[0];
  for (Assembly& assembly : assemblies_) {
    if (assembly.used && assembly.sequence == sequence) return assembly;
    if (!assembly.used) free = &assembly;
  }
  // Not more numbers than assemblies are in the window, so one was free.
  free->used = true;
  free->sequence = sequence;
  free->seen = 0;
  free->size = free->total = 0;
  free->pieces = 0;
  return *free;
}

std::size_t FragmentAssembler::take_incomplete() {
  const std::size_t count = incomplete_;
  incomplete_ = 0;
  return count;
}

}  // namespace data
