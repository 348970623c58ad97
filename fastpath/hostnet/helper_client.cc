// SPDX-License-Identifier: Apache-2.0
#include "fastpath/hostnet/helper_client.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string_view>

#include "base/error.h"
#include "base/printable.h"
#include "base/time.h"
#include "base/wipe.h"

namespace hostnet {
namespace {

constexpr auto kPatience = std::chrono::seconds(20);
constexpr int kStepMs = 50;
constexpr std::string_view kDone = "done ", kNot = "not ";

// Connected, or -1 with errno. A full queue is one more way of not being there: it never blocks.
base::UniqueFd connect_to(const std::string& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return {};
  }
  std::copy(socket.begin(), socket.end(), address.sun_path);
  base::UniqueFd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return {};
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return {};
  }
  return fd;
}

bool send_request(const base::UniqueFd& to, const HelperRequest& request) {
  const std::string packet = format_request(request);
  return ::send(to.get(), packet.data(), packet.size(), MSG_NOSIGNAL) >= 0;
}

// Whether something came before the patience ended.
bool wait_for_answer(int fd, const WhileRunning& meanwhile) {
  const base::TimePoint start = base::monotonic_now();
  for (;;) {
    pollfd wanted{fd, POLLIN, 0};
    const int ready = ::poll(&wanted, 1, kStepMs);
    if (ready > 0) return true;
    const base::Duration so_far = base::monotonic_now() - start;
    if ((ready < 0 && errno != EINTR) || so_far > kPatience) return false;
    if (meanwhile) meanwhile(so_far);
  }
}

std::string receive(int fd) {
  std::string packet(kHelperPacketBytesMax, '\0');
  const ssize_t got = ::recv(fd, packet.data(), packet.size(), MSG_DONTWAIT);
  packet.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return packet;
}

}  // namespace

HelperAnswer call_helper(const std::string& socket, const HelperRequest& request,
                         const WhileRunning& meanwhile) {
  const base::UniqueFd fd = connect_to(socket);
  if (!fd || !send_request(fd, request)) {
    return {HelperAnswer::Kind::kUnreachable, base::errno_text(socket, errno)};
  }
  const std::string answer = wait_for_answer(fd.get(), meanwhile) ? receive(fd.get()) : "";
  const auto rest = [&](std::string_view head) {
    return base::loggable(std::string_view(answer).substr(head.size()));
  };
  if (answer.starts_with(kDone)) return {HelperAnswer::Kind::kDone, rest(kDone)};
  if (answer.starts_with(kNot)) return {HelperAnswer::Kind::kNot, rest(kNot)};
  return {HelperAnswer::Kind::kUnclear, "tunctl-helper went away without an answer"};
}

HelperQuestion::HelperQuestion(const std::string& socket, const AskPerson& question)
    : connection_(connect_to(socket)) {
  if (connection_ && !send_request(connection_, question)) connection_.reset();
}

std::optional<std::string> HelperQuestion::take_answer() {
  std::string packet(kHelperPacketBytesMax, '\0');
  const ssize_t got = ::recv(connection_.get(), packet.data(), packet.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  connection_.reset();
  packet.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  std::optional<std::string> answer;
  if (packet.starts_with('+')) answer = packet.substr(1);
  base::wipe(packet);
  return answer;
}

}  // namespace hostnet
