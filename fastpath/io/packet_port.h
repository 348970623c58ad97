// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "base/error.h"
#include "fastpath/packet/packet_batch.h"

namespace io {

enum class ReadOutcome {
  kDrained,  // nothing more is waiting
  kMore,     // the batch is full, or the port holds packets back for the next read
  kGone,     // what was behind the port is no more: nothing will ever come
};

// Why a port could not be opened. `lasting`: trying again changes nothing until a person acts.
struct OpenProblem {
  base::Problem problem;
  bool lasting = false;
};

// Where packets come from and go to. One virtual call per batch, never per packet. Used by one
// worker. Errors of single packets are counted under their DropReason and never stop a port.
class PacketPort {
 public:
  virtual ~PacketPort() = default;

  // For epoll, level-triggered; -1: never readable.
  virtual int readable_fd() const = 0;
  // Appends waiting packets to `batch` until it is full or nothing is left; never waits.
  virtual ReadOutcome read(packet::PacketBatch& batch) = 0;
  // Writes every packet that is neither dropped nor swallowed, in order. The bytes of the batch may
  // be changed. Waits at most briefly for room.
  virtual void write(packet::PacketBatch& batch) = 0;
  // True while some of what was written waits inside the port for room: whoever feeds it stops to
  // read where the packets come from, until flush() has brought it out. A port that drops instead
  // of waiting never is.
  virtual bool backed_up() const { return false; }
  virtual void flush() {}
  // What this kernel takes or hands over in trains here: "tso,uso", "gso,gro"; empty: packets go
  // one by one.
  virtual std::string offloads() const { return {}; }
  // What this port had to drop, since it was made.
  virtual const packet::DropCounters& drops() const = 0;
};

inline void count(packet::DropCounters& drops, packet::DropReason reason,
                  std::uint64_t packets = 1) {
  drops[static_cast<std::size_t>(reason)] += packets;
}

}  // namespace io
