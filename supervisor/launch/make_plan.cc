// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/make_plan.h"

#include "ovpn/remote_list.h"
#include "ovpn/tunnel_kind.h"
#include "supervisor/site/cross_check.h"

namespace launch {
namespace {

// Stock asks 12 times, every 10 s (OpenVPN protocol: option consistency check).
constexpr int kStockAsksSeconds = 120;
constexpr int kDryMargin = 10;

// True if nothing but the option consistency check ever asks the peer for a sign of life.
bool can_run_dry(const ovpn::Profile& profile) {
  if (ovpn::tunnel_mode(profile) == ovpn::TunnelMode::kTls || !ovpn::uses_udp(profile))
    return false;
  for (const char* goes_on : {"ping-restart", "ping-exit", "keepalive", "disable-occ"}) {
    if (profile.has(goes_on)) return false;
  }
  return profile.has("remote");
}

std::vector<std::string> fastpath_arguments(const PlanInput& input) {
  const bool connected = input.site.run.ready == site::Ready::kConnected;
  std::vector<std::string> argv{
      "--config",    input.runtime_folder + "/" + input.site.name + ".conf",
      "--state-dir", input.state_folder,
      "--ready",     connected ? "connected" : "started"};
  if (connected) argv.push_back(std::to_string(input.site.run.ready_timeout_seconds));
  if (input.site.run.threads > 0) {
    argv.insert(argv.end(), {"--threads", std::to_string(input.site.run.threads)});
  }
  if (const int wait = input.site.run.clock_wait_seconds; wait != site::kClockWaitSeconds) {
    argv.insert(argv.end(), {"--clock-wait", wait > 0 ? std::to_string(wait) : "off"});
  }
  if (!input.site.run.resume) argv.insert(argv.end(), {"--resume", "off"});
  if (!input.site.dns.use.empty()) {
    argv.push_back("--dns");
    argv.insert(argv.end(), input.site.dns.use.begin(), input.site.dns.use.end());
  }
  if (input.site.acknowledge_cleartext) argv.push_back("--acknowledge-cleartext");
  if (input.profile.has("auth-user-pass")) {
    const std::string root = input.root.empty() ? "" : "--root " + input.root + " ";
    argv.insert(argv.end(), {"--ask", input.runtime_folder + "/" + kAskSocket,
                             "tunctl " + root + "credentials " + input.site.name});
  }
  return argv;
}

std::vector<std::string> stock_arguments(const PlanInput& input, bool runs_dry) {
  std::vector<std::string> argv{"--config", input.runtime_folder + "/" + input.site.name + ".conf"};
  // The interface must not go and come with every try that the guard begins anew.
  if (runs_dry && !input.profile.has("persist-tun")) argv.push_back("--persist-tun");
  return argv;
}

}  // namespace

LaunchPlan make_plan(const PlanInput& input) {
  LaunchPlan plan;
  plan.site = input.site.name;
  plan.fastpath = input.engine.fastpath;
  plan.reason = input.engine.fastpath ? "" : input.engine.reason;
  plan.program = plan.fastpath ? input.fastpath : input.openvpn;
  const bool runs_dry = can_run_dry(input.profile);
  plan.argv = plan.fastpath ? fastpath_arguments(input) : stock_arguments(input, runs_dry);
  plan.cpus = input.cpus.cpus;
  if (site::is_cpus_word(input.site.run.cpus)) plan.cpus_word = input.site.run.cpus;
  plan.cpus_reasons = input.cpus.reasons;
  plan.ready_connected = input.site.run.ready == site::Ready::kConnected;
  plan.ready_timeout_seconds = input.site.run.ready_timeout_seconds;
  plan.watchdog_seconds = input.site.run.watchdog_seconds;
  plan.nice = input.nice;
  if (!plan.fastpath) {
    plan.stock_26 = render::stock_arguments(input.profile, render::ForVersion::k26);
    plan.stock_27 = render::stock_arguments(input.profile, render::ForVersion::k27);
    plan.dry_after_seconds = runs_dry ? kStockAsksSeconds + kDryMargin : 0;
  }
  plan.interface = footing_of(input.profile).interface;
  plan.runtime_folder = input.runtime_folder;
  plan.state_folder = input.state_folder;
  return plan;
}

Footing footing_of(const ovpn::Profile& profile) {
  const site::Footprint print = site::footprint_of("", profile);
  Footing footing;
  if (ovpn::device_type(profile) != ovpn::DeviceType::kNull) footing.interface = print.dev;
  if (!print.tcp) footing.port = print.port.value_or(0);
  if (footing.port != 0) footing.local = print.local;
  return footing;
}

}  // namespace launch
