// SPDX-License-Identifier: Apache-2.0
#include "fastpath/io/ask_socket.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/wipe.h"

namespace io {
namespace {

constexpr std::size_t kAnswerBytesMax = 4096;
constexpr std::string_view kTaken = "ok", kLate = "late";

bool may_answer(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == 0 || peer.uid == ::geteuid();
}

bool is_socket(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
}

bool watch(const base::UniqueFd& epoll, const base::UniqueFd& fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  return ::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd.get(), &event) == 0;
}

void send(const base::UniqueFd& to, std::string_view text) {
  // Whoever went away meanwhile does not miss it.
  if (::send(to.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return;
}

}  // namespace

AskSocket::AskSocket(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  problem_ = make();
  if (problem_.empty()) return;
  problem_ = "ask: " + problem_;
  listener_.reset();
  ready_.reset();
}

// Returns what went wrong.
std::string AskSocket::make() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.size() >= sizeof address.sun_path) return path_ + " is too long for a socket";
  std::copy(path_.begin(), path_.end(), address.sun_path);
  if (is_socket(path_)) ::unlink(path_.c_str());
  ready_.reset(::epoll_create1(EPOLL_CLOEXEC));
  listener_.reset(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!ready_ || !listener_) return base::errno_text("cannot make a socket", errno);
  // Who may connect is looked at again when somebody does.
  const mode_t mask = ::umask(0177);
  const int bound =
      ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int error = errno;
  ::umask(mask);
  if (bound != 0) return base::errno_text("cannot make " + path_, error);
  if (::listen(listener_.get(), 4) != 0 || !watch(ready_, listener_)) {
    return base::errno_text("cannot listen at " + path_, errno);
  }
  return {};
}

AskSocket::~AskSocket() {
  if (listener_) ::unlink(path_.c_str());
}

void AskSocket::ask(std::string question) { question_ = std::move(question); }

std::optional<std::string> AskSocket::take_answer() {
  if (!listener_) return std::nullopt;
  auto answer = caller_ ? read_answer() : std::nullopt;
  if (!answer) accept_one();
  return answer;
}

// One at a time; who comes later takes the place, for the one before may have been forgotten.
void AskSocket::accept_one() {
  base::UniqueFd next(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!next || !may_answer(next.get()) || !watch(ready_, next)) return;
  caller_ = std::move(next);
  told_ = question_;
  send(caller_, told_);
}

std::optional<std::string> AskSocket::read_answer() {
  std::string answer(kAnswerBytesMax, '\0');
  const ssize_t got = ::recv(caller_.get(), answer.data(), answer.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  // An end of file looks like an empty packet; MSG_TRUNC cannot happen to what a person types.
  const bool good = got > 0 && !told_.empty() && told_ == question_;
  if (got > 0) send(caller_, good ? kTaken : kLate);
  caller_.reset();
  if (!good) {
    base::wipe(answer);
    return std::nullopt;
  }
  answer.resize(static_cast<std::size_t>(got));
  question_.clear();
  // The line's end makes an empty answer a packet of its own.
  while (answer.ends_with('\n')) answer.pop_back();
  return answer;
}

}  // namespace io
