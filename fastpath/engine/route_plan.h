// SPDX-License-Identifier: Apache-2.0
// From the config's words, and the server's, to addresses and routes as the kernel takes them.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ip.h"
#include "fastpath/config/tunnel_config.h"
#include "fastpath/hostnet/netlink.h"
#include "fastpath/hostnet/plan.h"

namespace engine {

hostnet::InterfacePlan plan_interface(const config::DeviceConfig& config, const std::string& device,
                                      bool existed);

// What the machine and the link are like at the moment, asked for before the tunnel's own routes
// stand (HostNetwork::hop_to passes over the tunnel when they do).
struct RouteFacts {
  std::optional<hostnet::Gateway> gateway_v4, gateway_v6;  // of the default routes
  std::optional<base::IpAddress> remote;                   // the peer's real address
  std::optional<hostnet::Hop> remote_hop;                  // how it is reached
  std::vector<base::Prefix> local_networks;                // on gateway_v4's device
};

// Routes that need something unknown are left out with a warning. Nothing of the machine's own is
// replaced: redirect-gateway is always two halves beside the default route, so that a killed engine
// leaves a machine that still reaches the net. A route that would swallow the tunnel's own packets
// brings a route of its own to the peer with it, first in the list.
struct RoutePlans {
  std::vector<hostnet::RoutePlan> routes;
  base::Problems warnings;
};
RoutePlans plan_routes(const config::DeviceConfig& config, const std::string& device,
                       const RouteFacts& facts);

// What vpn_gateway stands for: route-gateway, else ifconfig's peer; nothing with topology subnet.
std::optional<base::IpAddress> vpn_gateway(const config::DeviceConfig& config);

// The addresses of both ends inside of the tunnel, as the config has them; a netmask may be there.
std::vector<std::string> tunnel_addresses(const config::DeviceConfig& device);

}  // namespace engine
