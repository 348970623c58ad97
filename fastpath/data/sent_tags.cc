// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/sent_tags.h"

namespace data {

void SentTags::restart(wire::PacketTime time) {
  time_ = time;
  last_id_ = 0;
}

void SentTags::sent(wire::PacketId id, base::ByteSpan hmac) {
  last_id_ = value(id);
  tags_[last_id_ % kRemembered] = base::load_be64(hmac.data());
}

SentTags::Answer SentTags::ask(const wire::LongPacketId& packet_id, base::ByteSpan hmac) const {
  const std::uint32_t id = value(packet_id.id);
  if (packet_id.time != time_ || id == 0 || id > last_id_) return Answer::kOther;
  if (last_id_ - id >= kRemembered) return Answer::kForgotten;
  return tags_[id % kRemembered] == base::load_be64(hmac.data()) ? Answer::kOurs : Answer::kOther;
}

}  // namespace data
