// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/progress.h"

#include <optional>

#include "ovpn/connection_state.h"
#include "ovpn/status_line.h"
#include "supervisor/cli/ask_logins.h"

namespace cli {
namespace {

// The end of all waiting is told by whoever waits; an engine that has just begun says nothing yet.
std::string state_words(ovpn::ConnectionState state) {
  using ovpn::ConnectionState;
  switch (state) {
    case ConnectionState::kResolve:
      return "looking up the far end's name";
    case ConnectionState::kTcpConnect:
      return "connecting over TCP";
    case ConnectionState::kConnecting:
    case ConnectionState::kWait:
      return "waiting for the far end's answer";
    case ConnectionState::kAuth:
      return "agreeing on keys with the far end";
    case ConnectionState::kAuthPending:
      return "the server wants more proof";
    case ConnectionState::kGetConfig:
      return "asking the server for its settings";
    case ConnectionState::kAssignIp:
      return "waiting to hear the far end";
    case ConnectionState::kAddRoutes:
      return "setting routes";
    case ConnectionState::kReconnecting:
      return "trying the link anew";
    case ConnectionState::kExiting:
      return "the engine ends";
    case ConnectionState::kInitial:
    case ConnectionState::kConnected:
      break;
  }
  return {};
}

}  // namespace

std::string progress_words(const host::UnitStatus& unit) {
  if (unit.sub_state == "auto-restart") return "the engine has ended, and is started again";
  const auto line = ovpn::parse_status_line(unit.status_text);
  if (!line) return {};
  const std::string words = state_words(line->state);
  return words.empty() || line->note.empty() ? words : words + " (" + line->note + ")";
}

void Progress::tell(const host::UnitStatus& unit) {
  if (old_pid_ != 0 && (unit.main_pid == old_pid_ || unit.main_pid == 0)) return;
  old_pid_ = 0;
  const std::string words = progress_words(unit);
  if (words.empty() || words == told_) return;
  told_ = words;
  context_.note(name_ + ": " + words);
  // Whoever started it may be the one who knows the answer.
  if (context_.world().in_is_terminal) answer_engine(context_, name_, std::nullopt);
}

}  // namespace cli
