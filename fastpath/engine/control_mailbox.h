// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "fastpath/peer/peer.h"

namespace engine {

// Packets of the handshake on their way from the data thread, which receives them, to the main
// thread, which understands them. It outlives workers, so that none is lost when one is replaced.
// Any thread.
class ControlMailbox {
 public:
  // A handshake has a dozen packets in flight; what exceeds this many is a flood.
  static constexpr std::size_t kPacketsMax = 256;

  // Returns how many did not fit and are gone.
  std::size_t put(std::vector<peer::ControlPacket> packets) {
    const std::lock_guard lock(mutex_);
    const std::size_t room = kPacketsMax - packets_.size();
    const std::size_t taken = packets.size() < room ? packets.size() : room;
    const auto end = packets.begin() + static_cast<std::ptrdiff_t>(taken);
    packets_.insert(packets_.end(), std::make_move_iterator(packets.begin()),
                    std::make_move_iterator(end));
    return packets.size() - taken;
  }
  std::vector<peer::ControlPacket> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(packets_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<peer::ControlPacket> packets_;
};

}  // namespace engine
