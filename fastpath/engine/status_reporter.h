// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "fastpath/config/tunnel_config.h"
#include "fastpath/engine/notifier.h"
#include "fastpath/engine/status_text.h"
#include "fastpath/engine/timers.h"
#include "fastpath/engine/tunnel_device.h"
#include "fastpath/engine/tunnel_link.h"
#include "ovpn/connection_state.h"

namespace engine {

// Tells how the tunnel is doing: status file, the service manager's STATUS and WATCHDOG, the log.
// Under traffic STATUS follows every two seconds; an idle tunnel is told about ever more rarely, so
// that it hardly wakes the machine. Used by the main thread.
class StatusReporter {
 public:
  StatusReporter(const config::ProcessConfig& process, TunnelLink& link, const TunnelDevice& device,
                 Notifier& notifier, Timers& timers, const base::Log& log);

  void start();  // sets the timers
  void set_state(ovpn::ConnectionState state);
  ovpn::ConnectionState state() const { return state_; }
  // What a person has to do, for as long as it is not empty; said with the next state.
  void set_wish(std::string wish) { wish_ = std::move(wish); }
  // Why there is no connection, until there is one: told with the next state.
  void set_reason(std::string why) { reason_ = std::move(why); }
  // The same, of what others can bring about as often as they like: told at once, but for the usual
  // interval between two lines.
  void tell_reason(std::string why);
  // What is waited for in the state WAIT, where nothing else is to be said.
  void set_hint(std::string hint) { hint_ = std::move(hint); }
  // What the peer of a TLS session has otherwise than this end, which does no harm by itself;
  // empty: nothing.
  void set_difference(std::string difference) { difference_ = std::move(difference); }
  void set_cipher(CipherInUse cipher) { cipher_ = std::move(cipher); }

  void tell_manager();   // kStatusLine
  void write_file();     // kStatusFile
  void feed_watchdog();  // kHealth
  void dump_to_log();    // SIGUSR2

 private:
  void send_line();
  std::string note();
  bool loops();
  std::string write_in_place(const std::string& text);

  const config::ProcessConfig& process_;
  TunnelLink& link_;
  const TunnelDevice& device_;
  Notifier& notifier_;
  Timers& timers_;
  const base::Log& log_;
  ovpn::ConnectionState state_ = ovpn::ConnectionState::kInitial;
  std::string wish_;
  std::string hint_;
  std::string difference_;
  CipherInUse cipher_;
  base::UnixSeconds since_;
  std::string reason_;
  std::uint64_t own_packets_ = 0;  // that came out of the tunnel, as far as was looked
  std::optional<base::TimePoint> own_packets_at_;
  base::Duration interval_;
  base::TimePoint told_at_{};
  std::uint64_t told_activity_ = 0;
  bool file_warned_ = false;
  // The status file as it was last made: once `user` has taken the right to make another, it is
  // written over in place.
  base::UniqueFd file_;
};

}  // namespace engine
