// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace test {

// The replay rules written down as slowly and plainly as they can be: everything that ever came is
// kept. Races data::ReplayWindow in a test.
class ReplayModel {
 public:
  ReplayModel(std::uint32_t packets, std::int64_t seconds) : packets_(packets), seconds_(seconds) {}

  bool accept(std::uint32_t id, std::uint32_t time, std::int64_t now) {
    if (id == 0 || time < time_) return false;
    if (packets_ == 0) return in_order(id, time);
    if (now - last_reap_ >= 5) reap(now);
    if (time > time_) {
      time_ = time;
      arrivals_.clear();
      floor_ = 0;
      last_ = 0;
    }
    if (id <= last_ && (last_ - id >= packets_ || id <= floor_ || arrivals_.count(id) != 0)) {
      return false;
    }
    if (id > last_) last_ = id;
    arrivals_[id] = now;
    return true;
  }

 private:
  bool in_order(std::uint32_t id, std::uint32_t time) {
    if (time == time_ ? (last_ != 0 && id != last_ + 1) : id != 1) return false;
    time_ = time;
    last_ = id;
    return true;
  }

  void reap(std::int64_t now) {
    last_reap_ = now;
    if (seconds_ == 0) return;
    for (const auto& [id, came] : arrivals_) {
      const bool in_list = last_ - id < packets_;
      if (in_list && now - came > seconds_ && id > floor_) floor_ = id;
    }
  }

  const std::uint32_t packets_;
  const std::int64_t seconds_;
  std::map<std::uint32_t, std::int64_t> arrivals_;
  std::uint32_t time_ = 0, last_ = 0, floor_ = 0;
  std::int64_t last_reap_ = -1;
};

}  // namespace test
