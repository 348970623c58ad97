// SPDX-License-Identifier: Apache-2.0
// `tunctl prepare NAME`: root's part of every start. Reads the site and all it names, and leaves in
// the runtime folder what the engine gets, owned by that folder's owner.
#pragma once

#include <functional>
#include <string>

#include "base/log.h"
#include "base/machine.h"
#include "supervisor/host/file_store.h"
#include "supervisor/launch/programs.h"
#include "supervisor/site/paths.h"

namespace launch {

struct PrepareRequest {
  std::string site;
  site::Paths paths;
  Programs programs;
  int cpu_count = 1;
  // Reload: render anew for the engine that runs as `main_pid`, then SIGHUP it. What only a restart
  // can change is refused and the running tunnel left as it is.
  bool reload = false;
  int main_pid = 0;  // $MAINPID
  // Looks at the machine, for a site whose run.cpus is a word.
  std::function<base::Machine()> machine = {};
  // The engine begins as root, under `tunctl run`: a config's user and group stay in it.
  bool starts_as_root = false;
};

// Prints every problem through `log`. Returns 0, kExitFailed or kExitPermanent (failure_note.h).
int prepare_site(const PrepareRequest& request, host::FileStore& files, const base::Log& log);

}  // namespace launch
