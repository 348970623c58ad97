// SPDX-License-Identifier: Apache-2.0
// What sysfs and procfs say of this machine's CPUs and network cards.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/machine.h"
#include "base/time.h"

namespace host {

// `root`: in front of /sys and /proc; empty: this machine. What cannot be read is left out; a
// machine that hides everything has no CPUs. Without net_rx_per_second, which takes two readings.
base::Machine read_machine(const std::string& root = "");

// The same with net_rx_per_second, over this interval from now on.
base::Machine watch_machine(base::Duration interval, const std::string& root = "");

// NET_RX softirqs by CPU since boot, for the second reading.
std::map<int, std::uint64_t> read_net_rx(const std::string& root = "");
// Of two readings, `milliseconds` apart. Counters that went backwards count as nothing.
std::map<int, std::uint64_t> per_second(const std::map<int, std::uint64_t>& before,
                                        const std::map<int, std::uint64_t>& after,
                                        std::int64_t milliseconds);

}  // namespace host
