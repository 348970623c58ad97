// SPDX-License-Identifier: Apache-2.0
// What procfs, sysfs, systemd-networkd and NetworkManager say of this machine's network.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "supervisor/host/network_facts.h"

namespace host {

// Takes `interval`, over which it looks at what CPUs do. `root`: in front of /sys, /proc and /run;
// empty: this machine. The firewall is asked by `nft`, and network cards by ethtool's calls, only
// without a root.
NetworkFacts watch_network(base::Duration interval, const std::string& root = "");

// Datagrams that the kernel had to drop because a UDP socket of this process was full, since it was
// opened; nothing: there is no such socket, or it may not be looked at.
std::optional<std::uint64_t> udp_drops_of(int pid);

// Pure parts, for tests.
std::vector<RouteFacts> parse_ipv4_routes(std::string_view proc_net_route);
std::vector<RouteFacts> parse_ipv6_routes(std::string_view proc_net_ipv6_route);
// CPU -> ticks in softirqs and ticks in all.
struct CpuTicks {
  std::uint64_t softirq = 0, all = 0;
};
std::map<int, CpuTicks> parse_cpu_ticks(std::string_view proc_stat);
std::map<int, double> softirq_share(const std::map<int, CpuTicks>& before,
                                    const std::map<int, CpuTicks>& after);
// The value of `name` in /proc/net/netstat or /proc/net/snmp: pairs of lines, names above values.
std::optional<std::uint64_t> counter_of(std::string_view table, std::string_view name);
// Drops of the sockets with these inodes in a /proc/net/udp table; nothing: none is there.
std::optional<std::uint64_t> parse_udp_drops(std::string_view table,
                                             const std::vector<std::uint64_t>& inodes);

}  // namespace host
