// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "base/error.h"
#include "base/time.h"
#include "supervisor/host/service_manager.h"

namespace watch {

enum class WaitResult {
  kOnline,
  kTimedOut,  // the unit is left running
  kFailed,    // it has failed for good, or is stopped: nothing to wait for
};

struct WaitOutcome {
  WaitResult result = WaitResult::kOnline;
  host::UnitStatus last;  // as seen last: says why
};

struct Clock {
  std::function<base::TimePoint()> now;
  std::function<void(base::Duration)> sleep;
};

// Waits until the far end is heard (the engine's state is CONNECTED). `progress` gets each status
// line that differs from the one before. Problem: the manager cannot be asked.
base::Result<WaitOutcome> wait_online(host::ServiceManager& services, const std::string& site,
                                      base::Duration limit, const Clock& clock,
                                      const host::ServiceManager::Progress& progress = {});

}  // namespace watch
