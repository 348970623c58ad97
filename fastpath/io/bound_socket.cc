// SPDX-License-Identifier: Apache-2.0
#include "fastpath/io/bound_socket.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>

#include "fastpath/io/socket_address.h"

namespace io {

int set_socket_option(int fd, int level, int option, int value) {
  return ::setsockopt(fd, level, option, &value, sizeof value) == 0 ? 0 : errno;
}

std::optional<OpenProblem> set_shared_options(int fd, const SocketWishes& wishes) {
  if (wishes.family == base::IpFamily::kIpv6) {
    const int error = set_socket_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, wishes.dual_stack ? 0 : 1);
    if (error != 0) return OpenProblem{{{}, base::errno_text("IPV6_V6ONLY", error), {}}};
  }
  if (!wishes.mark) return std::nullopt;
  const int error = set_socket_option(fd, SOL_SOCKET, SO_MARK, static_cast<int>(*wishes.mark));
  if (error == 0) return std::nullopt;
  return OpenProblem{{{},
                      base::errno_text("mark " + std::to_string(*wishes.mark), error),
                      "run as root or with CAP_NET_ADMIN, or leave `mark` out"},
                     true};
}

OpenProblem bind_problem(std::string_view protocol, const base::Endpoint& local, int error) {
  const std::string port = std::to_string(local.port);
  const std::string which = std::string(protocol) + " port " + port;
  const std::string sockets = protocol == "TCP" ? "-ltnp" : "-lunp";
  switch (error) {
    case EADDRINUSE:
      return {{{},
               which + " is in use",
               "`ss " + sockets + " 'sport = :" + port +
                   "'` shows by whom; stop that one, or write another `port` at both ends"}};
    case EACCES:
      return {{{},
               "no permission to bind " + which,
               "ports below 1024 need root or CAP_NET_BIND_SERVICE"},
              true};
    case EADDRNOTAVAIL:
      return {{{},
               "local " + local.address.to_string() + " is not an address of this machine",
               "`ip -brief address` shows those it has; or leave `local` out"}};
    default:
      return {{{}, base::errno_text("cannot bind " + local.to_string(), error), {}}};
  }
}

std::optional<OpenProblem> bind_socket(int fd, std::string_view protocol,
                                       const SocketWishes& wishes) {
  base::Endpoint local;
  if (wishes.family == base::IpFamily::kIpv6) local.address = *base::IpAddress::parse("::");
  if (wishes.local) local.address = *wishes.local;
  local.port = wishes.port.value_or(0);
  const SocketAddress address = to_socket_address(local, wishes.family);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&address.storage), address.length) != 0) {
    return bind_problem(protocol, local, errno);
  }
  return std::nullopt;
}

std::uint16_t bound_port(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  return from_socket_address(address).port;
}

}  // namespace io
