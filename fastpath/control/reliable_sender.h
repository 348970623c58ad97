// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <optional>

#include "base/bytes.h"
#include "base/time.h"
#include "fastpath/control/limits.h"
#include "fastpath/wire/control_header.h"
#include "fastpath/wire/opcode.h"

namespace control {

// Messages of one key id that the peer has not acknowledged yet (OpenVPN protocol: reliability
// layer). Each goes out at once and again after 2, 4, 8 ... seconds; when three higher ones are
// acknowledged it goes again at once. Used by one thread.
class ReliableSender {
 public:
  struct Message {
    wire::Opcode opcode{};
    wire::MessageId id = 0;
    base::Bytes payload;

    base::TimePoint due{};
    base::Duration interval{};
    int higher_acks = 0;
  };

  ReliableSender(wire::MessageId first, base::Duration first_interval)
      : next_id_(first), first_interval_(first_interval) {}

  bool has_room() const { return messages_.empty() || next_id_ - messages_.front().id < kWindow; }
  bool empty() const { return messages_.empty(); }
  wire::MessageId next_id() const { return next_id_; }

  // Only with room.
  void queue(base::TimePoint now, wire::Opcode opcode, base::Bytes payload);
  // Unknown ids are those that were acknowledged before: nothing happens.
  void acknowledged(base::TimePoint now, wire::MessageId id);
  void send_all_again(base::TimePoint now);
  // The next message that is due, which counts as sent then.
  const Message* next_due(base::TimePoint now);
  std::optional<base::TimePoint> next_timeout() const;

 private:
  static constexpr wire::MessageId kWindow = kSendWindowMessages;

  wire::MessageId next_id_;
  const base::Duration first_interval_;
  std::deque<Message> messages_;  // by id
};

}  // namespace control
