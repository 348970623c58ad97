// SPDX-License-Identifier: Apache-2.0
// Time as pure code sees it: handed in, never asked for. Only rooms with an event loop read a
// clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace base {

using Duration = std::chrono::nanoseconds;
// A point on the monotonic clock. Its own type, so that wall time can never be passed for it.
struct MonotonicClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<MonotonicClock>;
  static constexpr bool is_steady = true;
};
using TimePoint = MonotonicClock::time_point;

// Seconds since 1970 UTC, always 64 bits: armhf has a 32-bit time_t and 2038 is near.
using UnixSeconds = std::int64_t;

// Both ask the kernel (CLOCK_MONOTONIC, CLOCK_REALTIME); banned in pure rooms by tests/tidy.
TimePoint monotonic_now();
UnixSeconds unix_now();

}  // namespace base
