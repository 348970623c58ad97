// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/wrap_channel.h"

#include <algorithm>

namespace control {

std::size_t WrapChannel::overhead(wire::Opcode opcode) const {
  return wrap_->body_at() + (carries_wrapped_key(opcode) ? wrapped_.size() : 0);
}

std::size_t WrapChannel::seal(const ControlHead& head, const ControlBody& body,
                              base::UnixSeconds wall, base::MutableByteSpan out) {
  if (out.size() < overhead(head.opcode) || packet_id_ == value(wire::kPacketIdMax)) return 0;
  const std::size_t room = out.size() - overhead(head.opcode);
  base::ByteWriter writer(out.subspan(wrap_->body_at(), room));
  write_body(body, writer);
  if (!writer.ok()) return 0;
  if (!time_) time_ = static_cast<std::uint32_t>(wall);
  const wire::LongPacketId packet_id{wire::PacketId{++packet_id_}, wire::PacketTime{*time_}};
  const std::size_t size = wrap_->seal(head, packet_id, writer.size(), out);
  if (size == 0 || !carries_wrapped_key(head.opcode)) return size;
  std::copy(wrapped_.begin(), wrapped_.end(), out.begin() + static_cast<std::ptrdiff_t>(size));
  return size + wrapped_.size();
}

std::optional<ControlBody> WrapChannel::open(const ControlHead& head, base::ByteSpan datagram,
                                             base::MutableByteSpan scratch) {
  saw_it_before_ = false;
  if (scratch.size() < datagram.size()) return std::nullopt;
  const auto opened = wrap_->open(head, datagram, scratch);
  if (!opened) return std::nullopt;
  auto body = parse_body(head.opcode, opened->body);
  if (!body) return std::nullopt;
  saw_it_before_ = opened->packet_id && !replay_.accept(*opened->packet_id);
  return saw_it_before_ ? std::nullopt : body;
}

}  // namespace control
