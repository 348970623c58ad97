// SPDX-License-Identifier: Apache-2.0
#include "fastpath/io/reach.h"

#include <sys/socket.h>

#include <cerrno>

#include "base/unique_fd.h"
#include "fastpath/io/bound_socket.h"
#include "fastpath/io/socket_address.h"

namespace io {

bool reaches(const base::Endpoint& to, std::optional<std::uint32_t> mark) {
  const base::UniqueFd fd(
      ::socket(to.address.is_v4() ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd) return errno != EAFNOSUPPORT;
  if (mark && set_socket_option(fd.get(), SOL_SOCKET, SO_MARK, static_cast<int>(*mark)) != 0) {
    return true;
  }
  const SocketAddress address = to_socket_address(to, to.address.family());
  const auto* at = reinterpret_cast<const sockaddr*>(&address.storage);
  if (::connect(fd.get(), at, address.length) == 0) return true;
  return errno != ENETUNREACH && errno != EHOSTUNREACH && errno != EADDRNOTAVAIL;
}

}  // namespace io
