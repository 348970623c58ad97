// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/reliable_sender.h"

#include <algorithm>
#include <utility>

namespace control {

void ReliableSender::queue(base::TimePoint now, wire::Opcode opcode, base::Bytes payload) {
  messages_.push_back({.opcode = opcode,
                       .id = next_id_++,
                       .payload = std::move(payload),
                       .due = now,
                       .interval = first_interval_});
}

void ReliableSender::acknowledged(base::TimePoint now, wire::MessageId id) {
  const auto found = std::ranges::find(messages_, id, &Message::id);
  if (found == messages_.end()) return;
  for (auto lower = messages_.begin(); lower != found; ++lower) {
    if (++lower->higher_acks == kHigherAcksForRetransmit) lower->due = now;
  }
  messages_.erase(found);
}

void ReliableSender::send_all_again(base::TimePoint now) {
  for (Message& message : messages_) message.due = now;
}

const ReliableSender::Message* ReliableSender::next_due(base::TimePoint now) {
  const auto due =
      std::ranges::find_if(messages_, [now](const Message& m) { return m.due <= now; });
  if (due == messages_.end()) return nullptr;
  due->due = now + due->interval;
  due->interval *= 2;
  return &*due;
}

std::optional<base::TimePoint> ReliableSender::next_timeout() const {
  if (messages_.empty()) return std::nullopt;
  return std::ranges::min_element(messages_, {}, &Message::due)->due;
}

}  // namespace control
