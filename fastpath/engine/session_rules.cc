// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/session_rules.h"

#include <string>
#include <utility>

#include "base/printable.h"
#include "fastpath/control/text_message.h"

namespace engine {

using control::SessionStage;
using ovpn::ConnectionState;
using Retry = config::CredentialsConfig::Retry;

namespace {

// OpenVPN protocol: restart back-off of a client. After a refusal a server is left alone longer.
constexpr int kRetryAfterRefusalSeconds = 10;

std::string behind_colon(const std::string& text) { return text.empty() ? "" : ": " + text; }

}  // namespace

Steps after(const control::AuthFailed& event, bool used_token, Retry retry) {
  const auto challenge = control::parse_dynamic_challenge(event.reason);
  const std::string reason = challenge ? challenge->text : base::loggable(event.reason);
  const std::string why = "AUTH_FAILED" + behind_colon(reason);
  // A question, and no refusal; the server waits for the answer.
  if (challenge) {
    return {step::ForgetToken{}, step::AskChallenge{*challenge},
            step::Restart{why, {.stay = true, .at_once = true}}};
  }
  if (used_token || event.session_expired) {
    return {step::ForgetToken{},
            step::Restart{why + " (the session's token is void)", {.stay = true}}};
  }
  if (event.temporary) {
    return {step::ForgetToken{},
            step::Restart{why,
                          {.stay = event.advance == "no",
                           .pause_seconds_min = event.backoff_seconds.value_or(0)}}};
  }
  switch (retry) {
    case Retry::kNointeract:
      return {step::ForgetToken{},
              step::Restart{why, {.stay = true, .pause_seconds_min = kRetryAfterRefusalSeconds}}};
    case Retry::kInteract:
      return {step::ForgetToken{}, step::AskLogin{},
              step::Restart{why, {.stay = true, .at_once = true}}};
    case Retry::kNone:
      break;
  }
  return {step::ForgetToken{},
          step::End{Ending::kLasting,
                    why + "; give the right user name and password (`auth-retry nointeract` would "
                          "try the same again)"}};
}

Steps after(const control::RestartAsked& event) {
  Steps steps;
  if (!event.keep_credentials) steps.push_back(step::ForgetToken{});
  steps.push_back(step::Restart{"the server asks to connect anew" + behind_colon(event.text),
                                {.stay = !event.next_remote}});
  return steps;
}

Steps after(const control::PeerExited& event) {
  const std::string text = behind_colon(event.text);
  if (event.halt) {
    return {step::End{Ending::kLasting, "the server ends this client (HALT)" + text}};
  }
  return {step::Restart{"the peer said that it stops" + text}};
}

Steps after(const control::SessionFailed& event, bool tls_exit) {
  if (event.lasting) return {step::End{Ending::kLasting, event.reason}};
  if (tls_exit) return {step::End{Ending::kFailed, event.reason + " (tls-exit)"}};
  return {step::Restart{event.reason}};
}

Steps after(peer::PeerEvent event, const config::KeepaliveConfig& keepalive) {
  switch (event) {
    case peer::PeerEvent::kPingRestart:
      return {step::Restart{"ping-restart: nothing heard for " +
                            std::to_string(keepalive.ping_restart_seconds) + " s"}};
    case peer::PeerEvent::kRemoteExit:
      return {step::Restart{"the peer said that it stops"}};
    case peer::PeerEvent::kPingExit:
      return {step::End{Ending::kFailed, "ping-exit: nothing heard for " +
                                             std::to_string(keepalive.ping_exit_seconds) + " s"}};
    case peer::PeerEvent::kInactive:
      return {step::End{Ending::kFailed, "inactive: too little traffic, as the config says"}};
    case peer::PeerEvent::kHeard:
    case peer::PeerEvent::kFloated:
    case peer::PeerEvent::kOptionsDiffer:
    case peer::PeerEvent::kRenegotiate:
      break;
  }
  return {};
}

Steps SessionProgress::reached(SessionStage stage, ConnectionState told) {
  if (stage == SessionStage::kCalling) return {};
  Steps steps;
  if (!std::exchange(heard_, true)) steps.push_back(step::Unset{Timer::kServerPoll});
  const bool before = told == ConnectionState::kWait || told == ConnectionState::kAuth;
  if (stage == SessionStage::kHandshake && told == ConnectionState::kWait) {
    steps.push_back(step::TellState{ConnectionState::kAuth});
  }
  if (stage == SessionStage::kAsking && pulls_ && before) {
    steps.push_back(step::TellState{ConnectionState::kGetConfig});
  }
  return steps;
}

}  // namespace engine
