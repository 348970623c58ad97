// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/log.h"
#include "base/time.h"

namespace engine {

// The packet id's time must grow from run to run, or the peer's replay window shuts us out; a board
// without a clock cannot promise that by itself. So the last one used is kept on disk.
class PacketTime {
 public:
  // `file` may be empty: nothing is kept.
  PacketTime(std::string file, const base::Log& log) : file_(std::move(file)), log_(log) {}

  // max(now, last used + 1), on disk before it is returned. A disk that refuses is one warning.
  base::UnixSeconds claim(base::UnixSeconds now);
  // The peer moved on to a later time by itself.
  void moved_to(base::UnixSeconds used);

 private:
  base::UnixSeconds read() const;
  void write();

  std::string file_;
  const base::Log& log_;
  base::UnixSeconds last_ = 0;
  bool warned_ = false;
};

// Where a tunnel keeps its file `name`: in `state_dir` if given; else, for a tunnel started by
// hand, under /var/lib/tunctl/fastpath or /run/tunctl-fastpath, whichever can be made, by a name
// made from `identity`. Empty if there is no such place.
std::string state_file(const std::string& name, const std::string& state_dir,
                       const std::string& identity);
std::string packet_time_file(const std::string& state_dir, const std::string& identity);

}  // namespace engine
