// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "fastpath/engine/steps.h"

namespace engine {

// When this engine was released: no clock that is set shows less.
base::UnixSeconds release_time();

// A board without a battery for its clock starts in the past, where every certificate is yet to
// come: until somebody sets the clock, no handshake can succeed. So it is waited for, but not for
// ever. Events in, steps out; the clocks are handed in.
class ClockWait {
 public:
  struct Facts {
    base::UnixSeconds now = 0;
    std::optional<base::UnixSeconds> valid_from;  // this end's own certificates; see crypto
  };

  // `limit_seconds` 0: never waits.
  ClockWait(int limit_seconds, base::UnixSeconds released)
      : limit_seconds_(limit_seconds), released_(released) {}

  // Before a session begins, and at Timer::kClock. True: nothing may begin yet; the steps are to be
  // taken in either case.
  bool must_wait(const Facts& facts, base::TimePoint now, Steps& steps);

 private:
  std::string what_is_wrong(const Facts& facts) const;

  const int limit_seconds_;
  const base::UnixSeconds released_;
  std::optional<base::TimePoint> waiting_since_;
  bool given_up_ = false;
};

}  // namespace engine
