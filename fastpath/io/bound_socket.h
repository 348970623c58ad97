// SPDX-License-Identifier: Apache-2.0
// What UDP and TCP sockets are asked for alike: options, an address of this machine, a port.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/ip.h"
#include "fastpath/io/packet_port.h"

namespace io {

// Sizes of buffers are in bytes; 0 leaves a buffer to the kernel (TCP) or the port's default (UDP).
struct SocketWishes {
  base::IpFamily family = base::IpFamily::kIpv4;
  bool dual_stack = false;  // an IPv6 socket that also takes IPv4
  std::optional<base::IpAddress> local;
  std::optional<std::uint16_t> port;  // of this end; nothing: any free one
  int sndbuf_bytes = 0;
  int rcvbuf_bytes = 0;
  std::optional<std::uint32_t> mark;
};

// 0, or errno.
int set_socket_option(int fd, int level, int option, int value);

// IPV6_V6ONLY and SO_MARK; the problem is of a wish that could not be met.
std::optional<OpenProblem> set_shared_options(int fd, const SocketWishes& wishes);

// Binds to `local` and `port`, or to any. `protocol` ("UDP", "TCP") is for the message, which says
// what is in the way: port taken, address not here, no permission.
std::optional<OpenProblem> bind_socket(int fd, std::string_view protocol,
                                       const SocketWishes& wishes);
// The same message for an errno that came later, from listen(2).
OpenProblem bind_problem(std::string_view protocol, const base::Endpoint& local, int error);

std::uint16_t bound_port(int fd);  // 0: not bound

}  // namespace io
