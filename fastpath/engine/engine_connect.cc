// SPDX-License-Identifier: Apache-2.0
// How an engine finds its peer: resolve, open, restart, wait, try the next.
#include <algorithm>
#include <chrono>
#include <utility>

#include "fastpath/crypto/valid_from.h"
#include "fastpath/engine/engine.h"
#include "fastpath/engine/exit_status.h"
#include "fastpath/engine/load_tls.h"
#include "fastpath/io/reach.h"

namespace engine {

using ovpn::ConnectionState;
using std::chrono::seconds;

void Engine::connect() {
  if (must_wait_for_clock() || must_ask()) return;
  carry_out(connecting_.begin());
}

bool Engine::must_wait_for_clock() {
  if (!config_.tls) return false;
  const ClockWait::Facts facts{base::unix_now(), crypto::valid_from(config_.tls->certificate)};
  Steps steps;
  const bool waits = clock_wait_.must_wait(facts, base::monotonic_now(), steps);
  carry_out(std::move(steps));
  return waits;
}

void Engine::take(const step::Resolve& question) {
  if (auto literal = resolve_literal(question.host, question.port, question.family)) {
    literal->out_of_reach = out_of_reach(*literal);
    return carry_out(connecting_.resolved(std::move(*literal), base::monotonic_now()));
  }
  reporter_.set_state(ConnectionState::kResolve);
  resolver_.ask(question.host, question.port, question.family);
}

bool Engine::out_of_reach(const Resolved& literal) const {
  const config::LinkConfig& link = config_.link;
  if (literal.addresses.empty() || !link.local_host.empty()) return false;
  const base::Endpoint& to = literal.addresses.front();
  if (!to.address.is_v4()) return false;
  const bool routes_are_ours = device_.is_open() && device_.routes_up();
  const bool ipv4 = !(routes_are_ours && connecting_.behind_nat64()) && io::reaches(to, link.mark);
  // The prefix that RFC 6052 gives to all networks stands for the rest of IPv6.
  const base::Endpoint ipv6{*base::IpAddress::parse("64:ff9b::1"), to.port};
  return !ipv4 && io::reaches(ipv6, link.mark);
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
  note_state();
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

void Engine::restart(const std::string& reason, const RestartWay& way) {
  if (timers_.is_set(Timer::kPause) || farewell_.begun() || ending_) return;
  log_.notice(reason + ": restarting");
  if (!way.asked) reporter_.set_reason(reason);
  const std::string& instead = config_.process.remap_usr1;
  if (instead == "SIGTERM") return end(way.asked ? Ending::kStopped : Ending::kFailed);
  if (instead == "SIGHUP" && parts_.reload()) return end(Ending::kReload);
  if (Steps over = connecting_.lost(way); !over.empty()) return carry_out(std::move(over));
  RestartFacts facts;
  facts.device_open = device_.is_open();
  facts.routes_up = device_.routes_up();
  facts.is_called = connecting_.is_called();
  facts.has_targets = !targets_.empty();
  facts.transport = transport();
  device_.set_restart(true);
  for (const RestartStep step : plan_restart(config_, facts, way)) take(step, way);
}

void Engine::take(RestartStep step, const RestartWay& way) {
  switch (step) {
    case RestartStep::kDropLink:
      return drop_link();
    case RestartStep::kForgetPushed:
      return forget_pushed_values();
    case RestartStep::kReloadKey:
      return reload_key();
    case RestartStep::kReloadTlsFiles:
      return reload_tls_files();
    case RestartStep::kStopWorker:
      return link_.stop_worker();
    case RestartStep::kRunRestartScripts:
      return device_.run_restart_scripts("sigusr1");
    case RestartStep::kCloseDevice:
      return device_.close("sigusr1");
    case RestartStep::kOpenDevice:
      return device_.open();
    case RestartStep::kAddRoutes:
      return device_.add_routes();
    case RestartStep::kListenOn:
      return listen_on();
    case RestartStep::kConnect:
      return connect();
    case RestartStep::kPause:
      return take(connecting_.pause(way.pause_seconds_min));
  }
}

void Engine::drop_link() {
  stop_asking();
  reporter_.set_state(ConnectionState::kReconnecting);
  if (link_.has_stream()) log_.debug("connection closed: " + link_.close_stream());
  opener_.stop();
  resolver_.abandon();  // it was asked for the remote before
  for (const Timer timer : {Timer::kConnect, Timer::kServerPoll, Timer::kSession, Timer::kClock}) {
    timers_.clear(timer);
  }
  control_.end();
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

void Engine::listen_on() {
  if (Worker* worker = link_.worker()) return worker->set_remotes(targets_);
  link_.open(targets_);
  link_.start_worker(tun_port());
}

}  // namespace engine
