// SPDX-License-Identifier: Apache-2.0
#include "supervisor/watch/wait_online.h"

#include <algorithm>

#include "ovpn/status_line.h"
#include "supervisor/site/paths.h"

namespace watch {
namespace {

// A person does not notice, and a unit's properties are asked for at little cost.
constexpr base::Duration kPause = std::chrono::milliseconds(200);

bool is_online(const host::UnitStatus& unit) {
  const auto line = ovpn::parse_status_line(unit.status_text);
  return unit.active_state == "active" && line && line->state == ovpn::ConnectionState::kConnected;
}

bool is_over(const host::UnitStatus& unit) {
  return unit.active_state == "failed" || unit.active_state == "inactive" || !unit.loaded;
}

}  // namespace

base::Result<WaitOutcome> wait_online(host::ServiceManager& services, const std::string& site,
                                      base::Duration limit, const Clock& clock,
                                      const host::ServiceManager::Progress& progress) {
  const std::string unit = site::unit_of(site);
  const base::TimePoint end = clock.now() + limit;
  std::string told;
  for (;;) {
    const auto status = services.status(unit);
    if (!status) return status.error();
    if (progress && status->status_text != told) progress(*status);
    told = status->status_text;
    if (is_online(*status)) return WaitOutcome{WaitResult::kOnline, *status};
    if (is_over(*status)) return WaitOutcome{WaitResult::kFailed, *status};
    const base::Duration left = end - clock.now();
    if (left <= base::Duration::zero()) return WaitOutcome{WaitResult::kTimedOut, *status};
    clock.sleep(std::min(left, kPause));
  }
}

}  // namespace watch
