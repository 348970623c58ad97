// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "base/ip.h"
#include "base/time.h"

namespace peer {

// Where the peer is and which sources may speak for it. Used by one worker.
//
//   remotes, no float     the resolved addresses only; sending goes to the first
//   float, or no remotes  any source; sending goes where the last accepted packet came from
//
// Where nothing is authenticated, `float` would let anybody take the tunnel over and has no effect:
//
//   remotes               the resolved addresses only
//   no remotes            the first source that makes sense is held until it was silent for kHold
//
// In TLS mode:
//
//   data                  from the handshake's peer only, unless it may float and names itself
//   control packets       from there, or from anywhere if there are no remotes or with float: the
//                         handshake judges them
class Remotes {
 public:
  static constexpr base::Duration kHold = std::chrono::seconds(60);

  enum class Mode { kAuthenticated, kUnauthenticated, kTls };

  Remotes(bool float_allowed, Mode mode) : float_allowed_(float_allowed), mode_(mode) {}

  void set(std::vector<base::Endpoint> resolved);
  // Where a peer without a `remote` was last heard: something to send to until a packet proves
  // itself, from there or from elsewhere. Ignored where it could do harm: with remotes, and where
  // nothing is authenticated; and in TLS mode, where a handshake says it.
  void suggest(const base::Endpoint& last_known);
  // The peer proved to an earlier process that it is here. Ignored where addresses are fixed, where
  // nothing is authenticated, and in TLS mode.
  void go_on(const base::Endpoint& peer);
  // TLS mode: the handshake's peer is here.
  void set_current(const base::Endpoint& peer);
  // May anything from there be opened? `knows_peer_id`, TLS mode: the packet names this peer.
  bool accepts(const base::Endpoint& source, base::TimePoint now, bool knows_peer_id = false) const;
  bool accepts_control(const base::Endpoint& source) const;
  // An accepted packet proved itself. True if sending goes elsewhere from here on.
  bool heard_from(const base::Endpoint& source, base::TimePoint now);
  const std::optional<base::Endpoint>& current() const { return current_; }
  // False also for a mere suggestion.
  bool known() const { return current_.has_value() && !suggested_; }

 private:
  bool unauthenticated() const { return mode_ == Mode::kUnauthenticated; }
  bool fixed() const { return !resolved_.empty() && !(float_allowed_ && !unauthenticated()); }
  bool holds() const { return resolved_.empty() && unauthenticated(); }

  const bool float_allowed_;
  const Mode mode_;
  std::vector<base::Endpoint> resolved_;
  std::optional<base::Endpoint> current_;
  bool suggested_ = false;
  base::TimePoint last_heard_;
};

}  // namespace peer
