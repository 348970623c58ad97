// SPDX-License-Identifier: Apache-2.0
#include "base/time.h"

namespace base {

TimePoint monotonic_now() {
  return TimePoint(
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

UnixSeconds unix_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace base
