// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/file.h"
#include "base/unique_fd.h"
#include "base/wipe.h"

namespace host {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
constexpr std::size_t kLineBytesMax = 8192;

volatile sig_atomic_t caught = 0;

void note_signal(int signal) { caught = signal; }

// While it lives a signal ends the waiting for a line instead of the process; then it is sent anew.
class SignalsHeld {
 public:
  SignalsHeld() {
    caught = 0;
    sigset_t all{};
    ::sigemptyset(&all);
    struct sigaction action {};
    action.sa_handler = note_signal;
    for (std::size_t at = 0; at < kSignals.size(); ++at) {
      ::sigaddset(&all, kSignals[at]);
      ::sigaction(kSignals[at], &action, &before_[at]);
    }
    ::sigprocmask(SIG_BLOCK, &all, &mask_);
  }
  ~SignalsHeld() {
    ::sigprocmask(SIG_SETMASK, &mask_, nullptr);
    for (std::size_t at = 0; at < kSignals.size(); ++at) {
      ::sigaction(kSignals[at], &before_[at], nullptr);
    }
    if (caught != 0) ::kill(::getpid(), caught);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

  // Until there is a line. They may come here and nowhere else, so none is missed in between.
  bool wait_readable(int fd) const {
    pollfd one{fd, POLLIN, 0};
    return ::ppoll(&one, 1, nullptr, &mask_) == 1;
  }

 private:
  sigset_t mask_{};  // as it was before
  std::array<struct sigaction, kSignals.size()> before_{};
};

class EchoOff {
 public:
  explicit EchoOff(int fd) : fd_(fd) {
    if (::tcgetattr(fd_, &before_) != 0) return;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    quiet.c_lflag |= ECHONL;
    // What was typed before the question is no answer to it.
    off_ = ::tcsetattr(fd_, TCSAFLUSH, &quiet) == 0;
  }
  ~EchoOff() {
    if (off_) ::tcsetattr(fd_, TCSAFLUSH, &before_);
  }
  EchoOff(const EchoOff&) = delete;
  EchoOff& operator=(const EchoOff&) = delete;

  bool off() const { return off_; }

 private:
  const int fd_;
  termios before_{};
  bool off_ = false;
};

std::optional<std::string> read_line(int fd, const SignalsHeld& held) {
  std::string line;
  // One place for all of it: a string that grows leaves copies behind.
  line.reserve(kLineBytesMax);
  char byte = 0;
  while (line.size() < kLineBytesMax && held.wait_readable(fd)) {
    const ssize_t got = ::read(fd, &byte, 1);
    if (got == 1 && byte != '\n') {
      line += byte;
      continue;
    }
    if (got == 1) return line;
    break;
  }
  base::wipe(line);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> ask_on_terminal(const std::string& prompt, bool echo) {
  const base::UniqueFd fd(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  const SignalsHeld held;
  std::optional<EchoOff> quiet;
  if (!echo) {
    quiet.emplace(fd.get());
    if (!quiet->off()) return std::nullopt;  // it would be shown
  }
  if (!base::write_all(fd.get(), prompt)) return std::nullopt;
  return read_line(fd.get(), held);
}

}  // namespace host
