// SPDX-License-Identifier: Apache-2.0
#include "fastpath/io/udp_port.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>
#include <utility>

#include "fastpath/io/socket_address.h"
#include "fastpath/io/udp_receiver.h"
#include "fastpath/io/udp_sender.h"

namespace io {
namespace {

int set(int fd, int level, int option, int value) {
  return ::setsockopt(fd, level, option, &value, sizeof value) == 0 ? 0 : errno;
}

int get(int fd, int option) {
  int value = 0;
  socklen_t length = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, option, &value, &length) == 0 ? value : 0;
}

// The FORCE variants pass the machine's limits but need CAP_NET_ADMIN; without it the plain ones
// give what is allowed.
void set_buffers(int fd, const UdpSettings& settings) {
  const int receive = settings.rcvbuf_bytes > 0 ? settings.rcvbuf_bytes : kUdpBufferBytes;
  const int send = settings.sndbuf_bytes > 0 ? settings.sndbuf_bytes : kUdpBufferBytes;
  if (set(fd, SOL_SOCKET, SO_RCVBUFFORCE, receive) != 0) {
    static_cast<void>(set(fd, SOL_SOCKET, SO_RCVBUF, receive));
  }
  if (set(fd, SOL_SOCKET, SO_SNDBUFFORCE, send) != 0) {
    static_cast<void>(set(fd, SOL_SOCKET, SO_SNDBUF, send));
  }
}

// Empty, or the problem of a wish that could not be met.
std::optional<OpenProblem> set_options(int fd, const UdpSettings& settings) {
  const bool v6 = settings.family == base::IpFamily::kIpv6;
  if (v6) {
    const int error = set(fd, IPPROTO_IPV6, IPV6_V6ONLY, settings.dual_stack ? 0 : 1);
    if (error != 0) return OpenProblem{{{}, base::errno_text("IPV6_V6ONLY", error), {}}};
  }
  if (settings.mark) {
    const int error = set(fd, SOL_SOCKET, SO_MARK, static_cast<int>(*settings.mark));
    if (error != 0) {
      return OpenProblem{{{},
                          base::errno_text("mark " + std::to_string(*settings.mark), error),
                          "run as root or with CAP_NET_ADMIN, or leave `mark` out"},
                         true};
    }
  }
  if (settings.mtu_disc) {
    if (v6) static_cast<void>(set(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, *settings.mtu_disc));
    // On an IPv6-only socket this one fails, and means nothing.
    static_cast<void>(set(fd, IPPROTO_IP, IP_MTU_DISCOVER, *settings.mtu_disc));
  }
  set_buffers(fd, settings);
  return std::nullopt;
}

OpenProblem bind_problem(const base::Endpoint& local, int error) {
  const std::string port = std::to_string(local.port);
  const std::string who = "`ss -lunp 'sport = :" + port + "'` shows by whom";
  switch (error) {
    case EADDRINUSE:
      return {{{},
               "UDP port " + port + " is in use",
               who + "; stop that one, or write another `port` at both ends"}};
    case EACCES:
      return {{{},
               "no permission to bind UDP port " + port,
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

}  // namespace

UdpPort::UdpPort(base::UniqueFd fd, const UdpSettings& settings)
    : fd_(std::move(fd)),
      family_(settings.family),
      dual_stack_(settings.family == base::IpFamily::kIpv6 && settings.dual_stack),
      receiver_(std::make_unique<Receiver>(fd_.get())),
      sender_(std::make_unique<Sender>(fd_.get(), settings.family)) {}

UdpPort::~UdpPort() = default;

base::Result<std::unique_ptr<UdpPort>, OpenProblem> UdpPort::open(const UdpSettings& settings) {
  const bool v6 = settings.family == base::IpFamily::kIpv6;
  base::UniqueFd fd(
      ::socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd && v6 && settings.dual_stack && errno == EAFNOSUPPORT) {
    UdpSettings ipv4_only = settings;
    ipv4_only.family = base::IpFamily::kIpv4;
    return open(ipv4_only);
  }
  if (!fd) return OpenProblem{{{}, base::errno_text("cannot make a UDP socket", errno), {}}};
  if (auto problem = set_options(fd.get(), settings)) return *problem;
  base::Endpoint local;
  if (v6) local.address = *base::IpAddress::parse("::");
  if (settings.local) local.address = *settings.local;
  local.port = settings.port.value_or(0);
  const SocketAddress to = to_socket_address(local, settings.family);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&to.storage), to.length) != 0) {
    return bind_problem(local, errno);
  }
  return std::unique_ptr<UdpPort>(new UdpPort(std::move(fd), settings));
}

std::uint16_t UdpPort::local_port() const {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  return from_socket_address(address).port;
}

int UdpPort::rcvbuf_bytes() const { return get(fd_.get(), SO_RCVBUF); }
int UdpPort::sndbuf_bytes() const { return get(fd_.get(), SO_SNDBUF); }

ReadOutcome UdpPort::read(packet::PacketBatch& batch) { return receiver_->read(batch, drops_); }
void UdpPort::write(packet::PacketBatch& batch) { sender_->write(batch, drops_); }

}  // namespace io
