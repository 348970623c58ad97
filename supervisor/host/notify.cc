// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/text.h"

namespace host {

void notify_manager(const std::string& message) { sd_notify(0, message.c_str()); }

void wait_for_manager(base::Duration limit) {
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(limit).count();
  sd_notify_barrier(0, static_cast<std::uint64_t>(microseconds));
}

std::optional<base::Duration> watchdog_pace() {
  std::uint64_t microseconds = 0;
  if (sd_watchdog_enabled(0, &microseconds) <= 0 || microseconds == 0) return std::nullopt;
  return std::chrono::microseconds(microseconds / 2);
}

Notification parse_notification(std::string_view message) {
  Notification result;
  for (const auto line : base::split(message, '\n')) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const auto key = line.substr(0, equals), value = line.substr(equals + 1);
    if (key == "READY") result.ready = value == "1";
    if (key == "STOPPING") result.stopping = value == "1";
    if (key == "RELOADING") result.reloading = value == "1";
    if (key == "STATUS") result.status = std::string(value);
    if (key == "WATCHDOG" && value == "1") result.watchdog = true;
    if (key == "WATCHDOG" && value == "trigger") result.trigger = true;
    if (key == "WATCHDOG_USEC") result.watchdog_usec = base::parse_number<std::uint64_t>(value);
    if (key == "FDSTORE") result.store = value == "1";
    if (key == "FDSTOREREMOVE") result.forget = value == "1";
    if (key == "FDNAME") result.name = std::string(value);
    if (key == "EXTEND_TIMEOUT_USEC") {
      result.extend_timeout_usec = base::parse_number<std::uint64_t>(value);
    }
  }
  return result;
}

NotifySocket::NotifySocket()
    : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  const int on = 1;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socklen_t length = sizeof address.sun_family;  // nothing but the family: the kernel picks a name
  if (!fd_ || ::setsockopt(fd_.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0 ||
      ::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), length) != 0) {
    throw base::FatalError(base::errno_text("cannot make the notify socket", errno));
  }
  length = sizeof address;
  if (::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    throw base::FatalError(base::errno_text("cannot name the notify socket", errno));
  }
  const std::size_t start = offsetof(sockaddr_un, sun_path) + 1;
  address_ = "@" + std::string(address.sun_path + 1, length - start);
}

std::optional<NotifySocket::Datagram> NotifySocket::receive() {
  char text[4096];
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred)) + 256];
  iovec piece{text, sizeof text};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  ssize_t got = 0;
  do {
    got = ::recvmsg(fd_.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return std::nullopt;
  Datagram datagram{0, std::string(text, static_cast<std::size_t>(got)), {}};
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET) continue;
    if (part->cmsg_type == SCM_CREDENTIALS) {
      ucred sender{};
      std::memcpy(&sender, CMSG_DATA(part), sizeof sender);
      datagram.sender = sender.pid;
    } else if (part->cmsg_type == SCM_RIGHTS) {
      for (std::size_t at = 0; at + sizeof(int) <= part->cmsg_len - CMSG_LEN(0);
           at += sizeof(int)) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(part) + at, sizeof fd);
        datagram.descriptors.emplace_back(fd);
      }
    }
  }
  return datagram;
}

}  // namespace host
