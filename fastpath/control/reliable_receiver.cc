// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/reliable_receiver.h"

#include <algorithm>
#include <utility>

namespace control {

void ReliableReceiver::take(wire::Opcode opcode, wire::MessageId id, base::ByteSpan payload) {
  if (id >= next_id_ && id - next_id_ >= kReceiveWindowMessages) return;
  if (std::ranges::find(due_, id) == due_.end() && due_.size() < 2 * kReceiveWindowMessages) {
    due_.push_back(id);
  }
  if (id < next_id_) return;
  held_.try_emplace(id, Message{opcode, id, base::Bytes(payload.begin(), payload.end())});
}

std::optional<ReliableReceiver::Message> ReliableReceiver::next() {
  const auto found = held_.find(next_id_);
  if (found == held_.end()) return std::nullopt;
  Message message = std::move(found->second);
  held_.erase(found);
  ++next_id_;
  return message;
}

AckList ReliableReceiver::take_acks(std::size_t count) {
  AckList acks;
  while (!due_.empty() && acks.size() < count) {
    acks.add(due_.front());
    due_.pop_front();
  }
  for (const wire::MessageId id : told_) {
    if (acks.size() < count && !acks.contains(id)) acks.add(id);
  }
  for (const wire::MessageId id : acks) std::erase(told_, id);
  told_.insert(told_.begin(), acks.begin(), acks.end());
  if (told_.size() > wire::kAcksMax) told_.resize(wire::kAcksMax);
  return acks;
}

}  // namespace control
