// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/guard.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "base/unique_fd.h"
#include "ovpn/take_over.h"
#include "supervisor/host/child_process.h"
#include "supervisor/host/notify.h"
#include "supervisor/launch/failure_note.h"
#include "supervisor/launch/stock_version.h"
#include "supervisor/launch/stock_watch.h"

namespace launch {
namespace {

// Relative to the runtime folder: a sun_path has 108 bytes, and --root may be long.
constexpr const char* kSocket = "management.sock";
constexpr int kVersionLimitMs = 5000;
constexpr base::Duration kUnwatchedPace = std::chrono::seconds(5);

sigset_t our_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) {
    ::sigaddset(&set, number);
  }
  ::sigaddset(&set, ovpn::leave_signal());
  return set;
}

StockWatchSettings settings_of(const LaunchPlan& plan,
                               const std::map<std::string, std::string>& environment) {
  StockWatchSettings settings;
  settings.ready_connected = plan.ready_connected;
  settings.ready_limit = std::chrono::seconds(plan.ready_timeout_seconds);
  settings.dry_after = std::chrono::seconds(plan.dry_after_seconds);
  settings.pace = kUnwatchedPace;
  if (const auto found = environment.find("WATCHDOG_USEC"); found != environment.end()) {
    const auto period = base::parse_number<std::int64_t>(found->second).value_or(0);
    // A third of the period, so that one late answer is not the end.
    if (period > 0) settings.pace = std::chrono::microseconds(period) / 3;
  }
  return settings;
}

class Guard {
 public:
  Guard(const LaunchPlan& plan, const std::map<std::string, std::string>& environment,
        const base::Log& log)
      : plan_(plan),
        environment_(environment),
        log_(log),
        watch_(settings_of(plan, environment), base::monotonic_now()) {
    // What is for the unit's main process is not for its child.
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) {
      environment_.erase(name);
    }
  }

  int run() {
    const sigset_t set = our_signals();
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    signals_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!listen_for_stock() || !start_stock()) return end(status_of_failure_);
    while (!ended_) turn();
    return end(status_of_end());
  }

 private:
  // Passing trouble (no memory, a full /run, a board that is slow to boot) is worth another start.
  bool fail(std::string why, int status = kExitFailed) {
    log_.error(why);
    failure_ = std::move(why);
    status_of_failure_ = status;
    return false;
  }

  bool listen_for_stock() {
    if (::chdir(plan_.runtime_folder.c_str()) != 0) {
      return fail(base::errno_text("cannot enter " + plan_.runtime_folder, errno));
    }
    ::unlink(kSocket);
    listener_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, kSocket);
    const mode_t before = ::umask(0077);
    const bool bound =
        listener_ &&
        ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::umask(before);
    if (!bound || ::listen(listener_.get(), 1) != 0) {
      return fail(base::errno_text("cannot make the management socket", errno));
    }
    return true;
  }

  bool start_stock() {
    if (::access(plan_.program.c_str(), X_OK) != 0) {
      return fail(base::errno_text("cannot run " + plan_.program, errno), kExitPermanent);
    }
    const auto text =
        host::output_of({plan_.program, {"--version"}, environment_, {}}, kVersionLimitMs);
    if (!text) return fail(plan_.program + " --version did not answer in time");
    const auto version = parse_stock_version(*text);
    if (!version) {
      return fail(plan_.program + " does not say which version it is", kExitPermanent);
    }
    host::ChildOptions stock{plan_.program, plan_.argv, environment_, plan_.runtime_folder};
    const auto add = [&stock](const std::vector<std::string>& words) {
      stock.arguments.insert(stock.arguments.end(), words.begin(), words.end());
    };
    if (*version >= std::pair(2, 7)) {
      add(plan_.stock_27);
    } else if (*version >= std::pair(2, 6)) {
      add(plan_.stock_26);
    }
    // Stock is the one that connects: so it is there from its first state on, and a guard that is
    // gone is a reason for it to go as well.
    add({"--suppress-timestamps", "--management", kSocket, "unix", "--management-client",
         "--management-hold"});
    log_.info(
        fmt::format("stock OpenVPN {}.{}: {}", version->first, version->second, plan_.reason));
    const auto pid = host::start_child(stock);
    if (!pid) return fail(pid.error().message);
    stock_ = *pid;
    return true;
  }

  void turn() {
    pollfd ready[] = {{signals_.get(), POLLIN, 0},
                      {link_ ? link_.get() : listener_.get(), POLLIN, 0}};
    ::poll(ready, 2, milliseconds_to_wait());
    if (link_) {
      read_link();
    } else {
      accept_stock();
    }
    read_signals();
    watch_.timeout(base::monotonic_now());
    if (watch_.gave_up()) ::kill(stock_, SIGTERM);
    write_commands();
    tell();
    reap();
  }

  int milliseconds_to_wait() const {
    const auto at = watch_.next_timeout();
    if (!at) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*at - base::monotonic_now());
    return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
  }

  void accept_stock() {
    base::UniqueFd link(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    ucred peer{};
    socklen_t size = sizeof peer;
    if (!link || ::getsockopt(link.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return;
    if (peer.pid != stock_) return;  // somebody else's connection is closed again
    link_ = std::move(link);
    reader_ = {};
    watch_.connected(base::monotonic_now());
  }

  void read_link() {
    char bytes[4096];
    for (;;) {
      const ssize_t got = ::read(link_.get(), bytes, sizeof bytes);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) break;
      if (got <= 0) {
        link_.reset();  // stock is ending; its exit comes next
        break;
      }
      reader_.feed({bytes, static_cast<std::size_t>(got)});
    }
    while (const auto message = reader_.next()) {
      watch_.message(base::monotonic_now(), base::unix_now(), *message);
    }
  }

  void write_commands() {
    unsent_ += watch_.take_commands();
    while (link_ && !unsent_.empty()) {
      const ssize_t sent = ::send(link_.get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return;  // full: the next turn goes on; broken: the read will tell
      unsent_.erase(0, static_cast<std::size_t>(sent));
    }
  }

  void tell() {
    std::string words = watch_.take_words();
    if (words.empty() || asked_to_stop_) return;
    words.pop_back();  // the last line break
    host::notify_manager(words);
  }

  void read_signals() {
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) == sizeof info) {
      const int number = static_cast<int>(info.ssi_signo);
      if (number == SIGCHLD) continue;
      // Stock has nothing to leave to the one that follows.
      if (number == SIGTERM || number == SIGINT || number == ovpn::leave_signal()) {
        if (!std::exchange(asked_to_stop_, true)) host::notify_manager("STOPPING=1");
        ::kill(stock_, SIGTERM);
      } else {
        ::kill(stock_, number);
      }
    }
  }

  void reap() {
    const auto exit = host::exit_of(stock_);
    if (!exit) return;
    if (link_) read_link();  // its last words
    ::kill(-stock_, SIGKILL);
    exit_ = *exit;
    ended_ = true;
  }

  int status_of_end() {
    if (asked_to_stop_) return 0;
    failure_ = watch_.last_words();
    if (watch_.gave_up()) return kExitFailed;
    const bool refused = !watch_.was_connected_to() && exit_.code == CLD_EXITED;
    if (failure_.empty()) {
      failure_ =
          refused ? "stock OpenVPN refuses its options; its own words are in the log"
                  : fmt::format("stock OpenVPN ended with {} {}",
                                exit_.code == CLD_EXITED ? "exit status" : "signal", exit_.status);
    }
    log_.error(failure_);
    return refused || is_permanent(failure_) ? kExitPermanent : kExitFailed;
  }

  int end(int status) {
    ::unlink(kSocket);
    if (status == 0) return status;
    ovpn::StatusLine line;
    line.state = ovpn::ConnectionState::kExiting;
    line.note = failure_;
    host::notify_manager("STATUS=" + ovpn::format_status_line(line));
    return status;
  }

  const LaunchPlan& plan_;
  std::map<std::string, std::string> environment_;  // stock's
  const base::Log& log_;
  StockWatch watch_;
  base::UniqueFd signals_, listener_, link_;
  ovpn::ManagementReader reader_;
  std::string unsent_, failure_;
  int status_of_failure_ = kExitFailed;
  int stock_ = 0;
  host::ChildExit exit_{};
  bool asked_to_stop_ = false;
  bool ended_ = false;
};

}  // namespace

int guard_stock(const LaunchPlan& plan, const std::map<std::string, std::string>& environment,
                const base::Log& log) {
  return Guard(plan, environment, log).run();
}

}  // namespace launch
