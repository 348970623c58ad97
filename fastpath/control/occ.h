// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/time.h"

namespace control {

// OpenVPN protocol: option consistency check, and the exit notice that travels as one.
//
// A REQUEST goes out with the first breath and again after 1, 2, 4, 8, 10, 10 ... seconds until
// anything authenticated comes back: a link without pings and traffic is known to be up that way,
// since every version of OpenVPN answers at once. From then on it goes out for the sake of the
// peer's options, until they came or kAsksOfHeardPeer were of no use: what was asked before the
// peer was there is lost. Who asks has begun anew, perhaps with other options, and is asked in
// turn, but not within kOptionsAge of his last answer: two ends would never stop. Every REQUEST
// that comes is answered, but no two answers leave within one second: a forged source must not turn
// us into an amplifier. MTU load tests (types 2 to 5) are not answered, which the protocol allows.
// Used by one worker.
class Occ {
 public:
  static constexpr int kAsksOfHeardPeer = 4;
  static constexpr base::Duration kOptionsAge = std::chrono::seconds(30);

  enum class Heard { kNothing, kExit, kReply };

  // `ask`: false with `disable-occ`. `options`: the options string that REPLY carries.
  Occ(bool ask, std::string options) : ask_(ask), options_(std::move(options)) {}

  // The link starts anew: the first REQUEST is due at `now`.
  void restart(base::TimePoint now);
  void authenticated_packet_received(base::TimePoint now);
  // `payload` begins with kOccMagic and was authenticated, as far as the tunnel can.
  Heard handle_message(base::TimePoint now, base::ByteSpan payload);
  void send_exit() { ++exits_; }

  // The next message that is due, written into `out` (see message_bytes_max); 0: none is.
  std::size_t next_message(base::TimePoint now, base::MutableByteSpan out);
  std::optional<base::TimePoint> next_timeout() const;
  std::size_t message_bytes_max() const;

  const std::string& peer_options() const { return peer_options_; }  // of the last REPLY

 private:
  bool asking() const { return ask_ && (!answered_ || (!told_at_ && asks_left_ > 0)); }
  void ask_anew(base::TimePoint now);
  base::TimePoint reply_at() const;

  const bool ask_;
  const std::string options_;
  bool answered_ = false;
  int asks_left_ = 0;                       // of a peer that was heard
  std::optional<base::TimePoint> told_at_;  // when the last REPLY came
  base::TimePoint ask_at_;
  base::Duration ask_interval_{0};
  bool reply_wanted_ = false;
  std::optional<base::TimePoint> last_reply_;
  int exits_ = 0;
  std::string peer_options_;
};

}  // namespace control
