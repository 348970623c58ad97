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

namespace {

using config::RouteConfig;
using hostnet::RoutePlan;

class RoutePlanner {
 public:
  RoutePlanner(const config::DeviceConfig& config, const std::string& device,
               const RouteFacts& facts)
      : config_(config),
        device_(device),
        facts_(facts),
        addresses_(plan_interface(config, device, false).addresses) {}

  RoutePlans run();

 private:
  void add_route(const RouteConfig& route);
  void add_route_ipv6(const RouteConfig& route);
  void add_redirect(const config::RedirectConfig& redirect);
  void block_local_network();
  void pin_remote();
  bool swallows_remote(const RoutePlan& route) const;

  void add(RoutePlan plan);
  void into_tunnel(const base::Prefix& destination);
  void through_tunnel(RoutePlan& plan, const std::optional<base::IpAddress>& gateway) const;
  bool through_net_gateway(RoutePlan& plan, const std::optional<hostnet::Gateway>& gateway);
  bool on_tunnel(const base::IpAddress& gateway) const;
  std::optional<base::IpAddress> address_of_word(const std::string& word) const;
  void warn(const base::Place& place, const std::string& message) {
    plans_.warnings.push_back({place, message, {}});
  }

  const config::DeviceConfig& config_;
  const std::string& device_;
  const RouteFacts& facts_;
  const std::vector<hostnet::AddressPlan> addresses_;
  RoutePlans plans_;
};

RoutePlans RoutePlanner::run() {
  if (config_.redirect) add_redirect(*config_.redirect);
  for (const RouteConfig& route : config_.routes) add_route(route);
  for (const RouteConfig& route : config_.routes_ipv6) add_route_ipv6(route);
  pin_remote();
  return std::move(plans_);
}

// The kernel knows one route of a destination and metric; the first asked for wins.
void RoutePlanner::add(RoutePlan plan) {
  for (const RoutePlan& other : plans_.routes) {
    if (hostnet::same_place(other, plan)) return;
  }
  plans_.routes.push_back(std::move(plan));
}

bool RoutePlanner::on_tunnel(const base::IpAddress& gateway) const {
  for (const hostnet::AddressPlan& address : addresses_) {
    if (address.peer ? *address.peer == gateway : address.local.contains(gateway)) return true;
  }
  return false;
}

// A tun device asks nobody for a next hop, so one that the kernel would refuse is left out.
void RoutePlanner::through_tunnel(RoutePlan& plan,
                                  const std::optional<base::IpAddress>& gateway) const {
  const bool ipv6 = !plan.destination.address.is_v4();
  if (ipv6 && config_.block_ipv6) {
    plan.unreachable = true;
    return;
  }
  plan.device = device_;
  if (gateway && on_tunnel(*gateway)) plan.gateway = gateway;
}

bool RoutePlanner::through_net_gateway(RoutePlan& plan,
                                       const std::optional<hostnet::Gateway>& gateway) {
  if (!gateway) {
    warn(plan.place, "route " + plan.destination.address.to_string() +
                         ": net_gateway, but this machine has no default route");
    return false;
  }
  plan.gateway = gateway->address;
  plan.device = gateway->device;
  return true;
}

std::optional<base::IpAddress> RoutePlanner::address_of_word(const std::string& word) const {
  if (word == "vpn_gateway") return vpn_gateway(config_);
  if (word == "remote_host") return facts_.remote;
  if (word == "net_gateway") {
    return facts_.gateway_v4 ? std::optional(facts_.gateway_v4->address) : std::nullopt;
  }
  return base::IpAddress::parse(word);
}

void RoutePlanner::add_route(const RouteConfig& route) {
  const auto destination = address_of_word(route.destination);
  if (!destination || !destination->is_v4()) {
    return warn(route.place, "route " + route.destination + ": it is not known what that is");
  }
  RoutePlan plan;
  plan.destination = {
      *destination,
      route.netmask.empty() ? 32 : base::netmask_length(address_of(route.netmask)).value_or(32)};
  plan.metric = route.metric ? route.metric : config_.route_metric;
  plan.place = route.place;
  if (route.gateway == "net_gateway") {
    if (!through_net_gateway(plan, facts_.gateway_v4)) return;
  } else if (route.gateway.empty() || route.gateway == "vpn_gateway") {
    through_tunnel(plan, vpn_gateway(config_));
  } else {
    plan.gateway = address_of_word(route.gateway);
    if (!plan.gateway || !plan.gateway->is_v4()) {
      return warn(route.place,
                  "route " + route.destination + ": gateway " + route.gateway + " is not known");
    }
    if (on_tunnel(*plan.gateway)) plan.device = device_;
  }
  add(std::move(plan));
}

void RoutePlanner::add_route_ipv6(const RouteConfig& route) {
  RoutePlan plan;
  plan.destination = base::Prefix::parse(route.destination).value_or(base::Prefix());
  plan.metric = route.metric ? route.metric : config_.route_metric;
  plan.place = route.place;
  if (route.gateway == "net_gateway") {
    if (!through_net_gateway(plan, facts_.gateway_v6)) return;
  } else if (route.gateway.empty() || route.gateway == "vpn_gateway") {
    through_tunnel(plan, base::IpAddress::parse(config_.route_ipv6_gateway));
  } else {
    // OpenVPN sends these into the tunnel's device whatever the gateway is.
    through_tunnel(plan, std::nullopt);
    if (!plan.unreachable) plan.gateway = address_of(route.gateway);
  }
  add(std::move(plan));
}

void RoutePlanner::into_tunnel(const base::Prefix& destination) {
  RoutePlan plan;
  plan.destination = destination;
  through_tunnel(plan, destination.address.is_v4() ? vpn_gateway(config_) : std::nullopt);
  add(std::move(plan));
}

// OpenVPN protocol: redirect-gateway on Linux.
void RoutePlanner::add_redirect(const config::RedirectConfig& redirect) {
  if (redirect.gateway && redirect.ipv4) {
    for (const char* half : {"0.0.0.0/1", "128.0.0.0/1"}) into_tunnel(*base::Prefix::parse(half));
  }
  if (redirect.gateway && redirect.ipv6) {
    for (const char* part : {"::/3", "2000::/4", "3000::/4", "fc00::/7"}) {
      into_tunnel(*base::Prefix::parse(part));
    }
  }
  if (redirect.block_local) block_local_network();
}

// The halves of the local network are nearer than itself; its router stays reachable.
void RoutePlanner::block_local_network() {
  if (!facts_.gateway_v4) return;
  for (const base::Prefix& network : facts_.local_networks) {
    if (!network.address.is_v4() || network.length < 1 || network.length > 30) continue;
    const std::uint32_t mask = base::netmask_of_length(network.length).v4_value();
    const std::uint32_t first = network.address.v4_value() & mask;
    const std::uint32_t second = first | 1u << (31 - network.length);
    for (const std::uint32_t half : {first, second}) {
      into_tunnel({base::IpAddress::v4(half), network.length + 1});
    }
  }
  RoutePlan router;
  router.destination = {facts_.gateway_v4->address, 32};
  router.device = facts_.gateway_v4->device;
  add(std::move(router));
}

bool RoutePlanner::swallows_remote(const RoutePlan& route) const {
  return (route.device == device_ || route.unreachable) &&
         route.destination.contains(*facts_.remote);
}

void RoutePlanner::pin_remote() {
  if (!facts_.remote) return;
  const base::IpAddress& remote = *facts_.remote;
  const int whole = remote.is_v4() ? 32 : 128;
  bool swallowed = config_.redirect.has_value();
  for (auto it = plans_.routes.begin(); it != plans_.routes.end();) {
    const bool swallows = swallows_remote(*it);
    const bool exactly = it->destination.address == remote && it->destination.length == whole;
    swallowed = swallowed || swallows;
    if (!swallows && exactly) return;  // the config has its own way to the peer
    if (swallows && exactly) {
      warn(it->place, "route " + it->destination.to_string() +
                          " would lead the tunnel's own packets into it; left out");
      it = plans_.routes.erase(it);
    } else {
      ++it;
    }
  }
  if (!swallowed || (config_.redirect && config_.redirect->local)) return;
  if (!facts_.remote_hop) {
    return warn({}, "no way to " + remote.to_string() +
                        " is known outside of the tunnel, whose routes may cut it off");
  }
  const bool on_link = !facts_.remote_hop->via;
  if (config_.redirect && config_.redirect->autolocal && on_link) return;
  RoutePlan pin;
  pin.destination = {remote, whole};
  pin.gateway = facts_.remote_hop->via;
  pin.device = facts_.remote_hop->device;
  plans_.routes.insert(plans_.routes.begin(), std::move(pin));
}

}  // namespace

std::vector<std::string> tunnel_addresses(const config::DeviceConfig& device) {
  return {device.ifconfig_local, device.ifconfig_remote_or_mask, device.ifconfig_ipv6_local,
          device.ifconfig_ipv6_remote};
}

RoutePlans plan_routes(const config::DeviceConfig& config, const std::string& device,
                       const RouteFacts& facts) {
  return RoutePlanner(config, device, facts).run();
}

}  // namespace engine
