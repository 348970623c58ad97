// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/occ.h"

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "fastpath/wire/occ_type.h"

namespace control {
namespace {

constexpr base::Duration kFirstInterval = std::chrono::seconds(1);
constexpr base::Duration kIntervalMax = std::chrono::seconds(10);
constexpr base::Duration kReplyInterval = std::chrono::seconds(1);

std::size_t write_message(wire::OccType type, std::string_view body, base::MutableByteSpan out) {
  base::ByteWriter writer(out);
  writer.bytes(wire::kOccMagic);
  writer.u8(static_cast<std::uint8_t>(type));
  if (type == wire::OccType::kReply) {
    writer.bytes(base::as_bytes(body));
    writer.u8(0);
  }
  return writer.ok() ? writer.size() : 0;
}

// Up to the NUL, as it may be shown to a person: no options string comes near that length.
std::string options_in(base::ByteSpan body) {
  const std::string_view text = base::as_text(body);
  return base::loggable(text.substr(0, text.find('\0')));
}

}  // namespace

void Occ::restart(base::TimePoint now) {
  answered_ = false;
  told_at_.reset();
  ask_at_ = now;
  ask_interval_ = kFirstInterval;
  reply_wanted_ = false;
  exits_ = 0;
}

void Occ::ask_anew(base::TimePoint now) {
  told_at_.reset();
  asks_left_ = kAsksOfHeardPeer;
  ask_at_ = now;
  ask_interval_ = kFirstInterval;
}

void Occ::authenticated_packet_received(base::TimePoint now) {
  if (!std::exchange(answered_, true)) ask_anew(now);
}

Occ::Heard Occ::handle_message(base::TimePoint now, base::ByteSpan payload) {
  if (payload.size() < wire::kOccHeaderBytes) return Heard::kNothing;
  switch (wire::OccType{payload[wire::kOccTypeAt]}) {
    case wire::OccType::kRequest:
      reply_wanted_ = true;
      if (told_at_ && now - *told_at_ >= kOptionsAge) ask_anew(now);
      return Heard::kNothing;
    case wire::OccType::kReply:
      told_at_ = now;
      peer_options_ = options_in(payload.subspan(wire::kOccHeaderBytes));
      return Heard::kReply;
    case wire::OccType::kExit:
      return Heard::kExit;
    case wire::OccType::kMtuLoadRequest:
    case wire::OccType::kMtuLoad:
    case wire::OccType::kMtuRequest:
    case wire::OccType::kMtuReply:
      return Heard::kNothing;
  }
  return Heard::kNothing;
}

std::size_t Occ::next_message(base::TimePoint now, base::MutableByteSpan out) {
  if (exits_ > 0) {
    --exits_;
    return write_message(wire::OccType::kExit, {}, out);
  }
  if (reply_wanted_ && now >= reply_at()) {
    reply_wanted_ = false;
    last_reply_ = now;
    return write_message(wire::OccType::kReply, options_, out);
  }
  if (asking() && now >= ask_at_) {
    if (answered_) --asks_left_;
    ask_at_ = now + ask_interval_;
    ask_interval_ = std::min(2 * ask_interval_, kIntervalMax);
    return write_message(wire::OccType::kRequest, {}, out);
  }
  return 0;
}

base::TimePoint Occ::reply_at() const {
  return last_reply_ ? *last_reply_ + kReplyInterval : base::TimePoint{};
}

std::optional<base::TimePoint> Occ::next_timeout() const {
  std::optional<base::TimePoint> next;
  if (asking()) next = ask_at_;
  if (reply_wanted_) next = next ? std::min(*next, reply_at()) : reply_at();
  if (exits_ > 0) next = base::TimePoint{};
  return next;
}

std::size_t Occ::message_bytes_max() const { return wire::kOccHeaderBytes + options_.size() + 1; }

}  // namespace control
