// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "fastpath/config/tunnel_config.h"

namespace control {

enum class Expiry { kNone, kPingRestart, kPingExit, kInactive };

// All timers of the ping family. Facts are reported in; only this class knows the rules:
//   ping n           a ping is due when nothing was sent for n seconds
//   ping-restart n   runs out when nothing authenticated came for n seconds; ping-exit likewise
//   ping-timer-rem   those two wait until the peer's address is known
//   inactive n [b]   runs out when fewer than b bytes (none given: no packet at all) of tunnel
//                    packets went either way for n seconds; pings are no activity
// Every expiry is told once and then rests until restart(). Used by one worker; calls must not go
// back in time.
class Keepalive {
 public:
  Keepalive(const config::KeepaliveConfig& config, base::TimePoint now);

  // Other values from here on, as a push brings them: all timers begin again.
  void configure(const config::KeepaliveConfig& config, base::TimePoint now);
  // While there is nothing to seal a ping with none is due; at first there is.
  void set_can_send(bool can_send) { can_send_ = can_send; }
  // The link starts anew: ping and ping-restart timers begin again, the activity goes on.
  void restart(base::TimePoint now, bool remote_known);
  void remote_known(base::TimePoint now);
  void data_sent(base::TimePoint now) { last_sent_ = now; }
  void authenticated_packet_received(base::TimePoint now) { last_received_ = now; }
  void tunnel_bytes(base::TimePoint now, std::uint64_t bytes);

  bool ping_due(base::TimePoint now) const;
  Expiry handle_timeout(base::TimePoint now);  // at most one a call; call until kNone
  std::optional<base::TimePoint> next_timeout() const;

 private:
  struct Limit {
    base::Duration after{0};  // 0: off
    bool told = false;

    bool running() const { return after.count() > 0 && !told; }
  };

  bool waiting_for_remote() const { return timer_needs_remote_ && !remote_known_; }
  bool run_out(Limit& limit, base::TimePoint since, base::TimePoint now) const;

  bool pinging() const { return ping_.count() > 0 && remote_known_ && can_send_; }

  base::Duration ping_{0};
  bool timer_needs_remote_ = false;
  std::uint64_t inactive_bytes_ = 0;
  Limit restart_, exit_, inactive_;
  bool can_send_ = true;
  bool remote_known_ = false;
  base::TimePoint last_sent_, last_received_, last_active_;
  std::uint64_t bytes_since_active_ = 0;
};

}  // namespace control
