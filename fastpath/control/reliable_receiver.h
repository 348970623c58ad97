// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <optional>

#include "base/bytes.h"
#include "fastpath/control/control_packet.h"
#include "fastpath/control/limits.h"

namespace control {

// Puts the peer's messages of one key id in order and says what to acknowledge (OpenVPN protocol:
// reliability layer). Used by one thread.
class ReliableReceiver {
 public:
  struct Message {
    wire::Opcode opcode{};
    wire::MessageId id = 0;
    base::Bytes payload;
  };

  explicit ReliableReceiver(wire::MessageId first) : next_id_(first) {}

  // Keeps the message if it is one to wait for. What came before is acknowledged again, for the
  // peer has not heard of it; what lies beyond the window is not.
  void take(wire::Opcode opcode, wire::MessageId id, base::ByteSpan payload);
  std::optional<Message> next();  // in order, without gaps

  bool acks_due() const { return !due_.empty(); }
  // The acks of the next packet, at most `count`: what is due, then what was told last, since that
  // packet may be lost. They count as told.
  AckList take_acks(std::size_t count);
  wire::MessageId next_id() const { return next_id_; }

 private:
  wire::MessageId next_id_;
  std::map<wire::MessageId, Message> held_;
  std::deque<wire::MessageId> due_;   // at most the window
  std::deque<wire::MessageId> told_;  // newest first, at most wire::kAcksMax
};

}  // namespace control
