// SPDX-License-Identifier: Apache-2.0
// The part of PeerSession that acts on the texts inside TLS.
#include "base/base64.h"
#include "base/printable.h"
#include "fastpath/control/peer_session.h"

namespace control {
namespace {

// An address to log in at can be long, and is of no use in part.
constexpr std::size_t kInfoBytesMax = 1024;

}  // namespace

void PeerSession::take_record(base::TimePoint now, base::ByteSpan record) {
  int damaged = 0;
  for (const std::string& text : split_texts(base::as_text(record), damaged)) {
    if (over_) return;
    take_text(now, text);
  }
  if (damaged > 0) note("a message of the peer is damaged and was left out", true);
}

void PeerSession::take_text(base::TimePoint now, const std::string& text) {
  const TextMessage message = parse_text(text);
  if (!obeyed(message.kind, common_.config().pull.pull)) return decline(message.kind, text);
  switch (message.kind) {
    case TextKind::kPushReply:
      return take_push_reply(now, message.rest);
    case TextKind::kPushUpdate:
      return take_push_update(message.rest);
    case TextKind::kAuthFailed:
      // Whatever the token was, it is not what the server wants.
      common_.token.reset();
      return tell(parse_auth_failed(message.rest));
    case TextKind::kAuthPending: {
      const AuthPending pending = parse_auth_pending(message.rest);
      push_.extend(pending.timeout_seconds);
      return tell(pending);
    }
    case TextKind::kInfo:
      return tell(InfoMessage{std::string(message.rest.substr(0, kInfoBytesMax))});
    case TextKind::kRestart:
      return tell(parse_restart(message.rest));
    case TextKind::kHalt:
      return tell(PeerExited{.halt = true, .text = base::loggable(message.rest)});
    case TextKind::kExit:
      return tell(PeerExited{.halt = false, .text = base::loggable(message.rest)});
    case TextKind::kPushRequest:
    case TextKind::kChallengeResponse:
    case TextKind::kUnknown:
      return;
  }
}

// Said to somebody else than this end is: a line in the log, and nothing else changes.
void PeerSession::decline(TextKind kind, const std::string& text) {
  const bool client = common_.role() == config::TlsRole::kClient;
  if (kind == TextKind::kUnknown || kind == TextKind::kChallengeResponse) {
    return note("unknown message of the peer: " + base::loggable(text));
  }
  if (kind == TextKind::kPushRequest) {
    return note(client ? "the server asks for options, which only clients do"
                       : "the peer asks for options to be pushed, and this end has none; leave "
                         "out pull (or write tls-client for client) there",
                true);
  }
  if (client && kind == TextKind::kPushReply) {
    return note("the server pushes options, but there is no pull; write client", true);
  }
  note("the peer says '" + base::loggable(text) +
           "', which is a server's word to clients; without pull nothing follows from it",
       true);
}

void PeerSession::take_push_reply(base::TimePoint now, std::string_view rest) {
  switch (push_.take(rest)) {
    case PushDialogue::Outcome::kMore:
      return;
    case PushDialogue::Outcome::kComplete:
      return finish_pull(now);
    case PushDialogue::Outcome::kRejected:
      return fail("pull-filter rejects what the server pushed: " +
                  base::loggable(push_.rejected()));
    case PushDialogue::Outcome::kTooMuch:
      return fail("the server pushed more options than are taken");
  }
}

void PeerSession::finish_pull(base::TimePoint now) {
  std::vector<std::string> options = push_.take_options();
  auto terms = read_terms(options);
  if (!terms) return fail(terms.error());
  keep_token(*terms);
  // OpenVPN protocol: after a renegotiation only a token is pushed; everything else stays.
  if (agreed_) return compare_with_memory(std::move(options));
  auto agreed =
      negotiate_with_server(common_.config().negotiation, common_.local, *terms, peer_options_);
  if (!agreed) return fail(agreed.error());
  agreed_ = std::move(*agreed);
  push_.answered();
  tell(PushReceived{.options = std::move(options), .update = false});
  make_keys(now, *primary_);
}

// A server that spoke after all: what was agreed on may be wrong, and the next session knows
// better.
void PeerSession::compare_with_memory(std::vector<std::string> options) {
  if (by_memory_.empty()) return;
  const auto is_token = [](const std::string& option) { return option.starts_with("auth-token"); };
  std::vector<std::string> said = options;
  std::erase_if(said, is_token);
  if (said.empty() || said == std::exchange(by_memory_, {})) return;
  tell(PushReceived{.options = std::move(options), .update = false});
  fail("the server pushes other options than to the session before");
}

void PeerSession::take_push_update(std::string_view rest) {
  if (!common_.local.push_update || !agreed_) {
    return note("the server changes its options without being asked to; they are left as they are",
                true);
  }
  switch (update_.take(rest)) {
    case PushDialogue::Outcome::kMore:
      return;
    case PushDialogue::Outcome::kComplete:
      return tell(PushReceived{.options = update_.take_options(), .update = true});
    case PushDialogue::Outcome::kRejected:
      return fail("pull-filter rejects what the server pushed: " +
                  base::loggable(update_.rejected()));
    case PushDialogue::Outcome::kTooMuch:
      return fail("the server pushed more options than are taken");
  }
}

void PeerSession::keep_token(const PushedTerms& terms) {
  if (terms.auth_token.empty()) return;
  std::string user = common_.token ? common_.token->first : "";
  if (!terms.auth_token_user.empty()) {
    const auto decoded = base::from_base64(terms.auth_token_user);
    if (decoded) user = base::as_text(*decoded);
  }
  common_.token.emplace(std::move(user), terms.auth_token);
}

}  // namespace control
