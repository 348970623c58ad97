// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/tunnel_device.h"

#include <utility>

#include "fastpath/engine/exit_status.h"
#include "fastpath/engine/route_plan.h"
#include "fastpath/io/null_port.h"

namespace engine {

TunnelDevice::TunnelDevice(const config::TunnelConfig& config, ScriptFacts facts,
                           const base::Log& log)
    : config_(config), log_(log), facts_(std::move(facts)) {}

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
  network_.emplace(log_);
  if (config_.device.ifconfig_noexec) return;
  const auto refusal =
      network_->set_interface(plan_interface(config_.device, facts_.device, existed_));
  if (!refusal) return;
  network_.reset();
  throw base::FatalError(to_string(refusal->problem),
                         refusal->lasting ? kExitLasting : kExitFailed);
}

void TunnelDevice::add_routes() {
  if (network_) {
    const auto gateway = network_->default_gateway(base::IpFamily::kIpv4);
    if (gateway) facts_.net_gateway = gateway->address;
    if (!config_.device.route_noexec) {
      const RoutePlans plans = plan_routes(config_.device, facts_.device, gateway);
      for (const base::Problem& warning : plans.warnings) log_.warning(to_string(warning));
      network_->add_routes(plan_interface(config_.device, facts_.device, existed_), plans.routes);
    }
  }
  routes_up_ = true;
  warn_unless_run(config_.scripts.route_up, "route-up", {});
}

void TunnelDevice::close(const std::string& signal) {
  facts_.signal = signal;
  const auto arguments = up_down_arguments(config_, facts_);
  if (routes_up_) warn_unless_run(config_.scripts.route_pre_down, "route-pre-down", arguments);
  routes_up_ = false;
  if (network_) network_->delete_routes();
  if (config_.scripts.down_pre) warn_unless_run(config_.scripts.down, "down", arguments);
  network_.reset();
  port_.reset();
  if (!config_.scripts.down_pre) warn_unless_run(config_.scripts.down, "down", arguments);
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
  return hostnet::run_script(command, arguments, script_environment(config_, facts_, type));
}

void TunnelDevice::warn_unless_run(const std::string& command, const std::string& type,
                                   const std::vector<std::string>& arguments) {
  if (const auto problem = run(command, type, arguments)) log_.warning(to_string(*problem));
}

}  // namespace engine
