// SPDX-License-Identifier: Apache-2.0
// From the config's words to addresses and routes as the kernel takes them. Pure.
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

// `net_gateway`: the machine's own default gateway, if it has one. Routes that need something
// unknown are left out with a warning.
struct RoutePlans {
  std::vector<hostnet::RoutePlan> routes;
  base::Problems warnings;
};
RoutePlans plan_routes(const config::DeviceConfig& config, const std::string& device,
                       const std::optional<hostnet::Gateway>& net_gateway);

// What vpn_gateway stands for: route-gateway, else ifconfig's peer; nothing with topology subnet.
std::optional<base::IpAddress> vpn_gateway(const config::DeviceConfig& config);

}  // namespace engine
