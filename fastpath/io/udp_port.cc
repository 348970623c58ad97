// SPDX-License-Identifier: Apache-2.0
#include "fastpath/io/udp_port.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "fastpath/io/udp_receiver.h"
#include "fastpath/io/udp_sender.h"

namespace io {
namespace {

int get(int fd, int option) {
  int value = 0;
  socklen_t length = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, option, &value, &length) == 0 ? value : 0;
}

// The FORCE variants pass the machine's limits but need CAP_NET_ADMIN; without it the plain ones
// give what is allowed.
void set_receive_buffer(int fd, int bytes) {
  if (set_socket_option(fd, SOL_SOCKET, SO_RCVBUFFORCE, bytes) != 0) {
    static_cast<void>(set_socket_option(fd, SOL_SOCKET, SO_RCVBUF, bytes));
  }
}

void set_send_buffer(int fd, int bytes) {
  if (set_socket_option(fd, SOL_SOCKET, SO_SNDBUFFORCE, bytes) != 0) {
    static_cast<void>(set_socket_option(fd, SOL_SOCKET, SO_SNDBUF, bytes));
  }
}

// Empty, or the problem of a wish that could not be met.
std::optional<OpenProblem> set_options(int fd, const UdpSettings& settings) {
  if (auto problem = set_shared_options(fd, settings)) return problem;
  if (settings.mtu_disc) {
    const int wish = *settings.mtu_disc;
    if (settings.family == base::IpFamily::kIpv6) {
      static_cast<void>(set_socket_option(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, wish));
    }
    // On an IPv6-only socket this one fails, and means nothing.
    static_cast<void>(set_socket_option(fd, IPPROTO_IP, IP_MTU_DISCOVER, wish));
  }
  set_receive_buffer(fd, settings.rcvbuf_bytes > 0 ? settings.rcvbuf_bytes : kUdpBufferBytes);
  set_send_buffer(fd, settings.sndbuf_bytes > 0 ? settings.sndbuf_bytes : kUdpBufferBytes);
  return std::nullopt;
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
  if (auto problem = bind_socket(fd.get(), "UDP", settings)) return *problem;
  return std::unique_ptr<UdpPort>(new UdpPort(std::move(fd), settings));
}

std::unique_ptr<UdpPort> UdpPort::take_over(base::UniqueFd fd, const UdpSettings& settings) {
  if (!fd) return nullptr;
  const int domain = get(fd.get(), SO_DOMAIN);
  UdpSettings found = settings;
  if (domain == AF_INET && settings.dual_stack) found.family = base::IpFamily::kIpv4;  // see open()
  const bool v6 = found.family == base::IpFamily::kIpv6;
  if (domain != (v6 ? AF_INET6 : AF_INET) || get(fd.get(), SO_TYPE) != SOCK_DGRAM) return nullptr;
  if (settings.port.value_or(0) != 0 && bound_port(fd.get()) != *settings.port) return nullptr;
  return std::unique_ptr<UdpPort>(new UdpPort(std::move(fd), found));
}

std::uint16_t UdpPort::local_port() const { return bound_port(fd_.get()); }
int UdpPort::rcvbuf_bytes() const { return get(fd_.get(), SO_RCVBUF); }
int UdpPort::sndbuf_bytes() const { return get(fd_.get(), SO_SNDBUF); }

void UdpPort::set_buffers(int sndbuf_bytes, int rcvbuf_bytes) {
  if (rcvbuf_bytes > 0) set_receive_buffer(fd_.get(), std::min(rcvbuf_bytes, kUdpBufferBytes));
  if (sndbuf_bytes > 0) set_send_buffer(fd_.get(), std::min(sndbuf_bytes, kUdpBufferBytes));
}

std::string UdpPort::offloads() const {
  int ignored = 0;
  socklen_t length = sizeof ignored;
  const bool sends = ::getsockopt(fd_.get(), SOL_UDP, UDP_SEGMENT, &ignored, &length) == 0;
  std::string names = sends ? "gso" : "";
  if (receiver_->trains()) names += names.empty() ? "gro" : ",gro";
  return names;
}

ReadOutcome UdpPort::read(packet::PacketBatch& batch) { return receiver_->read(batch, drops_); }
void UdpPort::write(packet::PacketBatch& batch) { sender_->write(batch, drops_); }

}  // namespace io
