// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/ip.h"
#include "base/log.h"
#include "base/time.h"

namespace engine {

// Where a peer that is not named by `remote` was last heard, kept on disk: a run that was killed
// would otherwise be dumb until the peer speaks by itself. What is kept is a hint and nothing more;
// the first authenticated packet says where the peer is. Used by the main thread.
class LastPeer {
 public:
  // The disk sees at most one write in this time, however often the peer moves.
  static constexpr base::Duration kWriteInterval = std::chrono::seconds(60);

  // `file` may be empty: nothing is kept.
  LastPeer(std::string file, const base::Log& log);

  // By an earlier run or this one; nothing if it is not known, or the file is damaged.
  const std::optional<base::Endpoint>& known() const { return saved_; }
  // An authenticated packet came from there. Returns when to call again if it is too early for
  // another write.
  std::optional<base::TimePoint> heard_at(const base::Endpoint& peer, base::TimePoint now);

 private:
  std::optional<base::Endpoint> read() const;

  const std::string file_;
  const base::Log& log_;
  std::optional<base::Endpoint> saved_;
  std::optional<base::TimePoint> written_;
};

}  // namespace engine
