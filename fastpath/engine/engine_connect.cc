// SPDX-License-Identifier: Apache-2.0
// How an engine finds its peer: resolve, open, restart, wait, try the next.
#include <chrono>
#include <utility>

#include "fastpath/engine/engine.h"
#include "fastpath/engine/exit_status.h"

namespace engine {

using ovpn::ConnectionState;
using std::chrono::seconds;

void Engine::connect() {
  if (walk_.empty()) return use_targets({});
  if (!walk_.needs_resolve()) return use_targets(walk_.targets());
  const config::RemoteConfig& remote = walk_.current();
  // With a proxy its name is all that has to be known here: it resolves the far end's itself.
  const std::string& host = remote.proxy ? remote.proxy->host : remote.host;
  const std::string& port = remote.proxy ? remote.proxy->port : remote.port;
  if (auto literal = resolve_literal(host, port, remote.family)) {
    return handle_answer(std::move(*literal));
  }
  reporter_.set_state(ConnectionState::kResolve);
  resolver_.ask(host, port, remote.family);
}

void Engine::handle_answer(Resolved answer) {
  if (!answer.addresses.empty()) {
    unresolved_since_.reset();
    walk_.resolved(std::move(answer.addresses));
    return use_targets(walk_.targets());
  }
  log_.warning(answer.problem);
  if (walk_.fall_back()) {
    log_.notice("trying the addresses it had before");
    return use_targets(walk_.targets());
  }
  const base::TimePoint now = base::monotonic_now();
  if (!unresolved_since_) unresolved_since_ = now;
  const int limit = config_.link.resolv_retry_seconds;
  if (limit >= 0 && now - *unresolved_since_ >= seconds(limit)) {
    log_.error("no remote could be resolved (resolv-retry)");
    return end(Ending::kFailed);
  }
  walk_.skip_remote();
  pause();
}

void Engine::use_targets(const std::vector<base::Endpoint>& targets) {
  targets_ = targets;
  if (transport() != config::Transport::kUdp) return open_stream(targets);
  if (link_.can_retarget(targets)) {
    link_.worker()->set_remotes(targets);
  } else {
    link_.stop_worker();
    link_.open(targets);
    if (targets.empty()) suggest_last_peer();
    parts_.privileges->drop();
    link_.start_worker(device_.port());
    log_.info("link: " + link_.describe_socket());
  }
  log_.info(targets.empty() ? "waiting for the peer" : "peer: " + targets.front().to_string());
  reporter_.set_state(ConnectionState::kAssignIp);
}

void Engine::suggest_last_peer() {
  const auto& peer = parts_.last_peer->known();
  if (!peer || !link_.suggest(*peer)) return;
  log_.info("the peer was last heard at " + peer->to_string() + ", and is asked there first");
}

void Engine::restart(const std::string& reason, bool asked) {
  if (timers_.is_set(Timer::kPause) || exit_notifies_left_ > 0) return;
  log_.notice(reason + ": restarting");
  const std::string& instead = config_.process.remap_usr1;
  if (instead == "SIGTERM") return end(asked ? Ending::kStopped : Ending::kFailed);
  if (instead == "SIGHUP" && parts_.reload()) return end(Ending::kReload);
  if (!walk_.empty() && !walk_.advance()) {
    log_.error("connect-retry-max: nobody answered; giving up");
    return end(Ending::kFailed);
  }
  reporter_.set_state(ConnectionState::kReconnecting);
  if (link_.has_stream()) log_.debug("connection closed: " + link_.close_stream());
  opener_.stop();
  timers_.clear(Timer::kConnect);
  if (!config_.crypto.persist_key) reload_key();
  reopen_device();
  // Who is called waits no longer than it must: the caller has pauses of its own.
  if (walk_.empty() || transport() == config::Transport::kTcpServer) return connect();
  resume_listening();
  pause();
}

void Engine::reload_key() {
  config::CryptoConfig crypto = config_.crypto;
  if (crypto.secret_inline) return;  // no file that could have changed
  base::Problems warnings;
  auto key = load_key(crypto, warnings);
  if (key) {
    link_.set_key(*key);
  } else {
    log_.warning("the key in use stays (persist-key would not ask): " + to_string(key.error()));
  }
}

void Engine::reopen_device() {
  device_.set_restart(true);
  // Rights that were given up may be the very ones that a new device needs.
  const auto& process = config_.process;
  const bool bound = !process.user.empty() || !process.group.empty() || !process.chroot.empty();
  if (config_.device.kind == config::DeviceKind::kNull || config_.device.persist_tun || bound) {
    return device_.run_restart_scripts("sigusr1");
  }
  link_.stop_worker();
  const bool routes = device_.routes_up();
  device_.close("sigusr1");
  device_.open();
  if (routes) device_.add_routes();
}

// While the pause lasts the last known addresses may still answer; then the pause is over.
void Engine::resume_listening() {
  if (targets_.empty() || transport() != config::Transport::kUdp) return;
  if (Worker* worker = link_.worker()) return worker->set_remotes(targets_);
  link_.open(targets_);
  link_.start_worker(device_.port());
}

void Engine::pause() { timers_.set(Timer::kPause, base::monotonic_now() + walk_.pause()); }

}  // namespace engine
