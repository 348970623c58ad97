// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fastpath/io/packet_port.h"

namespace io {

// `dev null`: nothing ever comes from it, and whatever goes there is gone.
class NullPort : public PacketPort {
 public:
  int readable_fd() const override { return -1; }
  ReadOutcome read(packet::PacketBatch&) override { return ReadOutcome::kDrained; }
  void write(packet::PacketBatch&) override {}
  const packet::DropCounters& drops() const override { return drops_; }

 private:
  packet::DropCounters drops_{};
};

}  // namespace io
