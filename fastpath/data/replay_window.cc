// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/replay_window.h"

#include <algorithm>
#include <bit>

namespace data {
namespace {

constexpr std::uint32_t kExpiryIntervalSeconds = 5;

}  // namespace

ReplayWindow::ReplayWindow(int packets, int seconds, base::TimePoint now)
    : packets_(static_cast<std::uint32_t>(std::max(packets, 0))),
      seconds_(static_cast<std::uint32_t>(std::max(seconds, 0))),
      start_(now),
      ring_mask_(std::bit_ceil(std::max(packets_, 1u)) - 1),
      seen_(std::size_t{ring_mask_} + 1, 0),
      last_now_(now) {}

ReplayWindow::Arrival ReplayWindow::arrival_of(base::TimePoint now) {
  if (now != last_now_) {
    last_now_ = now;
    last_arrival_ = static_cast<Arrival>(
        std::chrono::duration_cast<std::chrono::seconds>(now - start_).count() + 1);
  }
  return last_arrival_;
}

ReplayVerdict ReplayWindow::accept(std::uint64_t id, std::uint32_t time, base::TimePoint now) {
  if (id == 0) return ReplayVerdict::kReplayed;
  if (time < time_) return ReplayVerdict::kTimeBackwards;
  if (barred(id, time)) return ReplayVerdict::kReplayed;
  if (packets_ == 0) return accept_in_order(id, time);

  const Arrival arrival = arrival_of(now);
  if (arrival - last_expiry_ >= kExpiryIntervalSeconds) expire(arrival);
  if (time > time_) {
    time_ = time;
    last_id_ = expired_id_ = 0;
    std::fill(seen_.begin(), seen_.end(), Arrival{0});
  }
  if (id > last_id_) {
    advance_to(id);
  } else if (last_id_ - id >= packets_ || id <= expired_id_ || slot(id) != 0) {
    return ReplayVerdict::kReplayed;
  }
  slot(id) = arrival;
  return ReplayVerdict::kAccept;
}

ReplayVerdict ReplayWindow::accept_in_order(std::uint64_t id, std::uint32_t time) {
  const bool next = time == time_ ? last_id_ == 0 || id == last_id_ + 1 : id == 1;
  if (!next) return ReplayVerdict::kReplayed;
  time_ = time;
  last_id_ = id;
  return ReplayVerdict::kAccept;
}

// Forgets the slots that the ids between the old and the new highest one now stand for.
void ReplayWindow::advance_to(std::uint64_t id) {
  if (id - last_id_ >= seen_.size()) {
    std::fill(seen_.begin(), seen_.end(), Arrival{0});
  } else {
    for (std::uint64_t skipped = last_id_ + 1; skipped != id; ++skipped) slot(skipped) = 0;
  }
  last_id_ = id;
}

// Walks down from the highest id to the first one that came too long ago. What lies below it is
// refused from here on, whether it came or not.
void ReplayWindow::expire(Arrival now) {
  last_expiry_ = now;
  if (seconds_ == 0) return;
  const std::uint64_t span = std::min<std::uint64_t>(packets_, last_id_);
  for (std::uint64_t behind = 0; behind < span; ++behind) {
    const std::uint64_t id = last_id_ - behind;
    if (id <= expired_id_) return;
    const Arrival came = slot(id);
    if (came != 0 && now - came > seconds_) {
      expired_id_ = id;
      return;
    }
  }
}

bool ReplayWindow::barred(std::uint64_t id, std::uint32_t time) const {
  return std::ranges::any_of(bars_,
                             [&](const Bar& bar) { return time == bar.time && id <= bar.id; });
}

void ReplayWindow::go_on_behind(const wire::LongPacketId& last, const wire::LongPacketId& barred) {
  bars_[0] = {value(barred.time), value(barred.id)};
  time_ = value(last.time);
  last_id_ = expired_id_ = value(last.id);
}

void ReplayWindow::restart() {
  // Where nothing came since the last restart, what was barred by it still is.
  if (time_ == 0) return;
  bars_[time_ >= bars_[0].time ? 0 : 1] = {time_, last_id_};
  time_ = last_id_ = expired_id_ = 0;
  std::fill(seen_.begin(), seen_.end(), Arrival{0});
}

}  // namespace data
