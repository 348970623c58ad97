// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/restart_plan.h"

namespace engine {
namespace {

using enum RestartStep;

bool keeps_device(const config::TunnelConfig& config) {
  // Rights that were given up may be the very ones that a new device needs.
  const auto& process = config.process;
  const bool bound = !process.user.empty() || !process.group.empty() || !process.chroot.empty();
  return config.device.kind == config::DeviceKind::kNull || config.device.persist_tun || bound;
}

void plan_device(const config::TunnelConfig& config, const RestartFacts& facts,
                 std::vector<RestartStep>& plan) {
  if (config.tls) plan.push_back(kStopWorker);
  if (!facts.device_open) return;
  if (keeps_device(config)) return plan.push_back(kRunRestartScripts);
  if (!config.tls) plan.push_back(kStopWorker);
  plan.push_back(kCloseDevice);
  if (config.tls && config.tls->pull.pull) return;  // the server says anew what it is to be
  plan.push_back(kOpenDevice);
  if (facts.routes_up) plan.push_back(kAddRoutes);
}

}  // namespace

std::vector<RestartStep> plan_restart(const config::TunnelConfig& config, const RestartFacts& facts,
                                      const RestartWay& way) {
  std::vector<RestartStep> plan{kDropLink};
  if (config.tls) plan.push_back(kForgetPushed);
  if (!config.crypto.persist_key) plan.push_back(config.tls ? kReloadTlsFiles : kReloadKey);
  plan_device(config, facts, plan);
  // Who is called waits no longer than it must: the caller has pauses of its own.
  if (facts.is_called) {
    plan.push_back(kConnect);
    return plan;
  }
  if (!config.tls && facts.has_targets && facts.transport == config::Transport::kUdp) {
    plan.push_back(kListenOn);
  }
  plan.push_back(way.at_once ? kConnect : kPause);
  return plan;
}

}  // namespace engine
