// SPDX-License-Identifier: Apache-2.0
// What the guard of stock OpenVPN makes of the management talk, as a pure machine: messages and
// time in, commands for stock and words for the service manager out.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "ovpn/management.h"
#include "ovpn/status_line.h"

namespace launch {

struct StockWatchSettings {
  bool ready_connected = false;
  base::Duration ready_limit = std::chrono::seconds(90);  // of ready_connected only
  // Between two questions; half the watchdog's period where there is one.
  base::Duration pace = std::chrono::seconds(5);
  base::Duration dry_after{};  // LaunchPlan::dry_after_seconds; zero: never
};

// True for stock's last words when no restart can mend what they say: a key it cannot use, a cipher
// it does not have, no tun device, no right.
bool is_permanent(std::string_view fatal);

// One stock process. Used by one thread.
class StockWatch {
 public:
  StockWatch(StockWatchSettings settings, base::TimePoint now);

  void connected(base::TimePoint now);  // stock has come to the management socket
  void message(base::TimePoint now, base::UnixSeconds wall, const ovpn::ManagementMessage& message);
  void timeout(base::TimePoint now);  // spurious calls are harmless
  std::optional<base::TimePoint> next_timeout() const;

  std::string take_commands();  // to write to stock
  std::string take_words();     // for sd_notify; empty: nothing to say

  bool was_connected_to() const { return came_; }
  // Stock's ">FATAL:", or what this machine gave up for; empty: none.
  const std::string& last_words() const { return last_words_; }
  bool gave_up() const { return gave_up_; }  // ready = "connected" has waited long enough

 private:
  void enter(base::TimePoint now, base::UnixSeconds wall, const ovpn::ManagementState& state);
  void release(base::TimePoint now);
  void ask(base::TimePoint now);
  void command(std::string text, bool question);
  void answer_ended(base::TimePoint now, base::UnixSeconds wall);
  void answered(base::TimePoint now, base::UnixSeconds wall);
  void say_ready();

  const StockWatchSettings settings_;
  const base::TimePoint began_;
  bool came_ = false;
  bool standing_ = false;        // the interface has its addresses
  bool asked_standing_ = false;  // the question on its way was asked after that
  bool ready_ = false;
  bool heard_ = false;  // status_ is stock's, no longer the one to begin with
  bool gave_up_ = false;
  ovpn::StatusLine status_;
  std::string said_status_;
  std::string answer_;  // lines of the answer to `status` so far
  // Commands without their answer yet, which comes in the same order; true: a question (`status`).
  std::deque<bool> unanswered_;
  std::optional<base::TimePoint> ask_at_, release_at_, dry_at_;
  std::string commands_, words_, last_words_;
};

}  // namespace launch
