// SPDX-License-Identifier: Apache-2.0
#include "fastpath/io/memory_port.h"

#include <algorithm>
#include <utility>

namespace io {

void MemoryPort::deliver(base::ByteSpan bytes, const base::Endpoint& from) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back({base::Bytes(bytes.begin(), bytes.end()), from});
  wake_up_.notify();
}

std::vector<MemoryPacket> MemoryPort::take_written() {
  const std::lock_guard lock(mutex_);
  return std::exchange(written_, {});
}

void MemoryPort::connect(MemoryPort& other, const base::Endpoint& self) {
  const std::lock_guard lock(mutex_);
  other_ = &other;
  self_ = self;
}

ReadOutcome MemoryPort::read(packet::PacketBatch& batch) {
  const std::lock_guard lock(mutex_);
  while (!waiting_.empty() && !batch.full()) {
    packet::Packet& packet = *batch.append();
    const MemoryPacket& from = waiting_.front();
    const auto space = packet.fill_space();
    const std::size_t size = std::min(space.size(), from.bytes.size());
    std::copy_n(from.bytes.begin(), size, space.begin());
    packet.set_size(size);
    packet.peer = from.peer;
    if (size < from.bytes.size()) {
      packet.drop(packet::DropReason::kTruncated);
      count(drops_, packet::DropReason::kTruncated);
    }
    waiting_.pop_front();
  }
  if (!waiting_.empty()) return ReadOutcome::kMore;
  wake_up_.clear();
  return ReadOutcome::kDrained;
}

void MemoryPort::write(packet::PacketBatch& batch) {
  MemoryPort* other = nullptr;
  base::Endpoint self;
  {
    const std::lock_guard lock(mutex_);
    other = other_;
    self = self_;
  }
  for (const packet::Packet& packet : batch.packets()) {
    if (packet.dropped() || packet.swallowed) continue;
    if (other != nullptr) {
      other->deliver(packet.bytes(), self);
      continue;
    }
    const std::lock_guard lock(mutex_);
    written_.push_back({base::Bytes(packet.bytes().begin(), packet.bytes().end()), packet.peer});
  }
}

}  // namespace io
