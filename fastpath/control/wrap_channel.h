// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "base/time.h"
#include "fastpath/control/packet_wrap.h"
#include "fastpath/control/replay_check.h"

namespace control {

// The wrapping of one session: the keys with their packet ids, ours and the peer's. Used by one
// thread.
class WrapChannel {
 public:
  // `last_packet_id`: packet ids go on behind it. `wrapped`: what follows packets with the opcodes
  // of tls-crypt-v2; must outlive the channel.
  WrapChannel(std::unique_ptr<PacketWrap> wrap, std::uint32_t last_packet_id,
              base::ByteSpan wrapped = {})
      : wrap_(std::move(wrap)), packet_id_(last_packet_id), wrapped_(wrapped) {}

  // Bytes around a body with this opcode, the head included.
  std::size_t overhead(wire::Opcode opcode) const;
  bool protects() const { return wrap_->protects(); }
  // Writes the whole datagram; 0: it does not fit, or ids ran out. `wall` becomes the time of the
  // packet ids when the first one is used.
  std::size_t seal(const ControlHead& head, const ControlBody& body, base::UnixSeconds wall,
                   base::MutableByteSpan out);
  // Checks authenticity, then replay. The payload lies in `scratch`.
  std::optional<ControlBody> open(const ControlHead& head, base::ByteSpan datagram,
                                  base::MutableByteSpan scratch);
  // The last open() failed only because it was a repetition, which networks make.
  bool saw_it_before() const { return saw_it_before_; }

 private:
  bool carries_wrapped_key(wire::Opcode opcode) const {
    return !wrapped_.empty() &&
           (opcode == wire::Opcode::kHardResetClientV3 || opcode == wire::Opcode::kControlWkcV1);
  }

  std::unique_ptr<PacketWrap> wrap_;
  std::uint32_t packet_id_;
  std::optional<std::uint32_t> time_;
  base::ByteSpan wrapped_;
  ReplayCheck replay_;
  bool saw_it_before_ = false;
};

}  // namespace control
