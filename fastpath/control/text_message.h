// SPDX-License-Identifier: Apache-2.0
// OpenVPN protocol: the texts that follow key method 2 inside TLS.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fastpath/control/control_session.h"

namespace control {

enum class TextKind {
  kUnknown,
  kPushRequest,
  kPushReply,
  kPushUpdate,
  kAuthFailed,
  kAuthPending,
  kInfo,
  kRestart,
  kHalt,
  kExit,
  kChallengeResponse,
};

// Whether an end acts on a text. OpenVPN protocol: almost all are a server's to a client that pulls
// from it; two ends that are equals tell each other no more than that they leave.
bool obeyed(TextKind kind, bool pulls);

struct TextMessage {
  TextKind kind = TextKind::kUnknown;
  std::string_view rest;  // behind the word and its comma
};

// One record of TLS may hold several, each ended by a NUL; line ends behind a text are dropped. A
// piece with control characters, or without its NUL, is left out and counted in `damaged`.
std::vector<std::string> split_texts(std::string_view record, int& damaged);

TextMessage parse_text(std::string_view text);
AuthFailed parse_auth_failed(std::string_view rest);
AuthPending parse_auth_pending(std::string_view rest);
RestartAsked parse_restart(std::string_view rest);

// A dynamic challenge, from AuthFailed::reason ("CRV1:flags:state:user:text").
struct DynamicChallenge {
  std::string flags, state_id, username, text;

  friend bool operator==(const DynamicChallenge&, const DynamicChallenge&) = default;
};
std::optional<DynamicChallenge> parse_dynamic_challenge(std::string_view reason);
// What goes where the password would (OpenVPN protocol: username and password).
std::string dynamic_challenge_password(const DynamicChallenge& challenge, std::string_view answer);
std::string static_challenge_password(std::string_view password, std::string_view answer);

}  // namespace control
