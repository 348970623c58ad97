// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fastpath/config/tunnel_config.h"
#include "fastpath/engine/steps.h"

namespace engine {

// One thing that a restart may have to do, in the order of a plan.
enum class RestartStep {
  kDropLink,           // connection, handshake, questions and timers of the session that was
  kForgetPushed,       // what a server pushed, but for the device: it may persist
  kReloadKey,          // the static key, unless persist-key
  kReloadTlsFiles,     // certificates, keys, login; likewise
  kStopWorker,         // and the socket rests
  kRunRestartScripts,  // the device stays
  kCloseDevice,
  kOpenDevice,
  kAddRoutes,
  kListenOn,  // while the pause lasts the last known addresses may still answer; then it is over
  kConnect,
  kPause,
};

// How things stand when a connection is lost.
struct RestartFacts {
  bool device_open = false;
  bool routes_up = false;
  bool is_called = false;    // see Connecting
  bool has_targets = false;  // addresses of the peer
  config::Transport transport = config::Transport::kUdp;
};

std::vector<RestartStep> plan_restart(const config::TunnelConfig& config, const RestartFacts& facts,
                                      const RestartWay& way);

}  // namespace engine
