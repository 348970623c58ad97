// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/key_state.h"

namespace control {

using wire::Opcode;

namespace {

// The flags in a hard reset's TLVs; nothing if they are damaged. Unknown types are skipped.
std::optional<std::uint16_t> reset_flags(base::ByteSpan payload) {
  base::ByteReader reader(payload);
  std::uint16_t flags = 0;
  while (!reader.rest().empty()) {
    const auto type = reader.be16();
    const auto length = reader.be16();
    const auto value = length ? reader.bytes(*length) : std::nullopt;
    if (!value) return std::nullopt;
    if (*type == wire::kTlvFlags) {
      if (value->size() != 2) return std::nullopt;
      flags = base::load_be16(value->data());
    }
  }
  return flags;
}

}  // namespace

KeyState::KeyState(const Parts& parts, base::TimePoint now)
    : parts_(parts),
      sender_(parts.resets_done ? 1 : 0, parts.retransmit),
      receiver_(parts.resets_done ? 1 : 0),
      peer_reset_(parts.resets_done) {
  if (!parts.resets_done) sender_.queue(now, parts.reset, {});
}

bool KeyState::all_acknowledged() const {
  return sender_.empty() && (!tls_ || tls_->output_bytes() == 0);
}

void KeyState::handle(base::TimePoint now, base::UnixSeconds wall, Opcode opcode,
                      const ControlBody& body) {
  for (const wire::MessageId id : body.acks) sender_.acknowledged(now, id);
  if (body.id) {
    const bool reset = is_reset(opcode);
    // The first message is a reset and no other is; what breaks that is not kept.
    if (reset == (*body.id == 0)) receiver_.take(opcode, *body.id, body.payload);
  }
  if (failed()) return;
  take_messages(now);
  const bool own_reset_acknowledged = sender_.empty();
  if (peer_reset_ && !tls_ && !failed() && own_reset_acknowledged) {
    start_tls(wall);
    take_messages(now);
  }
  if (tls_ && !failed() && !tls_->advance()) failure_ = tls_->failure();
  pump(now);
}

void KeyState::start_tls(base::UnixSeconds wall) {
  tls_ = std::make_unique<crypto::TlsSession>(parts_.tls, wall);
}

void KeyState::take_messages(base::TimePoint now) {
  // Messages behind the reset wait in the window until there is TLS to give them to.
  while (!failed() && (!peer_reset_ || tls_)) {
    const auto message = receiver_.next();
    if (!message) return;
    if (message->id == 0) {
      take_reset(now, *message);
      if (!tls_) return;
      continue;
    }
    if (!tls_->established()) fed_ += message->payload.size();
    if (fed_ > kTlsInputBytesMax) {
      failure_ = "the peer's TLS handshake is too long";
      return;
    }
    tls_->feed(message->payload);
  }
}

void KeyState::take_reset(base::TimePoint now, const ReliableReceiver::Message& message) {
  peer_reset_ = true;
  // Whatever was sent before the peer was there may be lost.
  sender_.send_all_again(now);
  if (!is_hard_reset(message.opcode) || message.payload.empty()) return;
  const auto flags = reset_flags(message.payload);
  if (!flags) {
    failure_ = "the server's first packet is damaged";
    return;
  }
  resend_wrapped_key_ = (*flags & wire::kTlvFlagResendWkc) != 0 && parts_.payload_max_wkc > 0;
}

void KeyState::pump(base::TimePoint now) {
  while (tls_ && sender_.has_room() && tls_->output_bytes() > 0) {
    const bool with_key = resend_wrapped_key_ && sender_.next_id() == 1;
    base::Bytes payload(with_key ? parts_.payload_max_wkc : parts_.payload_max);
    payload.resize(tls_->take_output(payload));
    if (payload.empty()) return;
    sender_.queue(now, with_key ? Opcode::kControlWkcV1 : Opcode::kControlV1, std::move(payload));
  }
}

std::optional<base::SecretBytes> KeyState::read_record() {
  if (!established()) return std::nullopt;
  auto record = tls_->read();
  if (tls_->failed()) failure_ = tls_->failure();
  return record;
}

bool KeyState::write_record(base::TimePoint now, base::ByteSpan text) {
  if (!established() || !tls_->write(text)) return false;
  pump(now);
  return true;
}

std::optional<KeyState::Outgoing> KeyState::next_outgoing(base::TimePoint now) {
  pump(now);  // reading may have made TLS answer
  if (const ReliableSender::Message* message = sender_.next_due(now)) {
    Outgoing out{.opcode = message->opcode, .body = {}};
    out.body.acks = receiver_.take_acks(wire::kAcksWithMessageMax);
    out.body.id = message->id;
    out.body.payload = message->payload;
    return out;
  }
  if (!receiver_.acks_due()) return std::nullopt;
  Outgoing out{.opcode = Opcode::kAckV1, .body = {}};
  // Eight are allowed, but some peers drop packets with more than four.
  out.body.acks = receiver_.take_acks(wire::kAcksWithMessageMax);
  return out;
}

std::optional<base::TimePoint> KeyState::next_timeout() const { return sender_.next_timeout(); }

}  // namespace control
