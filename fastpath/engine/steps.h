// SPDX-License-Identifier: Apache-2.0
// What an engine is to do, as values: said by the pure classes that decide, carried out by Engine,
// in order.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ip.h"
#include "base/log.h"
#include "base/time.h"
#include "fastpath/config/tunnel_config.h"
#include "fastpath/control/text_message.h"
#include "fastpath/engine/timers.h"
#include "ovpn/connection_state.h"

namespace engine {

enum class Ending {
  kStopped,  // asked to
  kFailed,   // ping-exit, inactive, out of tries
  kLasting,  // failed, and trying again would change nothing: the password is wrong
  kReload,   // SIGHUP, and the new config is good
  kLeft,     // to the run that follows: the tunnel stays as it is
};

// How a restart differs from the usual: on to the next remote after the usual pause.
struct RestartWay {
  bool asked = false;  // by a person
  bool stay = false;   // with the address that was in use
  bool at_once = false;
  int pause_seconds_min = 0;

  friend bool operator==(const RestartWay&, const RestartWay&) = default;
};

namespace step {

struct Say {
  base::LogLevel level = base::LogLevel::kNotice;
  std::string text;
  friend bool operator==(const Say&, const Say&) = default;
};
struct TellState {  // nothing: the same again, with what else changed
  std::optional<ovpn::ConnectionState> state = std::nullopt;
  friend bool operator==(const TellState&, const TellState&) = default;
};
struct TellReason {  // why there is no connection, told with the next state; empty: no reason
  std::string why;
  friend bool operator==(const TellReason&, const TellReason&) = default;
};
struct Resolve {
  std::string host, port;
  config::FamilyChoice family = config::FamilyChoice::kAny;
  friend bool operator==(const Resolve&, const Resolve&) = default;
};
struct UseTargets {  // send to the first, accept the others; none: wait for whoever comes
  std::vector<base::Endpoint> targets;
  friend bool operator==(const UseTargets&, const UseTargets&) = default;
};
struct Wake {
  Timer timer = Timer::kPause;
  base::Duration after{};
  friend bool operator==(const Wake&, const Wake&) = default;
};
struct Unset {
  Timer timer = Timer::kPause;
  friend bool operator==(const Unset&, const Unset&) = default;
};
struct Restart {
  std::string reason;
  RestartWay way = {};
  friend bool operator==(const Restart&, const Restart&) = default;
};
struct End {  // `why` is the last word to the service manager; empty: the reason told before stands
  Ending ending = Ending::kFailed;
  std::string why = {};
  friend bool operator==(const End&, const End&) = default;
};
struct AskPatience {  // of the service manager, for what is being waited for
  base::Duration time{};
  friend bool operator==(const AskPatience&, const AskPatience&) = default;
};
struct SendExit {  // over the handshake's channel
  friend bool operator==(const SendExit&, const SendExit&) = default;
};
struct SendExitNotify {  // over the data channel
  friend bool operator==(const SendExitNotify&, const SendExitNotify&) = default;
};
struct ForgetToken {  // that a server gave in place of the password
  friend bool operator==(const ForgetToken&, const ForgetToken&) = default;
};
struct AskChallenge {  // before the next session
  control::DynamicChallenge challenge;
  friend bool operator==(const AskChallenge&, const AskChallenge&) = default;
};
struct AskLogin {  // a person has to look at user name and password
  friend bool operator==(const AskLogin&, const AskLogin&) = default;
};

}  // namespace step

using Step = std::variant<step::Say, step::TellState, step::TellReason, step::Resolve,
                          step::UseTargets, step::Wake, step::Unset, step::Restart, step::End,
                          step::AskPatience, step::SendExit, step::SendExitNotify,
                          step::ForgetToken, step::AskChallenge, step::AskLogin>;
using Steps = std::vector<Step>;

}  // namespace engine
