// SPDX-License-Identifier: Apache-2.0
// A source and a sink of packets that cost next to nothing, for tests and measurements of what lies
// between them. Neither allocates once it is made.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "fastpath/io/event_loop.h"
#include "fastpath/io/packet_port.h"
#include "tests/support/peer_parts.h"

namespace support {

// As a source it hands out its packets in order, over and over if that was asked for, as many as
// pour() said. As a sink it counts; where the packets are support::ip_packet()s with numbers for
// marks it also says how many did not follow upon the one before them, and how many of these had
// been overtaken.
class FloodPort : public io::PacketPort {
 public:
  explicit FloodPort(std::vector<base::Bytes> packets = {}, const base::Endpoint& from = {})
      : packets_(std::move(packets)), from_(from) {}

  void pour(std::size_t packets) {
    left_ += packets;
    wake_.notify();
  }
  std::size_t left() const { return left_; }
  std::size_t written() const { return written_; }
  std::size_t astray() const { return astray_; }
  std::size_t backwards() const { return backwards_; }
  void check_order() { in_order_ = true; }
  // Each packet gets the next mark, so that the far sink can tell what is missing.
  void number_packets() { numbered_ = true; }

  int readable_fd() const override { return wake_.fd(); }
  io::ReadOutcome read(packet::PacketBatch& batch) override {
    const std::size_t wanted = left_;
    std::size_t count = 0;
    for (; count < wanted; ++count) {
      packet::Packet* const packet = batch.append();
      if (packet == nullptr) break;
      fill(*packet, packets_[next_++ % packets_.size()]);
      if (numbered_) base::store_be32(&packet->bytes()[kMarkAt], mark_++);
      packet->peer = from_;
    }
    left_ -= count;
    if (count < wanted) return io::ReadOutcome::kMore;
    wake_.clear();
    // Somebody poured between the two lines above.
    if (left_ > 0) wake_.notify();
    return io::ReadOutcome::kDrained;
  }
  void write(packet::PacketBatch& batch) override {
    std::size_t count = 0;
    for (const packet::Packet& packet : batch.packets()) {
      if (packet.dropped() || packet.swallowed) continue;
      ++count;
      if (in_order_) check(base::load_be32(&packet.bytes()[kMarkAt]));
    }
    written_ += count;
  }
  const packet::DropCounters& drops() const override { return drops_; }

 private:
  static constexpr std::size_t kMarkAt = 20;  // see ip_packet()

  void check(std::uint32_t mark) {
    if (mark != expected_) ++astray_;
    if (mark < expected_) ++backwards_;
    expected_ = mark + 1;
  }

  io::WakeUp wake_;
  const std::vector<base::Bytes> packets_;
  const base::Endpoint from_;
  bool numbered_ = false, in_order_ = false;
  packet::DropCounters drops_{};
  // Of the worker.
  std::size_t next_ = 0;
  std::uint32_t mark_ = 0, expected_ = 0;
  // Shared.
  std::atomic<std::size_t> left_{0}, written_{0}, astray_{0}, backwards_{0};
};

// What is written to the one is read from the other. It is backed up long before it is full, as a
// connection over TCP may be, and loses what exceeds its room. Two make a wire. Used by one writer
// and one reader; does not allocate once it is made.
class PipePort : public io::PacketPort {
 public:
  PipePort(std::size_t payload_max, const base::Endpoint& self) : self_(self) {
    for (Slot& slot : slots_) slot.bytes.resize(payload_max);
  }
  // What is written here is read there, as coming from this end. `other` outlives its use.
  void connect(PipePort& other) { other_ = &other; }

  int readable_fd() const override { return wake_.fd(); }
  io::ReadOutcome read(packet::PacketBatch& batch) override {
    wake_.clear();
    for (;;) {
      const std::uint64_t at = read_;
      if (at == filled_.load(std::memory_order_acquire)) return io::ReadOutcome::kDrained;
      packet::Packet* const packet = batch.append();
      if (packet == nullptr) {
        wake_.notify();
        return io::ReadOutcome::kMore;
      }
      const Slot& slot = slots_[at % slots_.size()];
      fill(*packet, base::ByteSpan(slot.bytes).first(slot.size));
      packet->peer = slot.from;
      read_.store(at + 1, std::memory_order_release);
    }
  }
  void write(packet::PacketBatch& batch) override {
    for (const packet::Packet& packet : batch.packets()) {
      if (!packet.dropped() && !packet.swallowed) other_->put(packet, self_);
    }
    other_->wake_.notify();
  }
  bool backed_up() const override {
    return other_->filled_.load(std::memory_order_acquire) -
               other_->read_.load(std::memory_order_acquire) >
           kSlots / 2;
  }
  const packet::DropCounters& drops() const override { return drops_; }

 private:
  static constexpr std::size_t kSlots = 2048;
  struct Slot {
    base::Bytes bytes;
    std::size_t size = 0;
    base::Endpoint from;
  };

  void put(const packet::Packet& packet, const base::Endpoint& from) {
    const std::uint64_t at = filled_.load(std::memory_order_relaxed);
    if (at - read_.load(std::memory_order_acquire) == slots_.size()) return;
    Slot& slot = slots_[at % slots_.size()];
    std::ranges::copy(packet.bytes(), slot.bytes.begin());
    slot.size = packet.size();
    slot.from = from;
    filled_.store(at + 1, std::memory_order_release);
  }

  const base::Endpoint self_;
  PipePort* other_ = nullptr;
  io::WakeUp wake_;
  packet::DropCounters drops_{};
  std::vector<Slot> slots_{kSlots};
  std::atomic<std::uint64_t> filled_{0}, read_{0};
};

}  // namespace support
