// SPDX-License-Identifier: Apache-2.0
// The edge of this room: looks at the machine, and changes it.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "supervisor/host/file_store.h"
#include "supervisor/host/service_manager.h"
#include "supervisor/plan/plan.h"

namespace plan {

// `services` may be nullptr if `desired` names no unit.
base::Result<Present> observe(const Desired& desired, host::FileStore& files,
                              host::ServiceManager* services);

// Runs the actions in order. At the first failure the files and folders touched so far are put back
// as they were, and what failed is returned; units are left, their manager has its own say.
std::optional<base::Problem> apply(const std::vector<Action>& actions, host::FileStore& files,
                                   host::ServiceManager* services);

}  // namespace plan
