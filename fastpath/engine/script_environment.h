// SPDX-License-Identifier: Apache-2.0
// The environment and arguments that OpenVPN gives its scripts. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ip.h"
#include "base/time.h"
#include "fastpath/config/tunnel_config.h"
#include "fastpath/hostnet/script.h"
#include "fastpath/peer/peer.h"

namespace engine {

// What only a running engine knows.
struct ScriptFacts {
  std::string device;       // the interface's real name
  std::string config_file;  // empty: none
  int process_id = 0;
  base::UnixSeconds started = 0;
  bool restart = false;                     // "restart" instead of "init"
  std::string signal;                       // "sigterm"; while going down
  std::optional<base::Endpoint> trusted;    // the peer that was heard
  std::string common_name;                  // of the peer's certificate; empty: none known
  std::vector<std::string> pushed;          // the server's options, as they came
  hostnet::Environment pushed_environment;  // of its setenv-safe
  std::optional<base::IpAddress> net_gateway;
  std::optional<peer::PeerCounters> counters;  // while going down
};

// `type` is script_type: "up", "down", "route-up", "route-pre-down", "ipchange".
hostnet::Environment script_environment(const config::TunnelConfig& config,
                                        const ScriptFacts& facts, const std::string& type);

// tun_dev tun_mtu link_mtu ifconfig_local ifconfig_remote init|restart (link_mtu is 0 since 2.6).
std::vector<std::string> up_down_arguments(const config::TunnelConfig& config,
                                           const ScriptFacts& facts);

}  // namespace engine
