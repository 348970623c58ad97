// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/time.h"
#include "supervisor/launch/launch_plan.h"

namespace launch {

// Before stock OpenVPN runs where the native engine ran: it takes over neither that one's interface
// nor its port, and could have none of its own while anybody holds them. What the native engine
// kept for its next run, and left on the machine, goes. Takes the descriptors out of `environment`.
// `program`: tunctl's own path.
void let_go_of_kept(const LaunchPlan& plan, const std::string& program,
                    std::map<std::string, std::string>& environment);

// Stock OpenVPN takes the time of its packets from the clock, and the far end is deaf to what is
// not later than it has seen. The native engine may be some seconds ahead, one for each of its runs
// that began within a second of another; until the clock is past them it is waited here, within
// limits.
void wait_for_packet_time(const LaunchPlan& plan, const base::Log& log);

// Pure: how long, by what the native engine kept. Zero: no time, or what is no number.
base::UnixSeconds seconds_to_wait(std::string_view packet_time_file, base::UnixSeconds now);

}  // namespace launch
