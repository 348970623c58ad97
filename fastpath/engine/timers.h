// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "base/time.h"

namespace engine {

// What the main thread does at some moment. Each is set or not; none repeats by itself.
enum class Timer : std::size_t {
  kPause,       // before the next try
  kConnect,     // a TCP connection that is not made by then
  kControl,     // the handshake has something to do
  kServerPoll,  // a server that has not answered by then
  kSession,     // session-timeout: the end, however busy it is
  kStatusFile,  // write it again
  kStatusLine,  // tell the service manager
  kHealth,      // ask the worker, feed the watchdog
  kExitNotify,  // tell the peer once more that we leave, or leave
  kRouteDelay,  // routes that wait for the connection
  kLastPeer,    // note where the peer is, which it was too early for
  kClock,       // a clock that is not set: look again
  kReadyWait,   // still not connected: ask the manager for more patience
  kCount
};

class Timers {
 public:
  void set(Timer timer, base::TimePoint at) { at_[index(timer)] = at; }
  void clear(Timer timer) { at_[index(timer)].reset(); }
  bool is_set(Timer timer) const { return at_[index(timer)].has_value(); }

  std::optional<base::TimePoint> next() const {
    std::optional<base::TimePoint> first;
    for (const auto& at : at_) {
      if (at && (!first || *at < *first)) first = at;
    }
    return first;
  }
  bool take_if_due(Timer timer, base::TimePoint now) {
    auto& at = at_[index(timer)];
    if (!at || *at > now) return false;
    at.reset();
    return true;
  }
  // One that is due, cleared; nothing when none is left.
  std::optional<Timer> take_due(base::TimePoint now) {
    for (std::size_t i = 0; i < at_.size(); ++i) {
      if (!at_[i] || *at_[i] > now) continue;
      at_[i].reset();
      return static_cast<Timer>(i);
    }
    return std::nullopt;
  }

 private:
  static std::size_t index(Timer timer) { return static_cast<std::size_t>(timer); }
  std::array<std::optional<base::TimePoint>, static_cast<std::size_t>(Timer::kCount)> at_{};
};

}  // namespace engine
