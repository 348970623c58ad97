// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "fastpath/wire/packet_id.h"

namespace control {

// Which wrapped control packets of one session were seen (OpenVPN protocol: replay packet id of
// control packets). There are few of them and they hardly ever overtake each other, so a window of
// 64 that knows no time limit does. A newer time begins a new count. Used by one thread.
class ReplayCheck {
 public:
  // Judges and, if it accepts, remembers. Only for packets that are authenticated.
  bool accept(const wire::LongPacketId& packet_id) {
    const std::uint32_t id = value(packet_id.id);
    const std::uint32_t time = value(packet_id.time);
    if (id == 0 || time < time_) return false;
    if (time > time_) {
      time_ = time;
      last_ = id;
      seen_ = 1;
      return true;
    }
    if (id > last_) {
      const std::uint32_t ahead = id - last_;
      seen_ = ahead < kWindow ? seen_ << ahead | 1 : 1;
      last_ = id;
      return true;
    }
    const std::uint32_t behind = last_ - id;
    if (behind >= kWindow || (seen_ >> behind & 1) != 0) return false;
    seen_ |= std::uint64_t{1} << behind;
    return true;
  }

 private:
  static constexpr std::uint32_t kWindow = 64;

  std::uint32_t time_ = 0, last_ = 0;
  std::uint64_t seen_ = 0;  // bit n: last_ - n came
};

}  // namespace control
