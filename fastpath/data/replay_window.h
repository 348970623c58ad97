// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/time.h"
#include "fastpath/wire/packet_id.h"

namespace data {

enum class ReplayVerdict { kAccept, kReplayed, kTimeBackwards };

// Which authenticated packets were seen (OpenVPN protocol: replay acceptance of the long form).
//
//   id 0                        refused
//   older time                  refused: time went backwards
//   newer time                  accepted; the count starts again under it
//   same time, higher id        accepted, however far the jump
//   same time, lower id         accepted once, if fewer than `packets` behind the highest id and
//                               nothing at or above it came more than `seconds` ago
//
// A window of 0 packets takes no packet out of order: the next id under the same time, or 1 under
// a newer one. Used by one worker.
class ReplayWindow {
 public:
  // `packets` 0..65536; `seconds` 0..600, 0: no time limit.
  ReplayWindow(int packets, int seconds, base::TimePoint now);

  // Judges and, if it accepts, remembers. Only for packets that are authenticated.
  ReplayVerdict accept(const wire::LongPacketId& packet_id, base::TimePoint now) {
    return accept(value(packet_id.id), value(packet_id.time), now);
  }
  // The same for packet ids without a time, as TLS mode has them: 32 or 48 bits, per key.
  ReplayVerdict accept(std::uint64_t id, base::TimePoint now) { return accept(id, 0, now); }

  // The link starts anew. A peer whose clock went back in a reboot must be heard again, so older
  // times are welcome; what was accepted under the newest time of all, and under the last one,
  // stays refused, over any number of restarts.
  void restart();

  // Goes on behind what another window accepted, whose newest() and barred() these were: nothing is
  // accepted that is not newer than `last`, or that was barred there. For a window that has
  // accepted nothing.
  void go_on_behind(const wire::LongPacketId& last, const wire::LongPacketId& barred);
  // Up to there all ids of that time are refused, since before the last restart().
  wire::LongPacketId barred() const {
    return {wire::PacketId{static_cast<std::uint32_t>(bars_[0].id)},
            wire::PacketTime{bars_[0].time}};
  }

  wire::LongPacketId newest() const {  // of the long form
    return {wire::PacketId{static_cast<std::uint32_t>(last_id_)}, wire::PacketTime{time_}};
  }

 private:
  // Seconds since construction plus 1, so that 0 can mean "never came".
  using Arrival = std::uint32_t;

  Arrival arrival_of(base::TimePoint now);
  ReplayVerdict accept(std::uint64_t id, std::uint32_t time, base::TimePoint now);
  ReplayVerdict accept_in_order(std::uint64_t id, std::uint32_t time);
  void advance_to(std::uint64_t id);
  void expire(Arrival now);
  bool barred(std::uint64_t id, std::uint32_t time) const;
  Arrival& slot(std::uint64_t id) { return seen_[id & ring_mask_]; }

  const std::uint32_t packets_;
  const std::uint32_t seconds_;
  const base::TimePoint start_;
  const std::uint32_t ring_mask_;
  std::vector<Arrival> seen_;  // a ring indexed by id, at least packets_ long: when it came
  base::TimePoint last_now_;   // all packets of a batch come at once
  Arrival last_arrival_ = 1;
  std::uint32_t time_ = 0;
  std::uint64_t last_id_ = 0;     // highest accepted under time_
  std::uint64_t expired_id_ = 0;  // this and everything below came too late
  Arrival last_expiry_ = 0;
  // From before restart(): ids up to `id` under `time` stay refused. The newest time of all first,
  // then the last one that was older.
  struct Bar {
    std::uint32_t time = 0;
    std::uint64_t id = 0;
  };
  std::array<Bar, 2> bars_{};
};

}  // namespace data
