// SPDX-License-Identifier: Apache-2.0
#include "supervisor/watch/observe.h"

#include <utility>

#include "supervisor/site/paths.h"

namespace watch {

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
    }
  }
  if (!failure_words(seen.unit).empty()) seen.last_error = sources.last_error(unit);
  return seen;
}

}  // namespace watch
