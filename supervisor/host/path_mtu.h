// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include "base/ip.h"
#include "supervisor/host/network_facts.h"

namespace host {

// How a packet of `bytes`, its IP header included, that must not be fragmented fared.
enum class ProbeOutcome { kAnswered, kTooLarge, kSilence };
using MtuProbe = std::function<ProbeOutcome(int bytes)>;

// The largest packet that is answered, between IPv6's least (IPv4's, 576) and `bytes_max`, found by
// halving; nothing: not even a small one is. At most two dozen probes.
std::optional<PathMtu> find_path_mtu(int bytes_max, const MtuProbe& probe);

// Sends echo requests by the `ping` program, of which each is waited for half a second. Nothing:
// there is no such program, or nobody answers it there.
std::optional<PathMtu> measure_path_mtu(const base::IpAddress& to, int bytes_max);

}  // namespace host
