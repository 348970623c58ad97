// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "fastpath/wire/packet_id.h"

namespace data {

// The HMACs of the packets we sent last, for layouts without an IV: the only way there to tell our
// own packet that came back from one of a peer who shares our key and began in the same second.
// Used by one worker.
class SentTags {
 public:
  static constexpr std::size_t kRemembered = 4096;
  enum class Answer {
    kOther,      // not sent by us under this time
    kOurs,       // sent by us
    kForgotten,  // that id was sent by us too long ago to know
  };

  explicit SentTags(wire::PacketTime time) : time_(time), tags_(kRemembered, 0) {}

  void restart(wire::PacketTime time);
  void sent(wire::PacketId id, base::ByteSpan hmac);  // at least 8 bytes; ids come in order
  Answer ask(const wire::LongPacketId& packet_id, base::ByteSpan hmac) const;
  wire::PacketTime time() const { return time_; }

 private:
  wire::PacketTime time_;
  std::uint32_t last_id_ = 0;
  std::vector<std::uint64_t> tags_;  // by id, the first 8 bytes of the HMAC
};

}  // namespace data
