// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/log.h"
#include "base/time.h"

namespace engine {

// The packet id's time must grow from run to run, or the peer's replay window shuts us out; a board
// without a clock cannot promise that by itself. So the last one used is kept on disk, and the rule
// has no exception: a time is on disk before the first packet goes out under it.
class PacketTime {
 public:
  // `file` may be empty: nothing is kept.
  PacketTime(std::string file, const base::Log& log) : file_(std::move(file)), log_(log) {}

  // Where else it is kept, and what was the last one there: both before the first claim().
  void keep_also(std::function<void(base::UnixSeconds)> elsewhere, base::UnixSeconds last);
  // max(now, last used + 1), on disk before it is returned. A disk that refuses is one warning.
  base::UnixSeconds claim(base::UnixSeconds now);
  // A later time that is wanted while the tunnel runs: on disk when this returns, like the first.
  void keep(base::UnixSeconds wanted);

 private:
  base::UnixSeconds read() const;
  void write();

  std::string file_;
  const base::Log& log_;
  std::function<void(base::UnixSeconds)> elsewhere_;
  base::UnixSeconds last_ = 0;
  bool warned_ = false;
};

}  // namespace engine
