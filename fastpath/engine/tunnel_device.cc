// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/tunnel_device.h"

#include <utility>

#include "fastpath/engine/exit_status.h"
#include "fastpath/engine/left_behind.h"
#include "fastpath/engine/route_plan.h"
#include "fastpath/io/null_port.h"

namespace engine {

namespace {

config::TunnelConfig without_keys(config::TunnelConfig config) {
  config.tls.reset();
  base::wipe(config.crypto.secret_text);
  config.crypto.secret_text.clear();
  return config;
}

[[noreturn]] void fail(const hostnet::Refusal& refusal) {
  throw base::FatalError(to_string(refusal.problem), refusal.lasting ? kExitLasting : kExitFailed);
}

}  // namespace

TunnelDevice::TunnelDevice(const config::TunnelConfig& config, ScriptFacts facts,
                           const base::Log& log, std::string network_journal, DnsPolicy dns,
                           hostnet::WhileRunning while_script_runs)
    : config_(without_keys(config)),
      log_(log),
      network_journal_(std::move(network_journal)),
      dns_policy_(std::move(dns)),
      while_script_runs_(std::move(while_script_runs)),
      facts_(std::move(facts)) {}

TunnelDevice::~TunnelDevice() {
  if (is_open()) close("");
}

void TunnelDevice::open() {
  if (config_.device.kind == config::DeviceKind::kNull) {
    facts_.device = "null";
    port_ = std::make_unique<io::NullPort>();
  } else {
    open_tun();
  }
  if (const auto problem = run(config_.scripts.up, "up", up_down_arguments(config_, facts_))) {
    const bool allowed = config_.scripts.security >= 2;
    const bool lasting = !allowed || hostnet::why_not_runnable(config_.scripts.up);
    throw base::FatalError("up: " + to_string(*problem), lasting ? kExitLasting : kExitFailed);
  }
  up_ran_ = true;
  if (keeper_ != nullptr && network_) keeper_->keep_device(port_->readable_fd());
}

bool TunnelDevice::take_over(base::UniqueFd tun, const KeptDevice& kept) {
  auto port = io::TunPort::take_over(std::move(tun), kept.existed);
  if (!port || port->name() != kept.name) return false;
  facts_.device = port->name();
  existed_ = kept.existed;
  port_ = std::move(port);
  remote_ = kept.remote;
  routes_up_ = kept.routes_up;
  up_ran_ = true;
  network_.emplace(log_, network_journal_);
  dns_.emplace(log_, dns_places(network_journal_), while_script_runs_);
  network_->take_over(plan_interface(config_.device, facts_.device, existed_),
                      hostnet::parse_journal(hostnet::boot_id(), kept.standing));
  if (routes_up_) {
    dns_->take_over(facts_.device,
                    plan_dns(config_.device.dns, config_.device.redirect, dns_policy_));
  }
  // Gateways may be others than they were.
  change(config_.device, remote_);
  return true;
}

std::optional<KeptDevice> TunnelDevice::kept() const {
  if (!network_) return std::nullopt;
  return KeptDevice{facts_.device, existed_, routes_up_, remote_,
                    hostnet::format_journal(hostnet::boot_id(), network_->standing())};
}

void TunnelDevice::leave() {
  if (dns_) dns_->leave();
  if (network_) network_->leave();
  dns_.reset();
  network_.reset();
  port_.reset();
}

// The device goes with its last descriptor.
void TunnelDevice::let_go_of_port() {
  if (keeper_ != nullptr && network_) keeper_->forget_device();
  network_.reset();
  port_.reset();
}

void TunnelDevice::open_tun() {
  auto port = io::TunPort::open(config_.device.name);
  if (!port) {
    throw base::FatalError(to_string(port.error().problem),
                           port.error().lasting ? kExitLasting : kExitFailed);
  }
  facts_.device = (*port)->name();
  existed_ = (*port)->existed();
  port_ = std::move(*port);
  network_.emplace(log_, network_journal_);
  dns_.emplace(log_, dns_places(network_journal_), while_script_runs_);
  if (config_.device.ifconfig_noexec) return;
  const auto refusal =
      network_->set_interface(plan_interface(config_.device, facts_.device, existed_));
  if (!refusal) return;
  network_.reset();
  fail(*refusal);
}

void TunnelDevice::undo_left_behind() {
  static_cast<void>(engine::undo_left_behind(network_journal_, log_, while_script_runs_));
}

void TunnelDevice::set_name_servers() {
  const auto plan = plan_dns(config_.device.dns, config_.device.redirect, dns_policy_);
  dns_->set(facts_.device, plan, dns_policy_.whole_machine);
}

std::vector<hostnet::RoutePlan> TunnelDevice::planned_routes() {
  RouteFacts facts;
  facts.gateway_v4 = network_->default_gateway(base::IpFamily::kIpv4);
  facts.gateway_v6 = network_->default_gateway(base::IpFamily::kIpv6);
  facts.remote = remote_;
  if (remote_) facts.remote_hop = network_->hop_to(*remote_, facts_.device);
  if (facts.gateway_v4) {
    facts.local_networks = network_->networks_on(facts.gateway_v4->device);
    facts_.net_gateway = facts.gateway_v4->address;
  }
  if (config_.device.route_noexec) return {};
  RoutePlans plans = plan_routes(config_.device, facts_.device, facts);
  for (const base::Problem& warning : plans.warnings) log_.warning(to_string(warning));
  return std::move(plans.routes);
}

void TunnelDevice::change(const config::DeviceConfig& device,
                          const std::optional<base::IpAddress>& remote) {
  config_.device = device;
  remote_ = remote;
  if (!network_ || config_.device.ifconfig_noexec) return;
  const auto plan = plan_interface(config_.device, facts_.device, existed_);
  const auto routes = routes_up_ ? planned_routes() : std::vector<hostnet::RoutePlan>();
  if (const auto refusal = network_->change(plan, routes)) fail(*refusal);
  if (routes_up_) set_name_servers();
}

void TunnelDevice::add_routes() {
  if (network_) {
    const auto routes = planned_routes();
    network_->add_routes(plan_interface(config_.device, facts_.device, existed_), routes);
    set_name_servers();
  }
  routes_up_ = true;
  warn_unless_run(config_.scripts.route_up, "route-up", {});
}

void TunnelDevice::close(const std::string& signal) {
  facts_.signal = signal;
  const auto arguments = up_down_arguments(config_, facts_);
  if (routes_up_) warn_unless_run(config_.scripts.route_pre_down, "route-pre-down", arguments);
  routes_up_ = false;
  dns_.reset();
  if (network_) network_->delete_routes();
  // A `down` undoes what `up` did: where that failed or was never reached, it is not run either.
  const std::string down = std::exchange(up_ran_, false) ? config_.scripts.down : "";
  if (config_.scripts.down_pre) warn_unless_run(down, "down", arguments);
  let_go_of_port();
  if (!config_.scripts.down_pre) warn_unless_run(down, "down", arguments);
  facts_.signal.clear();
}

void TunnelDevice::run_restart_scripts(const std::string& signal) {
  if (!config_.scripts.up_restart) return;
  const auto arguments = up_down_arguments(config_, facts_);
  facts_.signal = signal;
  warn_unless_run(config_.scripts.down, "down", arguments);
  facts_.signal.clear();
  warn_unless_run(config_.scripts.up, "up", arguments);
}

void TunnelDevice::heard_from(const base::Endpoint& peer) {
  if (facts_.trusted == peer) return;
  facts_.trusted = peer;
  const std::string family = peer.address.is_v4() ? "[AF_INET]" : "[AF_INET6]";
  warn_unless_run(config_.scripts.ipchange, "ipchange",
                  {family + peer.address.to_string(), std::to_string(peer.port)});
}

std::optional<base::Problem> TunnelDevice::run(const std::string& command, const std::string& type,
                                               const std::vector<std::string>& arguments) {
  if (command.empty()) return std::nullopt;
  if (config_.scripts.security < 2) {
    return base::Problem{{},
                         type + " '" + command + "' may not run",
                         "write `script-security 2` to let this config run scripts"};
  }
  log_.info(type + ": " + command);
  return hostnet::run_script(command, arguments, script_environment(config_, facts_, type),
                             while_script_runs_);
}

void TunnelDevice::warn_unless_run(const std::string& command, const std::string& type,
                                   const std::vector<std::string>& arguments) {
  if (const auto problem = run(command, type, arguments)) log_.warning(to_string(*problem));
}

}  // namespace engine
