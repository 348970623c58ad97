// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"
#include "ovpn/take_over.h"

namespace engine {

Signals::Signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) ::sigaddset(&set, signal);
  ::sigaddset(&set, ovpn::leave_signal());
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  fd_.reset(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!fd_) throw base::FatalError(base::errno_text("signalfd", errno));
}

std::optional<int> Signals::next() {
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

std::string signal_name(int signal) {
  switch (signal) {
    case SIGTERM:
      return "sigterm";
    case SIGINT:
      return "sigint";
    case SIGHUP:
      return "sighup";
    case SIGUSR1:
      return "sigusr1";
    case SIGUSR2:
      return "sigusr2";
    default:
      return std::to_string(signal);
  }
}

}  // namespace engine
