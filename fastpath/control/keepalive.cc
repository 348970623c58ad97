// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/keepalive.h"

#include <algorithm>

namespace control {

using std::chrono::seconds;

Keepalive::Keepalive(const config::KeepaliveConfig& config, base::TimePoint now) {
  configure(config, now);
}

void Keepalive::configure(const config::KeepaliveConfig& config, base::TimePoint now) {
  ping_ = seconds(config.ping_seconds);
  timer_needs_remote_ = config.timer_needs_remote;
  inactive_bytes_ = static_cast<std::uint64_t>(std::max<std::int64_t>(config.inactive_bytes, 0));
  restart_ = {seconds(config.ping_restart_seconds)};
  exit_ = {seconds(config.ping_exit_seconds)};
  inactive_ = {seconds(config.inactive_seconds)};
  last_sent_ = last_received_ = last_active_ = now;
  bytes_since_active_ = 0;
}

void Keepalive::restart(base::TimePoint now, bool remote_known) {
  last_sent_ = last_received_ = now;
  remote_known_ = remote_known;
  restart_.told = exit_.told = false;
}

void Keepalive::remote_known(base::TimePoint now) {
  if (waiting_for_remote()) last_received_ = now;
  if (!remote_known_) last_sent_ = now;
  remote_known_ = true;
}

void Keepalive::tunnel_bytes(base::TimePoint now, std::uint64_t bytes) {
  bytes_since_active_ += bytes;
  if (bytes_since_active_ < inactive_bytes_) return;
  bytes_since_active_ = 0;
  last_active_ = now;
}

bool Keepalive::ping_due(base::TimePoint now) const {
  return pinging() && now - last_sent_ >= ping_;
}

bool Keepalive::run_out(Limit& limit, base::TimePoint since, base::TimePoint now) const {
  if (!limit.running() || now - since < limit.after) return false;
  limit.told = true;
  return true;
}

Expiry Keepalive::handle_timeout(base::TimePoint now) {
  if (!waiting_for_remote()) {
    if (run_out(exit_, last_received_, now)) return Expiry::kPingExit;
    if (run_out(restart_, last_received_, now)) return Expiry::kPingRestart;
  }
  if (run_out(inactive_, last_active_, now)) return Expiry::kInactive;
  return Expiry::kNone;
}

std::optional<base::TimePoint> Keepalive::next_timeout() const {
  std::optional<base::TimePoint> next;
  const auto consider = [&next](base::TimePoint at) { next = next ? std::min(*next, at) : at; };
  if (pinging()) consider(last_sent_ + ping_);
  if (!waiting_for_remote()) {
    if (restart_.running()) consider(last_received_ + restart_.after);
    if (exit_.running()) consider(last_received_ + exit_.after);
  }
  if (inactive_.running()) consider(last_active_ + inactive_.after);
  return next;
}

}  // namespace control
