// SPDX-License-Identifier: Apache-2.0
// Starting units and waiting for their far ends, with progress for whoever watches.
#pragma once

#include <string>
#include <vector>

#include "supervisor/cli/context.h"

namespace cli {

enum class Begin { kStart, kRestart };

// Begins all, then waits for each until its far end is heard or the time of --timeout is up. What
// is not up by then is told with its reason and goes on trying. kOk, kNotUp, or why not.
int bring_up(Context& context, host::ServiceManager& services,
             const std::vector<std::string>& names, Begin begin);

}  // namespace cli
