// SPDX-License-Identifier: Apache-2.0
// How an engine goes on with what another run left, and leaves what the next one goes on with.
#include <tuple>
#include <utility>

#include "fastpath/engine/engine.h"
#include "fastpath/engine/route_plan.h"

namespace engine {

bool Engine::take_over() {
  const Kept* const last = parts_.keeper->last();
  if (last == nullptr) return false;
  if (!take_over_device(*last)) {
    parts_.keeper->give_up("its interface is gone, or another one");
    return false;
  }
  const KeptState& state = last->state;
  connecting_.go_on(state.remote_host, state.remote_port, state.targets);
  if (transport() == config::Transport::kUdp) control_.remember_push(state.pushed);
  if (!state.token.empty()) control_.set_token({state.token_user, state.token});
  log_.notice("resumed: " + device_.name() + " stays as the run before left it");
  return true;
}

// A client's is what the server pushed.
bool Engine::take_over_device(const Kept& last) {
  if (pulls()) {
    const config::PushContext context{.tcp = transport() != config::Transport::kUdp};
    auto pushed = config::apply_push(parts_.loaded->config, last.state.pushed, context);
    if (!pushed) return false;
    config_.device = pushed->device;
    device_.change(pushed->device, last.state.device->remote);
    device_.set_pushed(last.state.pushed, pushed->environment);
    pushed_options_ = last.state.pushed;
    device_digest_ = pushed->digest;
  }
  if (device_.take_over(parts_.keeper->take_device(), *last.state.device)) return true;
  // Another config's device is what the file says; see Engine's constructor.
  config_.device = parts_.loaded->config.device;
  device_.change(config_.device, std::nullopt);
  device_.set_pushed({}, {});
  pushed_options_.clear();
  device_digest_.reset();
  return false;
}

void Engine::note_state() {
  if (!parts_.keeper->keeps()) return;
  KeptState state;
  state.device = device_.kept();
  if (!connecting_.waits()) {
    state.remote_host = connecting_.remote().host;
    state.remote_port = connecting_.remote().port;
  }
  state.targets = targets_;
  state.peer = link_.report().remote;
  state.pushed = pushed_options_;
  if (const auto& token = control_.token()) std::tie(state.token_user, state.token) = *token;
  parts_.keeper->note(std::move(state));
}

// No farewell: the peer is not to know. What has a number already is still sent.
void Engine::leave_tunnel() {
  log_.notice("ends, and leaves the tunnel to the run that follows");
  note_state();
  link_.leave();
  device_.leave();
}

}  // namespace engine
