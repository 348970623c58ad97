// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/text_message.h"

#include <algorithm>
#include <iterator>

#include "base/base64.h"
#include "base/text.h"

namespace control {
namespace {

enum class ObeyedBy { kNobody, kPullers, kAll };  // nobody: it is said to servers of many

struct Word {
  std::string_view name;
  TextKind kind;
  ObeyedBy obeyed;
};

constexpr Word kWords[] = {
    {"PUSH_REQUEST", TextKind::kPushRequest, ObeyedBy::kNobody},
    {"PUSH_REPLY", TextKind::kPushReply, ObeyedBy::kPullers},
    {"PUSH_UPDATE", TextKind::kPushUpdate, ObeyedBy::kPullers},
    {"AUTH_FAILED", TextKind::kAuthFailed, ObeyedBy::kPullers},
    {"AUTH_PENDING", TextKind::kAuthPending, ObeyedBy::kPullers},
    {"INFO_PRE", TextKind::kInfo, ObeyedBy::kPullers},
    {"INFO", TextKind::kInfo, ObeyedBy::kPullers},
    {"RESTART", TextKind::kRestart, ObeyedBy::kPullers},
    {"HALT", TextKind::kHalt, ObeyedBy::kPullers},
    {"EXIT", TextKind::kExit, ObeyedBy::kAll},
    {"CR_RESPONSE", TextKind::kChallengeResponse, ObeyedBy::kNobody},
};

// UTF-8 is let through; DEL is a control character.
bool printable(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; }

// "[words]rest": takes the words off; none if there is no bracket.
std::string_view take_bracket(std::string_view& text) {
  if (!text.starts_with('[')) return {};
  const auto end = text.find(']');
  if (end == std::string_view::npos) return {};
  const std::string_view inside = text.substr(1, end - 1);
  text.remove_prefix(end + 1);
  return inside;
}

void read_temporary(std::string_view rest, AuthFailed& failed) {
  failed.temporary = true;
  for (const std::string_view pair : base::split(take_bracket(rest), ',')) {
    const auto words = base::split_words(pair);
    if (words.size() != 2) continue;
    if (words[0] == "backoff") failed.backoff_seconds = base::parse_number<int>(words[1]);
    if (words[0] == "advance") failed.advance = words[1];
  }
  if (failed.backoff_seconds && *failed.backoff_seconds < 0) failed.backoff_seconds.reset();
  if (rest.starts_with(':')) rest.remove_prefix(1);
  failed.reason = base::trim(rest);
}

}  // namespace

std::vector<std::string> split_texts(std::string_view record, int& damaged) {
  std::vector<std::string> texts;
  while (!record.empty()) {
    const auto end = record.find('\0');
    std::string_view text = record.substr(0, end);
    record.remove_prefix(end == std::string_view::npos ? record.size() : end + 1);
    while (text.ends_with('\r') || text.ends_with('\n')) text.remove_suffix(1);
    if (end == std::string_view::npos || !std::ranges::all_of(text, printable)) {
      ++damaged;
    } else if (!text.empty()) {
      texts.emplace_back(text);
    }
  }
  return texts;
}

TextMessage parse_text(std::string_view text) {
  const auto comma = text.find(',');
  const std::string_view word = text.substr(0, comma);
  const std::string_view rest = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  for (const Word& each : kWords) {
    if (word == each.name) return {each.kind, rest};
  }
  return {TextKind::kUnknown, text};
}

bool obeyed(TextKind kind, bool pulls) {
  const auto* word = std::ranges::find(kWords, kind, &Word::kind);
  if (word == std::end(kWords) || word->obeyed == ObeyedBy::kNobody) return false;
  return pulls || word->obeyed == ObeyedBy::kAll;
}

AuthFailed parse_auth_failed(std::string_view rest) {
  constexpr std::string_view kTemp = "TEMP", kSession = "SESSION:";
  AuthFailed failed;
  if (rest.starts_with(kTemp)) {
    read_temporary(rest.substr(kTemp.size()), failed);
  } else if (rest.starts_with(kSession)) {
    failed.session_expired = true;
    failed.reason = base::trim(rest.substr(kSession.size()));
  } else {
    failed.reason = rest;
  }
  return failed;
}

AuthPending parse_auth_pending(std::string_view rest) {
  AuthPending pending;
  for (const std::string_view pair : base::split(rest, ',')) {
    const auto words = base::split_words(pair);
    if (words.size() == 2 && words[0] == "timeout") {
      pending.timeout_seconds = base::parse_number<int>(words[1]);
    }
  }
  if (pending.timeout_seconds && *pending.timeout_seconds < 0) pending.timeout_seconds.reset();
  return pending;
}

RestartAsked parse_restart(std::string_view rest) {
  RestartAsked asked;
  const std::string_view flags = take_bracket(rest);
  asked.keep_credentials = flags.find('P') != std::string_view::npos;
  asked.next_remote = flags.find('N') != std::string_view::npos;
  asked.text = rest;
  return asked;
}

std::optional<DynamicChallenge> parse_dynamic_challenge(std::string_view reason) {
  if (!reason.starts_with("CRV1:")) return std::nullopt;
  const auto parts = base::split(reason, ':');
  if (parts.size() < 5) return std::nullopt;
  const auto username = base::from_base64(parts[3]);
  if (!username) return std::nullopt;
  // The text may hold colons.
  const auto text_at = static_cast<std::size_t>(parts[4].data() - reason.data());
  return DynamicChallenge{std::string(parts[1]), std::string(parts[2]),
                          std::string(base::as_text(*username)),
                          std::string(reason.substr(text_at))};
}

std::string dynamic_challenge_password(const DynamicChallenge& challenge, std::string_view answer) {
  return "CRV1::" + challenge.state_id + "::" + std::string(answer);
}

std::string static_challenge_password(std::string_view password, std::string_view answer) {
  return "SCRV1:" + base::to_base64(base::as_bytes(password)) + ":" +
         base::to_base64(base::as_bytes(answer));
}

}  // namespace control
