// SPDX-License-Identifier: Apache-2.0
#include "supervisor/watch/observe.h"

#include <utility>

#include "supervisor/site/paths.h"

namespace watch {
namespace {

// A start that failed is tried again after a minute at the latest (RestartMaxDelaySec=).
constexpr base::UnixSeconds kBeforeStart = 120;

// Of a unit that runs, what kept it from running just before: a start that succeeds wipes out how
// the last one ended.
std::string last_error(const Sources& sources, const host::UnitStatus& unit) {
  if (!failure_words(unit).empty()) return sources.last_error(unit.unit, 0, 0);
  if (unit.restarts == 0 || unit.active_since == 0) return {};
  return sources.last_error(unit.unit, unit.active_since - kBeforeStart, unit.active_since);
}

}  // namespace

base::Result<Observation> observe(const Sources& sources, const std::string& site,
                                  std::optional<EngineFacts> engine, base::UnixSeconds now) {
  const std::string unit = site::unit_of(site);
  auto status = sources.services.status(unit);
  if (!status) return status.error();
  Observation seen;
  seen.site = site;
  seen.unit = std::move(status).value();
  seen.engine = std::move(engine);
  seen.now = now;
  if (seen.unit.main_pid > 0) seen.main = sources.process(seen.unit.main_pid);
  if (seen.engine && !seen.engine->fastpath) {
    // The guard's one lasting child is stock; scripts come and go.
    for (const int child : seen.main.children) {
      auto facts = sources.process(child);
      if (!facts.exists || (!facts.program.empty() && facts.program != seen.engine->program)) {
        continue;
      }
      seen.stock = std::move(facts);
      seen.stock_pid = child;
    }
  }
  seen.last_error = last_error(sources, seen.unit);
  return seen;
}

}  // namespace watch
