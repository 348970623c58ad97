// SPDX-License-Identifier: Apache-2.0
#include "fastpath/io/frame_buffer.h"

#include <algorithm>
#include <cstring>

namespace io {

// Left as the kernel gives it: pages that no burst ever reaches stay untouched.
FrameBuffer::FrameBuffer() : memory_(new std::uint8_t[kBytes]) {}

base::MutableByteSpan FrameBuffer::space() {
  if (begin_ == end_) begin_ = end_ = 0;
  // What lies in front is moved only when the end comes near: rarely, and less than a frame then.
  if (kBytes - end_ < kFrameLengthBytes + kFramePacketMax) {
    std::memmove(memory_.get(), memory_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  return {memory_.get() + end_, kBytes - end_};
}

std::size_t FrameBuffer::next_length() const {
  return end_ - begin_ < kFrameLengthBytes ? 0 : base::load_be16(memory_.get() + begin_);
}

FrameBuffer::Cut FrameBuffer::cut(packet::PacketBatch& batch, const base::Endpoint& peer) {
  while (end_ - begin_ >= kFrameLengthBytes) {
    const std::size_t length = next_length();
    if (length == 0 || length > batch.payload_max()) return Cut::kBadLength;
    if (end_ - begin_ < kFrameLengthBytes + length) break;
    packet::Packet* packet = batch.append();
    if (packet == nullptr) return Cut::kBatchFull;
    packet->set_size(length);
    packet->peer = peer;
    std::copy_n(memory_.get() + begin_ + kFrameLengthBytes, length, packet->bytes().begin());
    begin_ += kFrameLengthBytes + length;
  }
  return Cut::kDrained;
}

}  // namespace io
