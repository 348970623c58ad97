// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/control_session.h"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "base/base64.h"
#include "base/printable.h"
#include "fastpath/control/cookie.h"
#include "fastpath/control/peer_session.h"

namespace control {

using std::chrono::seconds;
using wire::Opcode;

namespace {

constexpr base::Duration kForgedNoteInterval = seconds(60);
constexpr base::Duration kCandidatePatience = seconds(2);
constexpr std::size_t kAnswersQueuedMax = 8;

constexpr const char* kClientToo =
    "the far end is a TLS client too: one end must be tls-server (role = \"server\")";
constexpr const char* kServerToo =
    "the far end is a TLS server too: one end must be tls-client (role = \"client\")";

using Scratch = std::array<std::uint8_t, kDatagramBytesMax>;

struct Answer {
  base::Endpoint to;
  base::Bytes bytes;
};

base::SecretBytes random_key(const SessionCommon& common) {
  base::SecretBytes key(CookieMaker::kKeyBytes);
  common.unpredictable(key.mutable_view());
  return key;
}

}  // namespace

// Joins: the session in use, the one that may take its place, and first packets that belong to
// none.
struct ControlSession::Impl {
  explicit Impl(SessionParts given) : common(std::move(given)) {
    first_wrap = common.wrap_key.wrap(common.library, common.role());
    other_wrap = common.wrap_key.wrap(
        common.library, server() ? config::TlsRole::kClient : config::TlsRole::kServer);
    cookies.emplace(common.library, random_key(common).view(),
                    seconds((common.config().renegotiation.hand_window_seconds + 1) / 2));
  }

  bool server() const { return common.role() == config::TlsRole::kServer; }

  bool handle(base::TimePoint now, const base::Endpoint& from, base::ByteSpan bytes);
  bool handle_stateless(base::TimePoint now, const base::Endpoint& from, const ControlHead& head,
                        base::ByteSpan bytes);
  bool answer_first_packet(base::TimePoint now, const base::Endpoint& from, const ControlHead& head,
                           base::ByteSpan bytes);
  bool begin_by_cookie(base::TimePoint now, const base::Endpoint& from, const ControlHead& head,
                       base::ByteSpan bytes);
  bool begin_by_server(base::TimePoint now, const ControlHead& head, base::ByteSpan bytes);
  bool hear_same_role(base::TimePoint now, const base::Endpoint& from, const ControlHead& head,
                      base::ByteSpan bytes);
  std::optional<ControlBody> open_first(const ControlHead& head, base::ByteSpan bytes,
                                        base::MutableByteSpan scratch);
  base::Bytes cookie_answer(base::TimePoint now, const base::Endpoint& from,
                            const ControlHead& head);
  bool may_replace_candidate(base::TimePoint now) const;
  bool take_answer_slot(base::TimePoint now);
  void settle(base::TimePoint now);
  void send_last_words(base::TimePoint now, PeerSession& session);
  void check_silence(base::TimePoint now);
  void take_candidate_events(base::TimePoint now);
  void forged(base::TimePoint now);
  std::string reason_of(const SessionFailed& failure) const;
  bool in_use() const { return active && active->keys_told(); }
  bool wrapped() const { return common.wrap_key.kind != config::ControlWrap::kNone; }

  SessionCommon common;
  std::unique_ptr<PacketWrap> first_wrap;  // for packets that belong to no session
  std::unique_ptr<PacketWrap> other_wrap;  // the same, as the other role has it
  std::optional<CookieMaker> cookies;
  std::unique_ptr<PeerSession> active, candidate;
  std::deque<SessionEvent> events;
  std::deque<Answer> answers;
  base::TimePoint answers_since{};
  int answers_given = 0;
  std::optional<base::TimePoint> forged_told, same_role_told;
  std::uint64_t forged_count = 0;
  // A server over TCP: when whoever called must have begun a session.
  std::optional<base::TimePoint> silence_ends;
  bool ended = false;
};

bool ControlSession::Impl::handle(base::TimePoint now, const base::Endpoint& from,
                                  base::ByteSpan bytes) {
  const auto head = parse_head(bytes);
  if (ended || !head || bytes.size() > kDatagramBytesMax) return false;
  bool taken = false, known = false, alive = false;
  for (PeerSession* session : {active.get(), candidate.get()}) {
    if (session == nullptr || taken) continue;
    const Opcode answer = server() ? Opcode::kHardResetClientV2 : Opcode::kHardResetServerV2;
    const bool waits = !session->knows_peer() && head->opcode == answer;
    if (!session->is_of(head->session) && !waits) continue;
    // OpenVPN protocol: only data may move a peer to another address.
    if (server() && session->peer_address() != from) continue;
    known = session->is_of(head->session);
    const Heard heard = session->handle(now, *head, bytes);
    taken = heard != Heard::kRefused;
    alive = heard == Heard::kTaken && session == active.get();
  }
  if (!taken && !known) taken = handle_stateless(now, from, *head, bytes);
  if (!taken) forged(now);
  settle(now);
  return alive;
}

bool ControlSession::Impl::handle_stateless(base::TimePoint now, const base::Endpoint& from,
                                            const ControlHead& head, base::ByteSpan bytes) {
  if (head.key_id != 0) return false;
  const Opcode own_call = server() ? Opcode::kHardResetServerV2 : Opcode::kHardResetClientV2;
  if (head.opcode == own_call) return hear_same_role(now, from, head, bytes);
  if (!server())
    return head.opcode == Opcode::kHardResetServerV2 && begin_by_server(now, head, bytes);
  if (head.opcode == Opcode::kHardResetClientV2) {
    return answer_first_packet(now, from, head, bytes);
  }
  const bool second = head.opcode == Opcode::kControlV1 || head.opcode == Opcode::kAckV1;
  return second && begin_by_cookie(now, from, head, bytes);
}

bool ControlSession::Impl::take_answer_slot(base::TimePoint now) {
  if (now - answers_since >= kStatelessInterval) {
    answers_since = now;
    answers_given = 0;
  }
  return answers.size() < kAnswersQueuedMax && ++answers_given <= kStatelessAnswers;
}

bool ControlSession::Impl::answer_first_packet(base::TimePoint now, const base::Endpoint& from,
                                               const ControlHead& head, base::ByteSpan bytes) {
  Scratch scratch;
  const auto body = open_first(head, bytes, scratch);
  if (!body || body->id != 0) return false;
  if (!take_answer_slot(now)) return true;  // authentic, and too many: silence
  answers.push_back({from, cookie_answer(now, from, head)});
  return true;
}

base::Bytes ControlSession::Impl::cookie_answer(base::TimePoint now, const base::Endpoint& from,
                                                const ControlHead& head) {
  ControlBody answer;
  answer.acks.add(0);
  answer.acked_session = head.session;
  answer.id = 0;
  base::Bytes out(kDatagramBytesMax);
  base::ByteWriter writer(base::MutableByteSpan(out).subspan(first_wrap->body_at()));
  write_body(answer, writer);
  const ControlHead own{Opcode::kHardResetServerV2, 0, cookies->make(now, from, head.session)};
  const wire::LongPacketId packet_id{
      wire::PacketId{1}, wire::PacketTime{static_cast<std::uint32_t>(common.parts.wall_clock())}};
  out.resize(first_wrap->seal(own, packet_id, writer.size(), out));
  return out;
}

// What only an end of this one's own role sends: both wait for the other, or call it, for ever. It
// is sealed as the other role's packets are opened (tls-crypt), or as either's (tls-auth without a
// direction, nothing).
bool ControlSession::Impl::hear_same_role(base::TimePoint now, const base::Endpoint& from,
                                          const ControlHead& head, base::ByteSpan bytes) {
  const bool sent_back = active && active->own_id() == head.session;
  if (in_use() || sent_back) return false;
  Scratch scratch;
  if (!other_wrap->open(head, bytes, scratch) && !first_wrap->open(head, bytes, scratch)) {
    return false;
  }
  if (same_role_told && now - *same_role_told < kForgedNoteInterval) return true;
  same_role_told = now;
  // Whoever calls a server that waits may be anybody, unless a key proves it or it is called there.
  const bool believed = !server() || wrapped() || (active && active->peer_address() == from);
  const std::string text = server() ? kServerToo : kClientToo;
  events.push_back(SessionNote{text, true, believed ? text : ""});
  return true;
}

// Authentic or nothing. Whether it is a repetition only a session could know.
std::optional<ControlBody> ControlSession::Impl::open_first(const ControlHead& head,
                                                            base::ByteSpan bytes,
                                                            base::MutableByteSpan scratch) {
  const auto opened = first_wrap->open(head, bytes, scratch);
  return opened ? parse_body(head.opcode, opened->body) : std::nullopt;
}

bool ControlSession::Impl::may_replace_candidate(base::TimePoint now) const {
  if (active && active->knows_peer() && common.config().single_session) return false;
  return !candidate || now - candidate->began() >= kCandidatePatience;
}

bool ControlSession::Impl::begin_by_cookie(base::TimePoint now, const base::Endpoint& from,
                                           const ControlHead& head, base::ByteSpan bytes) {
  Scratch scratch;
  const auto body = open_first(head, bytes, scratch);
  if (!body || body->acks.empty() || (body->id && *body->id > 1) ||
      !std::ranges::all_of(body->acks, [](wire::MessageId id) { return id <= 1; }) ||
      !cookies->good(now, from, head.session, body->acked_session)) {
    return false;
  }
  if (!may_replace_candidate(now)) return true;
  const PeerSession::Cookie cookie{body->acked_session, head.session, from};
  std::unique_ptr<PeerSession>& place = active ? candidate : active;
  place = std::make_unique<PeerSession>(common, now, &cookie);
  return place->handle(now, head, bytes) != Heard::kRefused;
}

// A server that began anew, and by itself: its packet acknowledges nothing. What does acknowledge
// something is an answer to us that came too late.
bool ControlSession::Impl::begin_by_server(base::TimePoint now, const ControlHead& head,
                                           base::ByteSpan bytes) {
  Scratch scratch;
  const auto body = open_first(head, bytes, scratch);
  if (!body) return false;
  if (!body->acks.empty() || !active || !may_replace_candidate(now)) return true;
  auto fresh = std::make_unique<PeerSession>(common, now);
  if (fresh->handle(now, head, bytes) != Heard::kTaken) return false;
  candidate = std::move(fresh);
  return true;
}

void ControlSession::Impl::forged(base::TimePoint now) {
  ++forged_count;
  if (forged_told && now - *forged_told < kForgedNoteInterval) return;
  forged_told = now;
  events.push_back(SessionNote{
      std::to_string(std::exchange(forged_count, 0)) + " control packets were dropped: " +
          (wrapped() ? "not authentic (another key of tls-auth or tls-crypt, another direction or "
                       "digest at the other end), or of another session"
                     : "damaged, or of another session"),
      true});
}

// Hands on what the sessions tell, and lets a candidate that has keys take over.
void ControlSession::Impl::settle(base::TimePoint now) {
  if (candidate) take_candidate_events(now);
  if (candidate && candidate->keys_told()) active = std::move(candidate);
  if (!active) return;
  if (active->stale() && !candidate && !server()) {
    candidate = std::make_unique<PeerSession>(common, now);
  }
  while (auto event = active->next_event()) {
    const bool failed = std::holds_alternative<SessionFailed>(*event);
    if (failed && server() && !common.parts.stream_transport) {
      // A server goes on listening: the peer will be back. A connection has nobody else on it.
      auto& failure = std::get<SessionFailed>(*event);
      if (!active->keys_told() || candidate) {
        const bool heard = active->knows_peer();
        events.push_back(
            SessionNote{heard ? "a session ended: " + failure.reason
                              : "the peer does not answer where it was; waiting for it to call",
                        heard, heard ? reason_of(failure) : ""});
        send_last_words(now, *active);
        active = std::move(candidate);
        if (!active) return;
        continue;
      }
    }
    ended |= failed;
    events.push_back(std::move(*event));
  }
}

// Without a wrapping anybody gets as far as TLS, and could have a person told that packets are
// lost.
std::string ControlSession::Impl::reason_of(const SessionFailed& failure) const {
  if (!wrapped() && !failure.certificate) return {};
  return base::loggable(failure.reason);
}

// The TLS alert that tells the peer why: the session is not asked for it any more.
void ControlSession::Impl::send_last_words(base::TimePoint now, PeerSession& session) {
  Scratch scratch;
  while (session.knows_peer() && session.peer_address() && answers.size() < kAnswersQueuedMax) {
    const auto size = session.next_datagram(now, scratch);
    if (!size) return;
    answers.push_back({*session.peer_address(),
                       {scratch.begin(), scratch.begin() + static_cast<std::ptrdiff_t>(*size)}});
  }
}

// Whoever calls over TCP keeps all others out: one who says nothing is not waited for for ever.
void ControlSession::Impl::check_silence(base::TimePoint now) {
  if (active) silence_ends.reset();
  if (!silence_ends || now < *silence_ends) return;
  const int window = common.config().renegotiation.hand_window_seconds;
  events.push_back(SessionFailed{"the caller began no session within " + std::to_string(window) +
                                 " s (hand-window)"});
  ended = true;
}

void ControlSession::Impl::take_candidate_events(base::TimePoint now) {
  while (auto event = candidate->next_event()) {
    if (auto* failure = std::get_if<SessionFailed>(&*event)) {
      events.push_back(SessionNote{"a new session did not come about: " + failure->reason, true,
                                   in_use() ? "" : reason_of(*failure)});
      send_last_words(now, *candidate);
      candidate.reset();
      return;
    }
    if (auto* keys = std::get_if<KeysReady>(&*event); keys != nullptr && keys->first) {
      // The session before is over, whatever it still had to say.
      while (active && active->next_event()) continue;
    }
    events.push_back(std::move(*event));
  }
}

ControlSession::ControlSession(SessionParts parts, base::TimePoint)
    : impl_(std::make_unique<Impl>(std::move(parts))) {}
ControlSession::~ControlSession() = default;

void ControlSession::start(base::TimePoint now, const std::optional<base::Endpoint>& peer) {
  const std::string trouble =
      impl_->common.tls->own_certificate_trouble(impl_->common.parts.wall_clock());
  if (!trouble.empty()) impl_->events.push_back(SessionNote{trouble, true});
  if (!impl_->server()) {
    impl_->active = std::make_unique<PeerSession>(impl_->common, now);
  } else if (impl_->common.parts.stream_transport) {
    const int window = impl_->common.config().renegotiation.hand_window_seconds;
    impl_->silence_ends = now + seconds(window);
  } else if (peer) {
    impl_->active = std::make_unique<PeerSession>(impl_->common, now);
    impl_->active->set_peer_address(*peer);
  }
}

bool ControlSession::handle_datagram(base::TimePoint now, const base::Endpoint& from,
                                     base::ByteSpan bytes) {
  return impl_->handle(now, from, bytes);
}

SessionStage ControlSession::stage() const {
  const PeerSession* session = impl_->active.get();
  if (session == nullptr || !session->knows_peer()) return SessionStage::kCalling;
  if (session->keys_told()) return SessionStage::kReady;
  return session->exchanged() ? SessionStage::kAsking : SessionStage::kHandshake;
}

void ControlSession::handle_timeout(base::TimePoint now) {
  if (impl_->ended) return;
  if (impl_->active) impl_->active->handle_timeout(now);
  if (impl_->candidate) impl_->candidate->handle_timeout(now);
  impl_->settle(now);
  impl_->check_silence(now);
}

std::optional<std::size_t> ControlSession::next_datagram(base::TimePoint now,
                                                         base::MutableByteSpan out,
                                                         std::optional<base::Endpoint>& to) {
  to.reset();
  while (!impl_->answers.empty()) {
    const Answer answer = std::move(impl_->answers.front());
    impl_->answers.pop_front();
    if (answer.bytes.size() > out.size()) continue;
    std::ranges::copy(answer.bytes, out.begin());
    to = answer.to;
    return answer.bytes.size();
  }
  for (PeerSession* session : {impl_->active.get(), impl_->candidate.get()}) {
    if (session == nullptr) continue;
    const auto size = session->next_datagram(now, out);
    if (!size) continue;
    if (impl_->server()) to = session->peer_address();
    return size;
  }
  return std::nullopt;
}

std::optional<base::TimePoint> ControlSession::next_timeout() const {
  std::optional<base::TimePoint> first;
  if (impl_->ended) return first;
  first = impl_->silence_ends;
  for (const PeerSession* session : {impl_->active.get(), impl_->candidate.get()}) {
    const auto at = session == nullptr ? std::nullopt : session->next_timeout();
    if (at && (!first || *at < *first)) first = at;
  }
  return first;
}

std::optional<SessionEvent> ControlSession::next_event() {
  if (impl_->events.empty()) return std::nullopt;
  SessionEvent event = std::move(impl_->events.front());
  impl_->events.pop_front();
  return event;
}

std::string ControlSession::peer_name() const {
  return impl_->active ? impl_->active->peer_name() : "";
}

void ControlSession::renegotiate(base::TimePoint now) {
  if (impl_->active) impl_->active->renegotiate(now);
  impl_->settle(now);
}

bool ControlSession::exit_agreed() const {
  return impl_->active && impl_->active->agreed() && impl_->active->agreed()->exit_notify;
}

void ControlSession::send_exit(base::TimePoint now) {
  if (exit_agreed()) impl_->active->send_text(now, "EXIT");
}

void ControlSession::send_challenge_response(base::TimePoint now, const std::string& answer) {
  if (!impl_->active) return;
  impl_->active->send_text(now, "CR_RESPONSE," + base::to_base64(base::as_bytes(answer)));
}

void ControlSession::peer_moved(const base::Endpoint& to) {
  if (impl_->active) impl_->active->set_peer_address(to);
}

std::optional<std::pair<std::string, std::string>> ControlSession::token_credentials() const {
  return impl_->common.token;
}

}  // namespace control
