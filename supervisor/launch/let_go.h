// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "supervisor/launch/launch_plan.h"

namespace launch {

// Before stock OpenVPN runs where the native engine ran: it takes over neither that one's interface
// nor its port, and could have none of its own while anybody holds them. What the native engine
// kept for its next run, and left on the machine, goes. Takes the descriptors out of `environment`.
// `program`: tunctl's own path.
void let_go_of_kept(const LaunchPlan& plan, const std::string& program,
                    std::map<std::string, std::string>& environment);

}  // namespace launch
