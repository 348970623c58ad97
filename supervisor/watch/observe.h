// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/time.h"
#include "supervisor/host/service_manager.h"
#include "supervisor/watch/site_status.h"

namespace watch {

// Where the facts come from; real ones are host::read_process and host::last_error_line.
struct Sources {
  host::ServiceManager& services;
  std::function<host::ProcessFacts(int)> process;
  std::function<std::string(const std::string& unit, base::UnixSeconds from,
                            base::UnixSeconds until)>
      last_error;
};

// Everything but `drop_in_differs` and `site_differs`, which only the caller can know. `engine` is
// launch.json's.
base::Result<Observation> observe(const Sources& sources, const std::string& site,
                                  std::optional<EngineFacts> engine, base::UnixSeconds now);

}  // namespace watch
