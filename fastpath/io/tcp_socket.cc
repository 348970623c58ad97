// SPDX-License-Identifier: Apache-2.0
#include "fastpath/io/tcp_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "fastpath/io/socket_address.h"

namespace io {
namespace {

std::optional<OpenProblem> set_options(int fd, const TcpSettings& settings) {
  if (auto problem = set_shared_options(fd, settings)) return problem;
  // The kernel's own sizing is better than any number, unless somebody wants one.
  set_stream_buffers(fd, settings.sndbuf_bytes, settings.rcvbuf_bytes);
  // The last connection of a port may still be dying when it is bound again.
  static_cast<void>(set_socket_option(fd, SOL_SOCKET, SO_REUSEADDR, 1));
  // On a listening socket it is inherited by those that are accepted.
  static_cast<void>(set_socket_option(fd, IPPROTO_TCP, TCP_NODELAY, 1));
  return std::nullopt;
}

base::UniqueFd make_socket(base::IpFamily family) {
  return base::UniqueFd(::socket(family == base::IpFamily::kIpv6 ? AF_INET6 : AF_INET,
                                 SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

OpenProblem no_socket() {
  return OpenProblem{{{}, base::errno_text("cannot make a TCP socket", errno), {}}};
}

}  // namespace

void set_stream_buffers(int fd, int sndbuf_bytes, int rcvbuf_bytes) {
  if (sndbuf_bytes > 0) {
    static_cast<void>(set_socket_option(fd, SOL_SOCKET, SO_SNDBUF, sndbuf_bytes));
  }
  if (rcvbuf_bytes > 0) {
    static_cast<void>(set_socket_option(fd, SOL_SOCKET, SO_RCVBUF, rcvbuf_bytes));
  }
}

base::Result<base::UniqueFd, OpenProblem> begin_connect(const TcpSettings& settings,
                                                        const base::Endpoint& to) {
  base::UniqueFd fd = make_socket(settings.family);
  if (!fd) return no_socket();
  if (auto problem = set_options(fd.get(), settings)) return *problem;
  if (settings.local || settings.port) {
    if (auto problem = bind_socket(fd.get(), "TCP", settings)) return *problem;
  }
  const SocketAddress address = to_socket_address(to, settings.family);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.length) !=
          0 &&
      errno != EINPROGRESS) {
    return OpenProblem{{{}, std::strerror(errno), {}}};
  }
  return fd;
}

std::string connect_problem(int fd) {
  int error = 0;
  socklen_t length = sizeof error;
  if (::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) error = errno;
  return error == 0 ? "" : std::strerror(error);
}

bool is_connected(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  return ::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0;
}

base::Result<TcpListener, OpenProblem> TcpListener::open(const TcpSettings& settings) {
  base::UniqueFd fd = make_socket(settings.family);
  if (!fd && settings.family == base::IpFamily::kIpv6 && settings.dual_stack &&
      errno == EAFNOSUPPORT) {
    TcpSettings ipv4_only = settings;
    ipv4_only.family = base::IpFamily::kIpv4;
    return open(ipv4_only);
  }
  if (!fd) return no_socket();
  if (auto problem = set_options(fd.get(), settings)) return *problem;
  if (auto problem = bind_socket(fd.get(), "TCP", settings)) return *problem;
  return TcpListener(std::move(fd));
}

std::uint16_t TcpListener::local_port() const { return bound_port(fd_.get()); }

std::string TcpListener::listen() {
  // One peer: whoever comes second is better told to try again than left waiting in a queue.
  if (::listen(fd_.get(), 1) == 0) return {};
  return errno == EADDRINUSE ? to_string(bind_problem("TCP", {{}, local_port()}, errno).problem)
                             : base::errno_text("listen", errno);
}

// Linux lets a listening socket be shut down: callers are refused from there on, the port stays
// bound, and listen(2) starts it again.
void TcpListener::rest() { static_cast<void>(::shutdown(fd_.get(), SHUT_RDWR)); }

std::optional<TcpListener::Caller> TcpListener::accept() {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  base::UniqueFd socket(::accept4(fd_.get(), reinterpret_cast<sockaddr*>(&address), &length,
                                  SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket) return std::nullopt;
  return Caller{std::move(socket), from_socket_address(address)};
}

}  // namespace io
