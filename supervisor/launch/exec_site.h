// SPDX-License-Identifier: Apache-2.0
// `tunctl exec NAME`: the unprivileged part of every start, which becomes the engine or its guard.
#pragma once

#include <map>
#include <string>

#include "base/log.h"

namespace launch {

struct ExecRequest {
  std::string site;
  std::string program;         // tunctl's own
  std::string runtime_folder;  // $RUNTIME_DIRECTORY, or /run/tunctl/.run/NAME below --root
  std::map<std::string, std::string> environment;
};

// Reads the runtime folder only. Does not return where the fast path takes this process over; else
// the exit status. Used by the main thread.
int exec_site(const ExecRequest& request, const base::Log& log);

}  // namespace launch
