// SPDX-License-Identifier: Apache-2.0
#include "fastpath/peer/remotes.h"

#include <algorithm>
#include <utility>

namespace peer {

void Remotes::set(std::vector<base::Endpoint> resolved) {
  resolved_ = std::move(resolved);
  current_.reset();
  suggested_ = false;
  if (!resolved_.empty()) current_ = resolved_.front();
}

void Remotes::suggest(const base::Endpoint& last_known) {
  if (!resolved_.empty() || mode_ != Mode::kAuthenticated || current_) return;
  current_ = last_known;
  suggested_ = true;
}

void Remotes::go_on(const base::Endpoint& peer) {
  if (mode_ == Mode::kAuthenticated && !fixed()) set_current(peer);
}

void Remotes::set_current(const base::Endpoint& peer) {
  current_ = peer;
  suggested_ = false;
}

bool Remotes::accepts(const base::Endpoint& source, base::TimePoint now, bool knows_peer_id) const {
  if (current_ == source) return true;
  if (mode_ == Mode::kTls) return float_allowed_ && knows_peer_id;
  if (fixed()) return std::ranges::find(resolved_, source) != resolved_.end();
  if (holds()) return !current_ || now - last_heard_ >= kHold;
  return true;
}

bool Remotes::accepts_control(const base::Endpoint& source) const {
  return current_ == source || !fixed();
}

bool Remotes::heard_from(const base::Endpoint& source, base::TimePoint now) {
  last_heard_ = now;
  suggested_ = false;
  if (fixed() || current_ == source) return false;
  current_ = source;
  return true;
}

}  // namespace peer
