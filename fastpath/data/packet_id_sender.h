// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "fastpath/wire/packet_id.h"

namespace data {

// Hands out the ids of the packets we send: 1, 2, 3 ... under one time. Used by one worker.
class PacketIdSender {
 public:
  // `time`: larger than any this side ever used with this key, or the peer's replay window stays
  // shut. Seconds beyond 32 bits (after 2106) wrap, as the wire's field does.
  explicit PacketIdSender(base::UnixSeconds time)
      : last_{wire::PacketId{0}, wire::PacketTime{static_cast<std::uint32_t>(time)}} {}
  // Goes on behind a packet id that was sent already.
  explicit PacketIdSender(const wire::LongPacketId& last) : last_(last) {}

  // How many ids are left under this time.
  std::uint32_t left() const { return value(wire::kPacketIdMax) - value(last_.id); }
  // The ids ran out: the caller starts a new time. Nothing is ever sent under a used id.
  bool exhausted() const { return last_.id == wire::kPacketIdMax; }
  // Starts again at id 1 under max(wall, time + 1); false, and no change, if there is no later
  // time.
  [[nodiscard]] bool start_new_time(base::UnixSeconds wall);
  // Nothing when exhausted.
  std::optional<wire::LongPacketId> next();

  wire::LongPacketId last() const { return last_; }  // id 0: none sent under this time yet

 private:
  wire::LongPacketId last_;
};

}  // namespace data
