// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/open_question.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/error.h"
#include "base/unique_fd.h"

namespace host {
namespace {

constexpr std::size_t kQuestionBytesMax = 4096;
constexpr timeval kPatience{5, 0};

// A packet; empty where nothing came.
std::string receive(int fd) {
  std::string packet(kQuestionBytesMax, '\0');
  const ssize_t got = ::recv(fd, packet.data(), packet.size(), 0);
  packet.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return packet;
}

std::string send_answer(int fd, std::string_view text) {
  // Empty packets cannot be told from an end, so each has a line end.
  std::string packet(text);
  packet += '\n';
  const ssize_t sent = ::send(fd, packet.data(), packet.size(), MSG_NOSIGNAL);
  ::explicit_bzero(packet.data(), packet.size());
  if (sent < 0) return base::errno_text("the engine does not take the answer", errno);
  return receive(fd) == "ok" ? "" : "the answer came too late; ask again";
}

// What a server said comes to a terminal.
void make_printable(std::string& text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
}

}  // namespace

std::optional<OpenQuestion> open_question(const std::string& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.size() >= sizeof address.sun_path) return std::nullopt;
  std::copy(socket.begin(), socket.end(), address.sun_path);
  const auto fd =
      std::make_shared<base::UniqueFd>(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!*fd) return std::nullopt;
  ::setsockopt(fd->get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  ::setsockopt(fd->get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  if (::connect(fd->get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return std::nullopt;
  }
  const std::string packet = receive(fd->get());
  const auto blank = packet.find(' ');
  if (blank == std::string::npos) return std::nullopt;
  OpenQuestion question{packet.substr(0, blank), packet.substr(blank + 1), {}};
  make_printable(question.text);
  question.answer = [fd](std::string_view text) { return send_answer(fd->get(), text); };
  return question;
}

}  // namespace host
