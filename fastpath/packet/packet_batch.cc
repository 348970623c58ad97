// SPDX-License-Identifier: Apache-2.0
#include "fastpath/packet/packet_batch.h"

#include <algorithm>
#include <cstdlib>

namespace packet {
namespace {

// A position outside its slot is a broken invariant, never an input: stop before memory is touched.
void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

void Packet::reset() {
  begin_ = kHeadroomBytes;
  length_ = 0;
  verdict = DropReason::kNone;
  swallowed = false;
  peer = {};
  tos = 0;
}

void Packet::set_size(std::size_t length) {
  require(length <= capacity_ - begin_);
  length_ = length;
}

base::MutableByteSpan Packet::push_front(std::size_t count) {
  require(count <= begin_);
  begin_ -= count;
  length_ += count;
  return bytes().first(count);
}

base::MutableByteSpan Packet::push_back(std::size_t count) {
  require(count <= tailroom());
  length_ += count;
  return bytes().last(count);
}

bool Packet::replace(base::ByteSpan bytes) {
  if (bytes.size() > capacity_ - kHeadroomBytes) return false;
  begin_ = kHeadroomBytes;
  length_ = bytes.size();
  std::ranges::copy(bytes, slot_ + begin_);
  return true;
}

void Packet::pop_front(std::size_t count) {
  require(count <= length_);
  begin_ += count;
  length_ -= count;
}

void Packet::pop_back(std::size_t count) {
  require(count <= length_);
  length_ -= count;
}

PacketBatch::PacketBatch(std::size_t payload_max, std::size_t slots) : payload_max_(payload_max) {
  // Slots start on cache lines of their own.
  const std::size_t slot = (kHeadroomBytes + payload_max + kTailroomBytes + 63) / 64 * 64;
  memory_ = std::make_unique<std::uint8_t[]>(slot * slots);
  packets_.reserve(slots);
  for (std::size_t i = 0; i < slots; ++i) packets_.emplace_back(memory_.get() + i * slot, slot);
}

Packet* PacketBatch::append() {
  if (full()) return nullptr;
  Packet& packet = packets_[used_++];
  packet.reset();
  return &packet;
}

}  // namespace packet
