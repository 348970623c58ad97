// SPDX-License-Identifier: Apache-2.0
// A port without a kernel behind it, for tests and for measuring what needs no device.
#pragma once

#include <deque>
#include <mutex>
#include <vector>

#include "base/bytes.h"
#include "fastpath/io/event_loop.h"
#include "fastpath/io/packet_port.h"

namespace io {

struct MemoryPacket {
  base::Bytes bytes;
  base::Endpoint peer;  // link side: the source when read, the destination when written
};

// The PacketPort side is used by one worker; deliver(), take_written() and connect() by any thread.
class MemoryPort : public PacketPort {
 public:
  // Puts a packet where the next read() finds it.
  void deliver(base::ByteSpan bytes, const base::Endpoint& from = {});
  // Everything written since the last call, unless connect() sends it elsewhere.
  std::vector<MemoryPacket> take_written();
  // From now on what is written here is delivered to `other` as coming from `self`. `other` must
  // outlive this port's use.
  void connect(MemoryPort& other, const base::Endpoint& self);

  int readable_fd() const override { return wake_up_.fd(); }
  ReadOutcome read(packet::PacketBatch& batch) override;
  void write(packet::PacketBatch& batch) override;
  const packet::DropCounters& drops() const override { return drops_; }

 private:
  WakeUp wake_up_;
  packet::DropCounters drops_{};  // of the worker
  std::mutex mutex_;              // guards what follows
  std::deque<MemoryPacket> waiting_;
  std::vector<MemoryPacket> written_;
  MemoryPort* other_ = nullptr;
  base::Endpoint self_;
};

}  // namespace io
