// SPDX-License-Identifier: Apache-2.0
// Who holds what a tunnel needs, so that an error can name it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/ip.h"

namespace host {

struct Holder {
  int pid = 0;          // 0: not found (needs root to see other users' descriptors)
  std::string program;  // /proc/PID/comm
  std::string unit;     // "openvpn-client@x.service", empty outside systemd

  friend bool operator==(const Holder&, const Holder&) = default;
};

// "openvpn (pid 4711, openvpn-client@x.service)", as far as known.
std::string to_string(const Holder& holder);

// The process whose UDP socket keeps others from binding `port` on `local` (an address as text;
// empty or a name: all addresses), or nothing if it is free. Reads /proc/net/udp{,6} and then the
// descriptors of every process. `keeper`, here and below: a process that keeps copies of others'
// descriptors, and is only named if nobody else has one.
std::optional<Holder> udp_port_holder(std::uint16_t port, const std::string& local = {},
                                      int keeper = 0);

// The network interface `name` if it exists: who has its tun descriptor open (/proc/PID/fdinfo
// shows "iff:"), or a Holder without pid for an interface nobody's descriptor keeps. Of processes
// in other network namespaces none counts: what is shown does not tell whose interface it is.
std::optional<Holder> interface_holder(const std::string& name, int keeper = 0);

bool is_tun(const std::string& interface);

// It exists, and is none that OpenVPN makes or can be given: neither a tun or tap device nor one of
// the kernel's `ovpn` driver.
bool is_foreign_interface(const std::string& interface);

// Pure parts, for tests. The inode of the socket in a /proc/net/udp table that is bound to `port`
// on `local` or on all addresses (nothing: on any address); 0: none.
std::uint64_t udp_inode_of(const std::string& table, std::uint16_t port,
                           const std::optional<base::IpAddress>& local);
// The innermost systemd unit in /proc/PID/cgroup, or empty.
std::string unit_of_cgroup(const std::string& text);

}  // namespace host
