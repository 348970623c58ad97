// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <string>

#include "base/time.h"
#include "fastpath/engine/steps.h"

namespace engine {

// `ready connected`: how long a start waits for the far end. The service manager is asked for
// patience in steps, up to the option's limit. Events in, steps out.
class ReadyWait {
 public:
  static constexpr base::Duration kStep = std::chrono::seconds(10);

  explicit ReadyWait(int limit_seconds) : limit_seconds_(limit_seconds) {}

  Steps begin(base::TimePoint now) {
    end_ = now + std::chrono::seconds(limit_seconds_);
    return {wake(now)};
  }
  Steps tick(base::TimePoint now) const {  // Timer::kReadyWait
    if (now >= end_) {
      return {step::End{Ending::kFailed, "the far end was not heard within " +
                                             std::to_string(limit_seconds_) +
                                             " s (ready connected)"}};
    }
    return {step::AskPatience{2 * kStep}, wake(now)};
  }

 private:
  step::Wake wake(base::TimePoint now) const {
    return {Timer::kReadyWait, std::min(kStep, base::Duration(end_ - now))};
  }

  const int limit_seconds_;
  base::TimePoint end_{};
};

}  // namespace engine
