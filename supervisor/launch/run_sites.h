// SPDX-License-Identifier: Apache-2.0
// `tunctl run NAME…`: sites in the foreground on a machine without systemd, by the unit's rules.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "supervisor/host/service_manager.h"

namespace launch {

struct RunSitesRequest {
  std::vector<std::string> sites;
  std::string root;     // --root, or empty
  std::string program;  // tunctl itself
};

// Returns when SIGTERM or SIGINT has come and all have stopped (true), or when every site has
// failed for good (false). A Problem: a site is run by somebody else, or its folder cannot be made.
// `services` may be nullptr: there is no systemd to ask. Used by the main thread.
base::Result<bool> run_sites(const RunSitesRequest& request, host::ServiceManager* services,
                             const base::Log& log);

}  // namespace launch
