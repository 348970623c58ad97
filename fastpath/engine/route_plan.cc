// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/route_plan.h"

namespace engine {
namespace {

// Words were checked when the config was read.
base::IpAddress address_of(const std::string& text) {
  return base::IpAddress::parse(text).value_or(base::IpAddress());
}

std::optional<hostnet::AddressPlan> ipv4_address(const config::DeviceConfig& config) {
  if (config.ifconfig_local.empty()) return std::nullopt;
  const base::IpAddress local = address_of(config.ifconfig_local);
  const base::IpAddress second = address_of(config.ifconfig_remote_or_mask);
  if (config.topology_subnet) {
    return hostnet::AddressPlan{{local, base::netmask_length(second).value_or(32)}, std::nullopt};
  }
  return hostnet::AddressPlan{{local, 32}, second};
}

}  // namespace

hostnet::InterfacePlan plan_interface(const config::DeviceConfig& config, const std::string& device,
                                      bool existed) {
  hostnet::InterfacePlan plan;
  plan.device = device;
  plan.mtu = config.mtu;
  plan.txqueuelen = config.txqueuelen;
  plan.existed = existed;
  if (const auto address = ipv4_address(config)) plan.addresses.push_back(*address);
  if (const auto prefix = base::Prefix::parse(config.ifconfig_ipv6_local)) {
    plan.addresses.push_back({*prefix, std::nullopt});
  }
  return plan;
}

std::optional<base::IpAddress> vpn_gateway(const config::DeviceConfig& config) {
  if (!config.route_gateway.empty()) return address_of(config.route_gateway);
  if (config.ifconfig_remote_or_mask.empty() || config.topology_subnet) return std::nullopt;
  return address_of(config.ifconfig_remote_or_mask);
}

RoutePlans plan_routes(const config::DeviceConfig& config, const std::string& device,
                       const std::optional<hostnet::Gateway>& net_gateway) {
  RoutePlans plans;
  for (const config::RouteConfig& route : config.routes) {
    hostnet::RoutePlan plan;
    const int length =
        route.netmask.empty() ? 32 : base::netmask_length(address_of(route.netmask)).value_or(32);
    plan.destination = {address_of(route.destination), length};
    plan.metric = route.metric ? route.metric : config.route_metric;
    plan.place = route.place;
    if (route.gateway.empty() || route.gateway == "vpn_gateway") {
      plan.gateway = vpn_gateway(config);
      plan.device = device;
    } else if (route.gateway != "net_gateway") {
      plan.gateway = address_of(route.gateway);
    } else if (net_gateway) {
      plan.gateway = net_gateway->address;
      plan.device = net_gateway->device;
    } else {
      plans.warnings.push_back(
          {route.place,
           "route " + route.destination + ": net_gateway, but this machine has no default route",
           {}});
      continue;
    }
    plans.routes.push_back(plan);
  }
  for (const config::RouteConfig& route : config.routes_ipv6) {
    hostnet::RoutePlan plan;
    plan.destination = base::Prefix::parse(route.destination).value_or(base::Prefix());
    plan.metric = route.metric ? route.metric : config.route_metric;
    plan.place = route.place;
    plan.device = device;
    if (!route.gateway.empty()) plan.gateway = address_of(route.gateway);
    plans.routes.push_back(plan);
  }
  return plans;
}

}  // namespace engine
