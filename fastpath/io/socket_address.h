// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/ip.h"

namespace io {

// Room for an IPv4 or IPv6 address, copied in and out with memcpy.
struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
};

// For a socket of `family`: on an IPv6 one an IPv4 endpoint becomes ::ffff:a.b.c.d. An IPv6
// endpoint on an IPv4 socket gives length 0: there is no such address.
SocketAddress to_socket_address(const base::Endpoint& endpoint, base::IpFamily family);
// Unmapped; 0.0.0.0:0 for families other than these two.
base::Endpoint from_socket_address(const sockaddr_storage& storage);

}  // namespace io
