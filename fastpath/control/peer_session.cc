// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/peer_session.h"

#include <algorithm>
#include <array>
#include <utility>

namespace control {

using std::chrono::seconds;
using wire::Opcode;

namespace {

constexpr std::size_t kPayloadMin = 64;  // whatever max-packet-size says

Opcode first_reset(const SessionCommon& common) {
  if (common.role() == config::TlsRole::kServer) return Opcode::kHardResetServerV2;
  return common.wrap_key.wrapped.empty() ? Opcode::kHardResetClientV2 : Opcode::kHardResetClientV3;
}

std::uint32_t last_packet_id(const SessionCommon& common, bool cookie) {
  if (cookie) return 1;  // the answer that held the cookie was the first
  return common.wrap_key.wrapped.empty() ? 0 : wire::kEarlyNegotiationPacketId;
}

wire::SessionId random_id(const SessionCommon& common) {
  wire::SessionId id;
  do {
    common.unpredictable(id.bytes);
  } while (id.is_zero());
  return id;
}

// OpenVPN protocol: after 7 comes 1; 0 is the first key's only.
std::uint8_t next_key_id(std::uint8_t key_id) {
  return key_id == wire::kKeyIdMax ? 1 : static_cast<std::uint8_t>(key_id + 1);
}

}  // namespace

SessionCommon::SessionCommon(SessionParts given)
    : parts(std::move(given)),
      wrap_key(load_wrap_key(config().wrap, role())),
      tls(std::make_unique<crypto::TlsContext>(library, config().certificate, role(),
                                               parts.find_file)),
      local{.compression = parts.compression,
            .epoch_format = parts.epoch_format,
            .push_update = parts.push_update,
            .dns_option_v2 = parts.dns_option_v2,
            .tun_mtu = parts.tun_mtu,
            .sign_on = parts.sign_on},
      token(parts.token) {}

PeerSession::PeerSession(SessionCommon& common, base::TimePoint now, const Cookie* cookie)
    : common_(common),
      began_(now),
      calls_(cookie == nullptr),
      own_(cookie != nullptr ? cookie->own : random_id(common)),
      wrap_(common.wrap_key.wrap(common.library, common.role()),
            last_packet_id(common, cookie != nullptr), common.wrap_key.wrapped),
      push_(common.config().pull, common.config().renegotiation),
      update_(common.config().pull, common.config().renegotiation) {
  push_.remember(common.parts.remembered_push);
  if (cookie != nullptr) {
    remote_ = cookie->remote;
    from_ = cookie->from;
  }
  primary_.emplace(Key{.state = KeyState(key_parts(0, first_reset(common), cookie != nullptr), now),
                       .began = now,
                       .own = {},
                       .peer = {},
                       .renegotiate_at = {}});
}

KeyState::Parts PeerSession::key_parts(std::uint8_t key_id, Opcode reset, bool resets_done) const {
  const config::RenegotiationConfig& times = common_.config().renegotiation;
  const WrapChannel& wrap = key_id > 0 && dynamic_wrap_ ? *dynamic_wrap_ : wrap_;
  const auto payload_max = [&](Opcode opcode) {
    const std::size_t around = common_.parts.link_overhead + wrap.overhead(opcode) +
                               wire::ack_array_bytes(wire::kAcksWithMessageMax) +
                               sizeof(wire::MessageId);
    const auto limit =
        std::min(static_cast<std::size_t>(times.max_packet_bytes), kDatagramBytesMax);
    return limit > around + kPayloadMin ? limit - around : kPayloadMin;
  };
  return {.tls = *common_.tls,
          .key_id = key_id,
          .reset = reset,
          .resets_done = resets_done,
          .retransmit = seconds(times.tls_timeout_seconds),
          .payload_max = payload_max(Opcode::kControlV1),
          .payload_max_wkc = key_id == 0 && !common_.wrap_key.wrapped.empty()
                                 ? payload_max(Opcode::kControlWkcV1)
                                 : 0};
}

WrapChannel& PeerSession::channel_for(std::uint8_t key_id) {
  return key_id > 0 && dynamic_wrap_ ? *dynamic_wrap_ : wrap_;
}

bool PeerSession::may_soft_reset(const ControlHead& head) const {
  return head.opcode == Opcode::kSoftResetV1 && primary_->ready && !primary_->state.failed() &&
         head.key_id == next_key_id(primary_->state.key_id());
}

// Hard resets begin a session and have key id 0; who sent the first packet is told its peer's id by
// one.
bool PeerSession::may_come(const ControlHead& head) const {
  const bool client = common_.role() == config::TlsRole::kClient;
  if (is_hard_reset(head.opcode)) {
    const Opcode wanted = client ? Opcode::kHardResetServerV2 : Opcode::kHardResetClientV2;
    return calls_ && head.opcode == wanted && head.key_id == 0;
  }
  return remote_.has_value() && !(client && head.opcode == Opcode::kControlWkcV1);
}

Heard PeerSession::handle(base::TimePoint now, const ControlHead& head, base::ByteSpan datagram) {
  if (over_ || (remote_ && *remote_ != head.session) || !may_come(head)) return Heard::kRefused;
  const bool known =
      head.key_id == primary_->state.key_id() || (lame_ && head.key_id == lame_->state.key_id());
  if (!known && !may_soft_reset(head)) return Heard::kRefused;
  std::array<std::uint8_t, kDatagramBytesMax> scratch;
  WrapChannel& channel = channel_for(head.key_id);
  const auto body = channel.open(head, datagram, scratch);
  if (!body && channel.saw_it_before()) return Heard::kSeenBefore;
  if (!body || (!body->acks.empty() && body->acked_session != own_)) return Heard::kRefused;
  remote_ = head.session;
  if (!known) soft_reset(now);
  Key& key = head.key_id == primary_->state.key_id() ? *primary_ : *lame_;
  key.state.handle(now, common_.parts.wall_clock(), head.opcode, *body);
  // What is still said under the key before is of no use, and must not pile up.
  while (lame_ && lame_->state.read_record()) continue;
  progress(now);
  return Heard::kTaken;
}

void PeerSession::soft_reset(base::TimePoint now) {
  const std::uint8_t key_id = next_key_id(primary_->state.key_id());
  wants_renegotiation_ = false;
  // The key before the last is not retired here: a peer that waits before it sends under a new key
  // may use it until it hears of this. Installing the next key drops it.
  lame_.reset();
  lame_.emplace(std::move(*primary_));
  lame_->dies = now + seconds(common_.config().renegotiation.transition_window_seconds);
  primary_.emplace(Key{.state = KeyState(key_parts(key_id, Opcode::kSoftResetV1, false), now),
                       .began = now,
                       .own = {},
                       .peer = {},
                       .renegotiate_at = {}});
}

void PeerSession::renegotiate(base::TimePoint now) {
  if (over_ || stale_) return;
  // Asked for while the last one is not over: it is made up for as soon as it is.
  wants_renegotiation_ = true;
  if (primary_->ready && primary_->active) soft_reset(now);
}

void PeerSession::progress(base::TimePoint now) {
  if (over_ || stale_) return;
  exchange(now);
  if (!over_ && primary_->state.failed()) key_failed(now, primary_->state.failure());
  if (wants_renegotiation_) renegotiate(now);
}

void PeerSession::key_failed(base::TimePoint now, const std::string& why) {
  if (over_ || stale_) return;
  if (lame_ && lame_->dies > now) {
    stale_ = true;
    note("renegotiation failed, the keys before it still serve: " + why, true);
    return;
  }
  const std::string own = common_.tls->own_certificate_trouble(common_.parts.wall_clock());
  fail(own.empty() ? why : why + "; " + own, !own.empty(), primary_->state.failed_at_certificate());
}

std::string PeerSession::silence_text() const {
  const std::string window =
      std::to_string(common_.config().renegotiation.hand_window_seconds) + " s";
  if (primary_->state.heard_peer()) {
    return "the TLS handshake did not come to an end within " + window +
           "; packets get lost, or the peer refused (its log says why)";
  }
  return "no answer from the peer within " + window + "; is it up and reachable" +
         (wrap_.protects() ? ", and is the key of tls-auth or tls-crypt the same?" : "?");
}

void PeerSession::check_windows(base::TimePoint now) {
  if (lame_ && now >= lame_->dies) {
    tell(KeyRetired{lame_->state.key_id()});
    lame_.reset();
    if (stale_) fail("the keys are too old and no renegotiation came about");
  }
  const auto hand_window = seconds(common_.config().renegotiation.hand_window_seconds);
  if (!primary_->active && now >= primary_->began + hand_window) key_failed(now, silence_text());
  if (push_.given_up(now)) fail("the server answered no PUSH_REQUEST");
  if (primary_->renegotiate_at && now >= *primary_->renegotiate_at) {
    primary_->renegotiate_at.reset();
    renegotiate(now);
  }
}

void PeerSession::handle_timeout(base::TimePoint now) {
  if (over_) return;
  check_windows(now);
  if (over_ || stale_) return;
  if (push_.request_due(now)) {
    send_text(now, "PUSH_REQUEST");
    push_.request_sent(now);
  }
  if (push_.silent(now)) {
    note("the server pushes nothing a second time; what it pushed to the session before stands",
         false);
    // A server makes its keys when a packet comes, and may have had none since it agreed.
    send_text(now, "PUSH_REQUEST");
    push_.take_remembered();
    by_memory_ = push_.options();
    finish_pull(now);
  }
  progress(now);
}

void PeerSession::send_text(base::TimePoint now, const std::string& text) {
  if (over_ || !primary_->got) return;
  const base::ByteSpan with_nul(reinterpret_cast<const std::uint8_t*>(text.c_str()),
                                text.size() + 1);
  primary_->state.write_record(now, with_nul);
}

std::optional<std::size_t> PeerSession::next_datagram(base::TimePoint now,
                                                      base::MutableByteSpan out) {
  for (std::optional<Key>* key : {&primary_, &lame_}) {
    if (!*key) continue;
    auto outgoing = (*key)->state.next_outgoing(now);
    if (!outgoing) continue;
    outgoing->body.acked_session = remote_.value_or(wire::SessionId{});
    const ControlHead head{outgoing->opcode, (*key)->state.key_id(), own_};
    const std::size_t size =
        channel_for(head.key_id).seal(head, outgoing->body, common_.parts.wall_clock(), out);
    if (size > 0) return size;
  }
  return std::nullopt;
}

std::optional<base::TimePoint> PeerSession::next_timeout() const {
  if (over_) return std::nullopt;
  std::optional<base::TimePoint> first;
  const auto consider = [&first](std::optional<base::TimePoint> at) {
    if (at && (!first || *at < *first)) first = at;
  };
  if (lame_) {
    consider(lame_->dies);
    consider(lame_->state.next_timeout());
  }
  consider(primary_->state.next_timeout());
  if (stale_) return first;
  if (!primary_->active) {
    consider(primary_->began + seconds(common_.config().renegotiation.hand_window_seconds));
  }
  consider(push_.next_timeout());
  consider(primary_->renegotiate_at);
  return first;
}

std::optional<SessionEvent> PeerSession::next_event() {
  if (events_.empty()) return std::nullopt;
  SessionEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void PeerSession::tell(SessionEvent event) {
  const bool note = std::holds_alternative<SessionNote>(event);
  if (note && events_.size() >= kEventsQueuedMax) return;
  events_.push_back(std::move(event));
}

void PeerSession::note(const std::string& text, bool warning) { tell(SessionNote{text, warning}); }

void PeerSession::fail(const std::string& why, bool lasting, bool certificate) {
  if (over_) return;
  over_ = true;
  tell(SessionFailed{why, lasting, certificate});
}

}  // namespace control
