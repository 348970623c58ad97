// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/control_packet.h"

namespace control {

using wire::Opcode;

bool is_hard_reset(Opcode opcode) {
  return opcode == Opcode::kHardResetClientV2 || opcode == Opcode::kHardResetServerV2 ||
         opcode == Opcode::kHardResetClientV3;
}

bool is_reset(Opcode opcode) { return is_hard_reset(opcode) || opcode == Opcode::kSoftResetV1; }

std::optional<ControlHead> parse_head(base::ByteSpan datagram) {
  if (datagram.size() < wire::kControlHeadBytes) return std::nullopt;
  const Opcode opcode = wire::opcode_of(datagram[0]);
  if (opcode < Opcode::kSoftResetV1 || opcode > Opcode::kControlWkcV1 || wire::is_data(opcode)) {
    return std::nullopt;
  }
  const ControlHead head{opcode, wire::key_id_of(datagram[0]),
                         wire::SessionId::from(datagram.subspan(1, wire::SessionId::kBytes))};
  if (head.session.is_zero()) return std::nullopt;
  return head;
}

void write_head(const ControlHead& head, base::ByteWriter& to) {
  to.u8(wire::first_byte(head.opcode, head.key_id));
  to.bytes(head.session.bytes);
}

std::optional<ControlBody> parse_body(Opcode opcode, base::ByteSpan bytes) {
  base::ByteReader reader(bytes);
  ControlBody body;
  const auto acks = reader.u8();
  if (!acks || *acks > wire::kAcksMax) return std::nullopt;
  for (unsigned i = 0; i < *acks; ++i) body.acks.add(reader.be32().value_or(0));
  if (*acks > 0) {
    const auto session = reader.bytes(wire::SessionId::kBytes);
    if (!session) return std::nullopt;
    body.acked_session = wire::SessionId::from(*session);
  }
  if (opcode != Opcode::kAckV1) body.id = reader.be32();
  if (!reader.ok()) return std::nullopt;
  body.payload = reader.rest();
  return body;
}

void write_body(const ControlBody& body, base::ByteWriter& to) {
  to.u8(static_cast<std::uint8_t>(body.acks.size()));
  for (const wire::MessageId id : body.acks) to.be32(id);
  if (!body.acks.empty()) to.bytes(body.acked_session.bytes);
  if (body.id) to.be32(*body.id);
  to.bytes(body.payload);
}

}  // namespace control
