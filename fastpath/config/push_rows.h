// SPDX-License-Identifier: Apache-2.0
// One row per option that a server may push. Private to this room.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fastpath/config/push.h"

namespace config {

enum class PushUse {
  kHost,     // read like the config line of that name
  kRoute,    // the same, unless route-nopull
  kDns,      // the same, unless route-nopull
  kSession,  // read here
  kIgnored,  // of no meaning on Linux or to us; nothing is said
  kNotDone,  // left out, and told
  kRefused,  // leaving it out would make another tunnel of it
};

// What a session's row may look at and change.
struct SessionPush {
  const TunnelConfig& file;
  const PushContext& context;
  Pushed& pushed;
  TunnelConfig& scratch;
  std::optional<base::Problem> fatal;
  std::optional<std::string> note;  // why this one is left out
};

struct PushRow {
  std::string_view name;
  PushUse use;
  bool in_digest = true;   // OpenVPN protocol: what decides whether the interface can stay
  bool updatable = false;  // by PUSH_UPDATE
  void (*read)(SessionPush&, const ovpn::Directive&) = nullptr;
};

const PushRow* find_push_row(std::string_view name);

}  // namespace config
