// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/status_reporter.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <numeric>
#include <utility>

#include "base/file.h"

namespace engine {
namespace {

constexpr base::Duration kBusyInterval = std::chrono::seconds(2);
constexpr base::Duration kIdleInterval = std::chrono::seconds(32);
// For how long after the last packet of a loop it is still told of.
constexpr base::Duration kLoopMemory = std::chrono::seconds(60);

std::string local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local)};
}

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + "," + b;
}

// A number that moves when anything worth telling did.
std::uint64_t activity(const WorkerReport& report) {
  const auto& c = report.counters;
  return std::accumulate(c.drops.begin(), c.drops.end(), c.tun_read_bytes + c.tun_write_bytes);
}

}  // namespace

StatusReporter::StatusReporter(const config::ProcessConfig& process, TunnelLink& link,
                               const TunnelDevice& device, Notifier& notifier, Timers& timers,
                               const base::Log& log)
    : process_(process),
      link_(link),
      device_(device),
      notifier_(notifier),
      timers_(timers),
      log_(log),
      since_(base::unix_now()),
      interval_(kBusyInterval) {}

void StatusReporter::start() {
  if (const auto half = notifier_.watchdog_half_period()) {
    timers_.set(Timer::kHealth, base::monotonic_now() + *half);
  }
  if (!process_.status_file.empty()) write_file();
}

void StatusReporter::set_state(ovpn::ConnectionState state) {
  if (state != state_) {
    state_ = state;
    since_ = base::unix_now();
  }
  if (state == ovpn::ConnectionState::kConnected) reason_.clear();
  interval_ = kBusyInterval;
  tell_manager();
}

void StatusReporter::tell_reason(std::string why) {
  reason_ = std::move(why);
  interval_ = kBusyInterval;
  const base::TimePoint now = base::monotonic_now(), next = told_at_ + kBusyInterval;
  if (now >= next) return tell_manager();
  if (notifier_.listening()) timers_.set(Timer::kStatusLine, next);
}

// The line has room for one: the first that there is, those first that mean that nothing gets
// through.
std::string StatusReporter::note() {
  if (!wish_.empty()) return wish_;
  const auto remote = link_.report().remote;
  if (loops() && remote) return loop_text(*remote);
  if (!reason_.empty()) return reason_;
  const Worker* worker = link_.worker();
  const std::string difference = worker != nullptr ? worker->options_difference() : "";
  if (!difference.empty()) return std::string(ovpn::kPeerDiffers) + difference;
  const std::string missing = device_.missing_routes();
  if (!missing.empty()) return std::string(ovpn::kRouteMissing) + missing;
  if (!difference_.empty()) return std::string(ovpn::kOptionsDiffer) + difference_;
  const std::string threads = worker != nullptr ? worker->thread_problem() : "";
  return threads.empty() && state_ == ovpn::ConnectionState::kWait ? hint_ : threads;
}

// The counter says that there were such packets; that it moved, that there are.
bool StatusReporter::loops() {
  if (link_.worker() == nullptr) return false;  // whose counters begin where they were
  const auto& drops = link_.report().counters.drops;
  const std::uint64_t packets = drops[static_cast<std::size_t>(packet::DropReason::kOwnPacket)];
  const base::TimePoint now = base::monotonic_now();
  if (packets > own_packets_) own_packets_at_ = now;
  own_packets_ = packets;
  return own_packets_at_ && now - *own_packets_at_ < kLoopMemory;
}

void StatusReporter::tell_manager() {
  if (!notifier_.listening()) return;
  send_line();
  told_at_ = base::monotonic_now();
  const std::uint64_t now_activity = activity(link_.report());
  interval_ =
      now_activity != told_activity_ ? kBusyInterval : std::min(interval_ * 2, kIdleInterval);
  told_activity_ = now_activity;
  timers_.set(Timer::kStatusLine, base::monotonic_now() + interval_);
}

void StatusReporter::send_line() {
  ovpn::StatusLine line = status_line(link_.report(), state_, since_, base::monotonic_now());
  line.crypto = cipher_.library;
  line.offload = joined(device_.offloads(), link_.offloads());
  line.note = note();
  notifier_.status(ovpn::format_status_line(line));
}

void StatusReporter::write_file() {
  if (process_.status_seconds > 0) {
    timers_.set(Timer::kStatusFile,
                base::monotonic_now() + std::chrono::seconds(process_.status_seconds));
  }
  const std::string text = status_file_text(link_.report(), cipher_, local_time());
  std::string failure = base::write_named_file(process_.status_file, text, 0644);
  if (failure.empty()) {
    const int how = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    file_.reset(::open(process_.status_file.c_str(), how));
  } else if (file_) {
    failure = write_in_place(text);
  }
  if (failure.empty() || file_warned_) return;
  file_warned_ = true;
  log_.warning("status: " + failure);
}

std::string StatusReporter::write_in_place(const std::string& text) {
  struct stat status {};
  const bool special = ::fstat(file_.get(), &status) == 0 && !S_ISREG(status.st_mode);
  if (special && base::write_all(file_.get(), text)) return {};
  const auto size = static_cast<ssize_t>(text.size());
  if (!special && ::pwrite(file_.get(), text.data(), text.size(), 0) == size &&
      ::ftruncate(file_.get(), size) == 0) {
    return {};
  }
  return base::errno_text("cannot write " + process_.status_file, errno);
}

void StatusReporter::feed_watchdog() {
  const auto half = notifier_.watchdog_half_period();
  if (!half) return;
  // Without a worker the tunnel waits for a name to be resolved: this thread turning is enough.
  if (link_.worker() == nullptr || link_.worker()->answered_probe()) {
    notifier_.watchdog();
  } else {
    log_.error("a data thread has not turned for a while: no sign of life to the service manager");
  }
  timers_.set(Timer::kHealth, base::monotonic_now() + *half);
}

void StatusReporter::dump_to_log() {
  const Worker* worker = link_.worker();
  const std::string difference = worker != nullptr ? worker->options_difference() : "";
  for (const std::string& line : status_dump(link_.report(), state_, cipher_, difference)) {
    log_.notice(line);
  }
}

}  // namespace engine
