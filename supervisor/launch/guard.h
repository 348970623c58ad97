// SPDX-License-Identifier: Apache-2.0
// The guard of stock OpenVPN: the unit's main process where the native engine does not do. It owns
// the management socket and turns what it hears there into sd_notify; stock's own READY comes
// before it has a socket and is not taken for anything.
#pragma once

#include <map>
#include <string>

#include "base/log.h"
#include "supervisor/launch/launch_plan.h"

namespace launch {

// Runs stock until it ends, and returns the unit's exit status: 0 only if we were asked to stop
// (SIGTERM, SIGINT). SIGHUP, SIGUSR1 and SIGUSR2 are passed on. Stock dies with this process.
// `environment` is this process's own, with what the service manager gave. Used by the main thread.
int guard_stock(const LaunchPlan& plan, const std::map<std::string, std::string>& environment,
                const base::Log& log);

}  // namespace launch
