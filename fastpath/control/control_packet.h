// SPDX-License-Identifier: Apache-2.0
// A control packet as values (OpenVPN protocol: unwrapped control packet layout).
#pragma once

#include <array>
#include <optional>

#include "base/bytes.h"
#include "fastpath/wire/control_header.h"
#include "fastpath/wire/opcode.h"

namespace control {

// What every control packet shows in clear text, whatever it is wrapped in.
struct ControlHead {
  wire::Opcode opcode{};
  std::uint8_t key_id = 0;
  wire::SessionId session;  // the sender's

  friend bool operator==(const ControlHead&, const ControlHead&) = default;
};

class AckList {
 public:
  using value_type = wire::MessageId;
  using const_iterator = const wire::MessageId*;

  bool full() const { return count_ == wire::kAcksMax; }
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  bool contains(wire::MessageId id) const { return std::find(begin(), end(), id) != end(); }
  void add(wire::MessageId id) {
    if (!full()) ids_[count_++] = id;
  }
  const wire::MessageId* begin() const { return ids_.data(); }
  const wire::MessageId* end() const { return ids_.data() + count_; }

 private:
  std::array<wire::MessageId, wire::kAcksMax> ids_{};
  std::size_t count_ = 0;
};

// What the wrapping protects.
struct ControlBody {
  AckList acks;
  wire::SessionId acked_session;      // the receiver's; only with acks
  std::optional<wire::MessageId> id;  // nothing in P_ACK_V1
  base::ByteSpan payload;             // points into what was parsed
};

// Nothing if the packet is too short, its opcode is no control opcode or the session id is zero.
std::optional<ControlHead> parse_head(base::ByteSpan datagram);
void write_head(const ControlHead& head, base::ByteWriter& to);

std::optional<ControlBody> parse_body(wire::Opcode opcode, base::ByteSpan bytes);
void write_body(const ControlBody& body, base::ByteWriter& to);

bool is_hard_reset(wire::Opcode opcode);
bool is_reset(wire::Opcode opcode);  // soft ones too

}  // namespace control
