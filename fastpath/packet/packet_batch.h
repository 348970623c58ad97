// SPDX-License-Identifier: Apache-2.0
// Packets are read, sealed, opened and written as batches of slots with room in front and behind,
// so that every header is added and taken off in place.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/ip.h"
#include "fastpath/packet/drop_reason.h"

namespace packet {

inline constexpr std::size_t kBatchPackets = 64;
// Header (4), HMAC (64) + IV (16) + packet id (8) + fragment header (4) + framing (2) at most.
inline constexpr std::size_t kHeadroomBytes = 96;
// PKCS#7 padding or a tag (16) and the byte that `compress stub` moves to the end, rounded up.
inline constexpr std::size_t kTailroomBytes = 32;

// A view of one slot. The bytes belong to the batch; all positions are relative to the slot.
class Packet {
 public:
  Packet() = default;
  Packet(std::uint8_t* slot, std::size_t capacity) : slot_(slot), capacity_(capacity) { reset(); }

  void reset();  // empty, at the headroom, no verdict, no endpoint
  base::MutableByteSpan bytes() { return {slot_ + begin_, length_}; }
  base::ByteSpan bytes() const { return {slot_ + begin_, length_}; }
  std::size_t size() const { return length_; }
  std::size_t headroom() const { return begin_; }
  std::size_t tailroom() const { return capacity_ - begin_ - length_; }
  // Where a read puts its bytes (from the headroom to the end of the slot); set_size() says how
  // many came.
  base::MutableByteSpan fill_space() { return {slot_ + begin_, capacity_ - begin_}; }
  void set_size(std::size_t length);                    // at most fill_space(); more aborts
  base::MutableByteSpan push_front(std::size_t count);  // grows into the headroom; more aborts
  base::MutableByteSpan push_back(std::size_t count);   // grows into the tailroom; more aborts
  // Other bytes, from the headroom on; false, and nothing changed, if the slot has no room for
  // them.
  [[nodiscard]] bool replace(base::ByteSpan bytes);
  void pop_front(std::size_t count);  // at most size()
  void pop_back(std::size_t count);   // at most size()

  void drop(DropReason reason) { verdict = reason; }
  bool dropped() const { return verdict != DropReason::kNone; }

  DropReason verdict = DropReason::kNone;
  bool swallowed = false;  // ping, OCC: handled inside, goes no further, is no drop
  base::Endpoint peer;     // link side: where it came from, or where it goes
  std::uint8_t tos = 0;    // link side: the type of service (traffic class) to send it with

 private:
  std::uint8_t* slot_ = nullptr;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t length_ = 0;
};

// A fixed array of slots, allocated once. Used by one worker.
class PacketBatch {
 public:
  // `payload_max`: the largest packet, in bytes, that a slot must hold besides headroom and
  // tailroom.
  explicit PacketBatch(std::size_t payload_max, std::size_t slots = kBatchPackets);
  PacketBatch(const PacketBatch&) = delete;
  PacketBatch& operator=(const PacketBatch&) = delete;

  void clear() { used_ = 0; }
  bool full() const { return used_ == packets_.size(); }
  Packet* append();              // the next slot, reset; nullptr when full
  void take_back() { --used_; }  // gives the last appended slot back unused
  std::span<Packet> packets() { return std::span(packets_).first(used_); }
  std::span<const Packet> packets() const { return std::span(packets_).first(used_); }
  std::size_t capacity() const { return packets_.size(); }
  std::size_t payload_max() const { return payload_max_; }

 private:
  std::size_t payload_max_;
  std::unique_ptr<std::uint8_t[]> memory_;
  std::vector<Packet> packets_;
  std::size_t used_ = 0;
};

}  // namespace packet
