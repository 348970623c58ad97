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
//   null mode, no remotes, no float
//                         nothing is authenticated there, so the first source that makes sense is
//                         held until it was silent for kHold
class Remotes {
 public:
  static constexpr base::Duration kHold = std::chrono::seconds(60);

  Remotes(bool float_allowed, bool null_mode)
      : float_allowed_(float_allowed), null_mode_(null_mode) {}

  void set(std::vector<base::Endpoint> resolved);
  bool accepts(const base::Endpoint& source, base::TimePoint now) const;
  // An accepted packet proved itself. True if sending goes elsewhere from here on.
  bool heard_from(const base::Endpoint& source, base::TimePoint now);
  const std::optional<base::Endpoint>& current() const { return current_; }

 private:
  bool fixed() const { return !resolved_.empty() && !float_allowed_; }
  bool holds() const { return null_mode_ && resolved_.empty() && !float_allowed_; }

  const bool float_allowed_;
  const bool null_mode_;
  std::vector<base::Endpoint> resolved_;
  std::optional<base::Endpoint> current_;
  base::TimePoint last_heard_;
};

}  // namespace peer
