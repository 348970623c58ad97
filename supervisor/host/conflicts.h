// SPDX-License-Identifier: Apache-2.0
// Who holds what a tunnel needs, so that an error can name it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace host {

struct Holder {
  int pid = 0;          // 0: not found (needs root to see other users' descriptors)
  std::string program;  // /proc/PID/comm
  std::string unit;     // "openvpn-client@x.service", empty outside systemd

  friend bool operator==(const Holder&, const Holder&) = default;
};

// "openvpn (pid 4711, openvpn-client@x.service)", as far as known.
std::string to_string(const Holder& holder);

// The process with a UDP socket bound to `port` (any address, IPv4 or IPv6), or nothing if the port
// is free. Reads /proc/net/udp{,6} and then the descriptors of every process.
std::optional<Holder> udp_port_holder(std::uint16_t port);

// The network interface `name` if it exists: who has its tun descriptor open (/proc/PID/fdinfo
// shows "iff:"), or a Holder without pid for an interface nobody's descriptor keeps.
std::optional<Holder> interface_holder(const std::string& name);

// Pure parts, for tests. The inode of the socket bound to `port` in a /proc/net/udp table; 0: none.
std::uint64_t udp_inode_of(const std::string& table, std::uint16_t port);
// The innermost systemd unit in /proc/PID/cgroup, or empty.
std::string unit_of_cgroup(const std::string& text);

}  // namespace host
