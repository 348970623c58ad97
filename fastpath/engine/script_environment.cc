// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/script_environment.h"

#include "fastpath/engine/route_plan.h"

namespace engine {
namespace {

using hostnet::Environment;

std::string proto_name(config::FamilyChoice family) {
  switch (family) {
    case config::FamilyChoice::kIpv4:
      return "udp4";
    case config::FamilyChoice::kIpv6:
      return "udp6";
    case config::FamilyChoice::kAny:
      break;
  }
  return "udp";
}

void add_addresses(const config::DeviceConfig& device, Environment& to) {
  if (!device.ifconfig_local.empty()) {
    to.emplace_back("ifconfig_local", device.ifconfig_local);
    const std::string second = device.topology_subnet ? "ifconfig_netmask" : "ifconfig_remote";
    to.emplace_back(second, device.ifconfig_remote_or_mask);
  }
  if (const auto prefix = base::Prefix::parse(device.ifconfig_ipv6_local)) {
    to.emplace_back("ifconfig_ipv6_local", prefix->address.to_string());
    to.emplace_back("ifconfig_ipv6_netbits", std::to_string(prefix->length));
    to.emplace_back("ifconfig_ipv6_remote", device.ifconfig_ipv6_remote);
  }
}

void add_routes(const config::DeviceConfig& device, const ScriptFacts& facts, Environment& to) {
  const auto vpn = vpn_gateway(device);
  if (vpn) to.emplace_back("route_vpn_gateway", vpn->to_string());
  const std::string net = facts.net_gateway ? facts.net_gateway->to_string() : "0.0.0.0";
  to.emplace_back("route_net_gateway", net);
  to.emplace_back("redirect_gateway", "0");
  int number = 0;
  for (const config::RouteConfig& route : device.routes) {
    const std::string n = "_" + std::to_string(++number);
    std::string gateway = route.gateway;
    if (gateway.empty() || gateway == "vpn_gateway") gateway = vpn ? vpn->to_string() : "";
    if (gateway == "net_gateway") gateway = net;
    to.emplace_back("route_network" + n, route.destination);
    to.emplace_back("route_netmask" + n, route.netmask.empty() ? "255.255.255.255" : route.netmask);
    to.emplace_back("route_gateway" + n, gateway);
    if (route.metric) to.emplace_back("route_metric" + n, std::to_string(*route.metric));
  }
  number = 0;
  for (const config::RouteConfig& route : device.routes_ipv6) {
    const std::string n = "_" + std::to_string(++number);
    to.emplace_back("route_ipv6_network" + n, route.destination);
    to.emplace_back("route_ipv6_gateway" + n,
                    route.gateway.empty() ? device.ifconfig_ipv6_remote : route.gateway);
  }
}

void add_link(const config::LinkConfig& link, const ScriptFacts& facts, Environment& to) {
  int number = 0;
  for (const config::RemoteConfig& remote : link.remotes) {
    const std::string n = "_" + std::to_string(++number);
    to.emplace_back("remote" + n, remote.host);
    to.emplace_back("remote_port" + n, remote.port);
    to.emplace_back("local_port" + n, link.local_port.value_or("0"));
    to.emplace_back("proto" + n, proto_name(remote.family));
  }
  if (link.remotes.empty()) {
    to.emplace_back("local_port_1", link.local_port.value_or("0"));
    to.emplace_back("proto_1", proto_name(link.family));
  }
  if (!facts.trusted) return;
  const bool v4 = facts.trusted->address.is_v4();
  to.emplace_back(v4 ? "trusted_ip" : "trusted_ip6", facts.trusted->address.to_string());
  to.emplace_back("trusted_port", std::to_string(facts.trusted->port));
}

void add_process(const config::TunnelConfig& config, const ScriptFacts& facts, Environment& to) {
  to.emplace_back("daemon", config.process.daemon ? "1" : "0");
  to.emplace_back("daemon_log_redirect", config.process.log_file.empty() ? "0" : "1");
  to.emplace_back("daemon_pid", std::to_string(facts.process_id));
  to.emplace_back("daemon_start_time", std::to_string(facts.started));
  to.emplace_back("verb", std::to_string(config.process.verb));
  if (!facts.config_file.empty()) to.emplace_back("config", facts.config_file);
  if (!facts.signal.empty()) to.emplace_back("signal", facts.signal);
  if (!facts.counters) return;
  to.emplace_back("bytes_received", std::to_string(facts.counters->link_read_bytes));
  to.emplace_back("bytes_sent", std::to_string(facts.counters->link_write_bytes));
}

// OpenVPN protocol: environment for DNS. What Linux leaves to scripts is told as it came.
void add_foreign_options(const ScriptFacts& facts, Environment& to) {
  int number = 0;
  for (const std::string& option : facts.pushed) {
    if (!option.starts_with("dhcp-option ")) continue;
    to.emplace_back("foreign_option_" + std::to_string(++number), option);
  }
}

}  // namespace

hostnet::Environment script_environment(const config::TunnelConfig& config,
                                        const ScriptFacts& facts, const std::string& type) {
  Environment result;
  result.emplace_back("script_type", type);
  result.emplace_back("script_context", facts.restart ? "restart" : "init");
  result.emplace_back("dev", facts.device);
  result.emplace_back("dev_type", config.device.kind == config::DeviceKind::kNull ? "null" : "tun");
  result.emplace_back("tun_mtu", std::to_string(config.device.mtu));
  result.emplace_back("link_mtu", "0");
  add_addresses(config.device, result);
  add_routes(config.device, facts, result);
  add_link(config.link, facts, result);
  add_process(config, facts, result);
  add_foreign_options(facts, result);
  if (!facts.common_name.empty()) result.emplace_back("common_name", facts.common_name);
  result.insert(result.end(), facts.pushed_environment.begin(), facts.pushed_environment.end());
  // The user's own come last: of two entries of one name the later wins.
  for (const auto& [name, value] : config.scripts.environment) result.emplace_back(name, value);
  return result;
}

std::vector<std::string> up_down_arguments(const config::TunnelConfig& config,
                                           const ScriptFacts& facts) {
  return {facts.device,
          std::to_string(config.device.mtu),
          "0",
          config.device.ifconfig_local,
          config.device.ifconfig_remote_or_mask,
          facts.restart ? "restart" : "init"};
}

}  // namespace engine
