// SPDX-License-Identifier: Apache-2.0
#include "fastpath/root_helper/password_question.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "base/wipe.h"

namespace root_helper {
namespace {

constexpr std::size_t kAnswerBytesMax = 4096;
constexpr std::string_view kFile = "ask.tunctl-", kSocket = "sck.tunctl-", kLock = "lck.tunctl-";
constexpr int kTries = 20;
constexpr useconds_t kPauseMicroseconds = 100'000;
constexpr mode_t kReadable = 0644;  // no secret: systemd's own are readable too

// Whoever had the lock before may have taken its file away meanwhile: then it locks nothing.
bool is_file_at(const std::string& path, int fd) {
  struct stat named {
  }, held{};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(fd, &held) == 0 &&
         named.st_dev == held.st_dev && named.st_ino == held.st_ino;
}

// By the credentials of whoever sent it, which the kernel vouches for.
bool is_trusted(const msghdr& message) {
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr;
       head = CMSG_NXTHDR(const_cast<msghdr*>(&message), head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_CREDENTIALS) continue;
    ucred sender{};
    std::memcpy(&sender, CMSG_DATA(head), sizeof sender);
    return sender.uid == 0 || sender.uid == ::geteuid();
  }
  return false;
}

}  // namespace

std::string format_question(const PasswordQuestion& question, int process,
                            const std::string& socket) {
  // NotAfter=0: for ever; the file goes with the process, and an agent passes over a dead one's.
  return "[Ask]\nPID=" + std::to_string(process) + "\nSocket=" + socket +
         "\nAcceptCached=0\nEcho=" + (question.echo ? "1" : "0") +
         "\nNotAfter=0\nSilent=0\nMessage=" + question.text +
         "\nIcon=network-vpn\nId=tunctl:" + question.id + "\n";
}

std::optional<std::string> answer_in(std::string_view datagram) {
  if (!datagram.starts_with('+')) return std::nullopt;
  datagram.remove_prefix(1);
  return std::string(datagram.substr(0, datagram.find('\0')));
}

void remove_dead_questions(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kLock)) continue;
    const base::UniqueFd lock(::open(entry.path().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) continue;  // it is alive
    const std::string id = name.substr(kLock.size());
    for (const std::string_view kind : {kFile, kSocket, kLock}) {
      ::unlink((folder + "/" + std::string(kind) + id).c_str());
    }
  }
}

OpenPasswordQuestion::OpenPasswordQuestion(const std::string& folder,
                                           const PasswordQuestion& question)
    : folder_(folder),
      socket_path_(folder + "/" + std::string(kSocket) + question.id),
      file_(folder + "/" + std::string(kFile) + question.id),
      lock_(folder + "/" + std::string(kLock) + question.id) {
  ::mkdir(folder_.c_str(), 0755);
  if (!wait_for_turn()) {
    problem_ = base::errno_text("cannot ask in " + folder_, errno);
    turn_.reset();
    return;
  }
  problem_ = make_socket();
  if (problem_.empty()) problem_ = make_file(question);
}

OpenPasswordQuestion::~OpenPasswordQuestion() {
  if (!turn_) return;
  ::unlink(file_.c_str());
  ::unlink(socket_path_.c_str());
  ::unlink(lock_.c_str());
}

// Two of one id would take away each other's files; the one before may be about to end.
bool OpenPasswordQuestion::wait_for_turn() {
  for (int i = 0; i < kTries; ++i) {
    turn_.reset(::open(lock_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!turn_) return false;
    if (::flock(turn_.get(), LOCK_EX | LOCK_NB) == 0 && is_file_at(lock_, turn_.get())) return true;
    ::usleep(kPauseMicroseconds);
  }
  return false;
}

std::string OpenPasswordQuestion::make_socket() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path_.size() >= sizeof address.sun_path) return socket_path_ + " is too long";
  std::copy(socket_path_.begin(), socket_path_.end(), address.sun_path);
  ::unlink(socket_path_.c_str());
  socket_.reset(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  const int on = 1;
  const mode_t mask = ::umask(0177);
  const bool bound =
      socket_ && ::setsockopt(socket_.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0 &&
      ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const int error = errno;
  ::umask(mask);
  return bound ? std::string() : base::errno_text("cannot make " + socket_path_, error);
}

// It appears in one step, as agents want it: whole, and by a rename, which is what they watch for.
std::string OpenPasswordQuestion::make_file(const PasswordQuestion& question) {
  ::unlink(file_.c_str());
  const std::string text = format_question(question, static_cast<int>(::getpid()), socket_path_);
  const std::string part = folder_ + "/tmp.tunctl-" + question.id;
  std::string problem = base::write_file_atomically(part, text, kReadable);
  if (problem.empty() && ::rename(part.c_str(), file_.c_str()) != 0) {
    problem = base::errno_text("cannot make " + file_, errno);
  }
  return problem;
}

std::optional<std::string> OpenPasswordQuestion::take_answer(bool& more) {
  more = true;
  std::string bytes(kAnswerBytesMax, '\0');
  iovec part{bytes.data(), bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> space{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space.data();
  message.msg_controllen = space.size();
  const ssize_t got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  std::optional<std::string> answer;
  // A datagram that was cut off is no answer, and a stranger's is none either.
  if (got > 0 && is_trusted(message) && (message.msg_flags & MSG_TRUNC) == 0) {
    answer = answer_in(std::string_view(bytes).substr(0, static_cast<std::size_t>(got)));
    more = false;
  }
  base::wipe(bytes);
  return answer;
}

}  // namespace root_helper
