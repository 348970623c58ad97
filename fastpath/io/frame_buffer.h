// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "base/bytes.h"
#include "base/ip.h"
#include "fastpath/packet/packet_batch.h"

namespace io {

// Each packet on a TCP connection has its length in front: two bytes, network order, 1 to 65535
// (OpenVPN protocol: static-key layout, TCP specifics).
inline constexpr std::size_t kFrameLengthBytes = 2;
inline constexpr std::size_t kFramePacketMax = 65535;

// A byte stream as it comes, cut into the packets that were put into it. Holds no descriptor. Used
// by one worker.
class FrameBuffer {
 public:
  FrameBuffer();

  // Where the next bytes go: at least one whole frame's worth. filled() says how many came.
  base::MutableByteSpan space();
  void filled(std::size_t count) { end_ += count; }

  enum class Cut {
    kDrained,    // no whole frame is left
    kBatchFull,  // there may be more
    kBadLength,  // zero, or more than the batch takes: where the next frame begins is not known
  };
  // Appends the packets of all whole frames to `batch`, as coming from `peer`.
  Cut cut(packet::PacketBatch& batch, const base::Endpoint& peer);
  // Of the frame that cut() would go on with, once its length is there; else 0.
  std::size_t next_length() const;

 private:
  // Enough for a burst to be taken in one call, and for the largest frame behind it.
  static constexpr std::size_t kBytes = std::size_t{256} << 10;

  std::unique_ptr<std::uint8_t[]> memory_;
  std::size_t begin_ = 0, end_ = 0;  // of what was not cut yet
};

}  // namespace io
