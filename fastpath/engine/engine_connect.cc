// SPDX-License-Identifier: Apache-2.0
// How an engine finds its peer: resolve, open, restart, wait, try the next.
#include <algorithm>
#include <chrono>
#include <utility>

#include "fastpath/engine/engine.h"
#include "fastpath/engine/exit_status.h"
#include "fastpath/engine/load_tls.h"

namespace engine {

using ovpn::ConnectionState;
using std::chrono::seconds;

void Engine::connect() {
  if (must_ask()) return;
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
    if (unresolved_since_) reporter_.set_reason({});
    unresolved_since_.reset();
    walk_.resolved(std::move(answer.addresses));
    return use_targets(walk_.targets());
  }
  log_.warning(answer.problem);
  reporter_.set_reason(answer.problem);
  reporter_.set_state(reporter_.state());
  if (walk_.fall_back()) {
    log_.notice("trying the addresses it had before");
    return use_targets(walk_.targets());
  }
  const base::TimePoint now = base::monotonic_now();
  if (!unresolved_since_) unresolved_since_ = now;
  const int limit = config_.link.resolv_retry_seconds;
  if (limit >= 0 && now - *unresolved_since_ >= seconds(limit)) {
    return fail("no remote could be resolved (resolv-retry)");
  }
  walk_.skip_remote();
  pause(0);
}

void Engine::use_targets(const std::vector<base::Endpoint>& targets) {
  targets_ = targets;
  // Routes of an interface that persists would lead what goes to another remote into the tunnel.
  if (pulls() && device_.is_open()) device_.change(config_.device, targets.front().address);
  if (transport() != config::Transport::kUdp) return open_stream(targets);
  if (!config_.tls && link_.can_retarget(targets)) {
    link_.worker()->set_remotes(targets);
  } else {
    link_.stop_worker();
    link_.open(targets);
    if (targets.empty() && !config_.tls) suggest_last_peer();
    drop_privileges();
    link_.reset_negotiated();
    link_.start_worker(tun_port());
    log_.info("link: " + link_.describe_socket());
  }
  log_.info(targets.empty() ? "waiting for the peer" : "peer: " + targets.front().to_string());
  if (config_.tls) return begin_session();
  reporter_.set_state(ConnectionState::kAssignIp);
}

void Engine::suggest_last_peer() {
  const auto& peer = parts_.last_peer->known();
  if (!peer || !link_.suggest(*peer)) return;
  log_.info("the peer was last heard at " + peer->to_string() + ", and is asked there first");
}

// What the device of a client needs is only known when the server has said so.
void Engine::drop_privileges() {
  if (!pulls() || device_.is_open()) parts_.privileges->drop();
}

void Engine::restart(const std::string& reason, RestartWay way) {
  if (timers_.is_set(Timer::kPause) || leaving_ || ending_) return;
  log_.notice(reason + ": restarting");
  if (!way.asked) reporter_.set_reason(reason);
  const std::string& instead = config_.process.remap_usr1;
  if (instead == "SIGTERM") return end(way.asked ? Ending::kStopped : Ending::kFailed);
  if (instead == "SIGHUP" && parts_.reload()) return end(Ending::kReload);
  if (!walk_.empty() && !way.stay && !walk_.advance()) {
    log_.error("connect-retry-max: nobody answered; giving up");
    return end(Ending::kFailed);  // the last word is the reason above
  }
  stop_asking();
  reporter_.set_state(ConnectionState::kReconnecting);
  if (link_.has_stream()) log_.debug("connection closed: " + link_.close_stream());
  opener_.stop();
  resolver_.abandon();  // it was asked for the remote before
  for (const Timer timer : {Timer::kConnect, Timer::kServerPoll, Timer::kSession}) {
    timers_.clear(timer);
  }
  control_.end();
  if (config_.tls) forget_pushed_values();
  if (!config_.crypto.persist_key) config_.tls ? reload_tls_files() : reload_key();
  reopen_device();
  // Who is called waits no longer than it must: the caller has pauses of its own.
  if (walk_.empty() || transport() == config::Transport::kTcpServer) return connect();
  resume_listening();
  if (way.at_once) return connect();
  pause(way.pause_seconds_min);
}

// Timers and framing go back to what the config says until the next server speaks. The device
// stays as it was set up: it may persist.
void Engine::forget_pushed_values() {
  const config::TunnelConfig& file = parts_.loaded->config;
  config_.keepalive = file.keepalive;
  config_.mssfix = file.mssfix;
  config_.crypto.framing = file.crypto.framing;
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

void Engine::reload_tls_files() {
  config::TlsConfig fresh = *config_.tls;
  base::Problems warnings;
  const base::Problems problems =
      load_tls_files(fresh, parts_.loaded->own.credentials_file, warnings);
  if (problems.empty()) {
    config_.tls = std::move(fresh);
    forget_reread_password(config_);
  } else {
    log_.warning("the keys in use stay (persist-key would not ask): " + to_string(problems[0]));
  }
}

void Engine::reopen_device() {
  device_.set_restart(true);
  // Rights that were given up may be the very ones that a new device needs.
  const auto& process = config_.process;
  const bool bound = !process.user.empty() || !process.group.empty() || !process.chroot.empty();
  if (config_.tls) link_.stop_worker();
  if (!device_.is_open()) return;
  if (config_.device.kind == config::DeviceKind::kNull || config_.device.persist_tun || bound) {
    return device_.run_restart_scripts("sigusr1");
  }
  link_.stop_worker();
  const bool routes = device_.routes_up();
  device_.close("sigusr1");
  if (pulls()) return;  // the server says anew what it is to be
  device_.open();
  if (routes) device_.add_routes();
}

// While the pause lasts the last known addresses may still answer; then the pause is over.
void Engine::resume_listening() {
  if (config_.tls || targets_.empty() || transport() != config::Transport::kUdp) return;
  if (Worker* worker = link_.worker()) return worker->set_remotes(targets_);
  link_.open(targets_);
  link_.start_worker(tun_port());
}

void Engine::pause(int seconds_min) {
  const base::Duration pause = std::max<base::Duration>(walk_.pause(), seconds(seconds_min));
  timers_.set(Timer::kPause, base::monotonic_now() + pause);
}

}  // namespace engine
