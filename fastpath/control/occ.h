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
// since every version of OpenVPN answers at once. One REQUEST goes out even if the peer spoke
// first, for the sake of its options. Every REQUEST that comes is answered, but no two answers
// leave within one second: a forged source must not turn us into an amplifier. MTU load tests
// (types 2 to 5) are not answered, which the protocol allows. Used by one worker.
class Occ {
 public:
  enum class Heard { kNothing, kExit, kReply };

  // `ask`: false with `disable-occ`. `options`: the options string that REPLY carries.
  Occ(bool ask, std::string options) : ask_(ask), options_(std::move(options)) {}

  // The link starts anew: the first REQUEST is due at `now`.
  void restart(base::TimePoint now);
  void authenticated_packet_received() { answered_ = true; }
  // `payload` begins with kOccMagic and was authenticated, as far as the tunnel can.
  Heard handle_message(base::ByteSpan payload);
  void send_exit() { ++exits_; }

  // The next message that is due, written into `out` (see message_bytes_max); 0: none is.
  std::size_t next_message(base::TimePoint now, base::MutableByteSpan out);
  std::optional<base::TimePoint> next_timeout() const;
  std::size_t message_bytes_max() const;

  const std::string& peer_options() const { return peer_options_; }  // of the last REPLY

 private:
  bool asking() const { return ask_ && (!answered_ || requests_ == 0); }
  base::TimePoint reply_at() const;

  const bool ask_;
  const std::string options_;
  bool answered_ = false;
  int requests_ = 0;
  base::TimePoint ask_at_;
  base::Duration ask_interval_{0};
  bool reply_wanted_ = false;
  std::optional<base::TimePoint> last_reply_;
  int exits_ = 0;
  std::string peer_options_;
};

}  // namespace control
