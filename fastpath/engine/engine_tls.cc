// SPDX-License-Identifier: Apache-2.0
// What an engine does in TLS mode: it runs the handshake, and acts on what that tells.
#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "fastpath/engine/engine.h"
#include "fastpath/engine/route_plan.h"
#include "fastpath/engine/status_text.h"
#include "ovpn/tunnel_addresses.h"

namespace engine {

using ovpn::ConnectionState;
using std::chrono::seconds;

void Engine::begin_session() {
  std::optional<base::Endpoint> peer;
  if (!targets_.empty()) peer = targets_.front();
  if (transport() == config::Transport::kTcpServer) peer = link_.report().remote;
  progress_.begin();
  reporter_.set_hint(waiting_text(config_.tls->role, connecting_.waits()));
  reporter_.set_state(ConnectionState::kWait);
  if (config_.tls->role == config::TlsRole::kClient && !connecting_.waits()) {
    timers_.set(Timer::kServerPoll,
                base::monotonic_now() + seconds(connecting_.remote().connect_timeout_seconds));
  }
  differences_.clear();
  reporter_.set_difference({});
  login_.begin_session();
  control_.begin(peer, transport(), whom_to_call());
  turn_session();
}

// A server over UDP that was killed is still taken for there by its peer, which speaks of a session
// that nobody knows: it is told at once, where it is or was, that there has to be a new one.
std::optional<base::Endpoint> Engine::whom_to_call() {
  const bool server = config_.tls->role == config::TlsRole::kServer;
  if (!server || transport() != config::Transport::kUdp) return std::nullopt;
  if (!targets_.empty()) return targets_.front();
  const auto& peer = parts_.last_peer->known();
  if (peer) log_.info("the peer was last heard at " + peer->to_string() + ", and is called there");
  return peer;
}

// Packets and timers of the handshake, and then what it has to tell, as long as it is the same one.
void Engine::turn_session() {
  if (!control_.running() || ending_) return;
  control_.turn(base::monotonic_now());
  carry_out(progress_.reached(control_.stage(), reporter_.state()));
  const int number = control_.number();
  while (control_.running() && control_.number() == number && !ending_) {
    auto event = control_.next_event();
    if (!event) break;
    std::visit([this](auto& each) { on(each); }, *event);
    if (!ending_) note_state();
  }
  if (control_.number() == number) control_.send(base::monotonic_now());
}

void Engine::on(control::KeysReady& event) {
  Worker* worker = link_.worker();
  if (worker == nullptr) return;
  std::optional<base::Endpoint> peer = event.peer;
  if (!peer && !targets_.empty()) peer = targets_.front();
  if (!peer) peer = link_.report().remote;
  if (event.first && event.peer) {
    worker->set_session_peer(*event.peer);
    control_.peer_moved(*event.peer);
  }
  if (event.first && !pulls()) worker->set_negotiated(TunnelLink::negotiable(config_));
  use_cipher(event.keys.cipher, event.keys.auth);
  worker->install_keys(std::move(event.keys), event.first);
  if (!event.first) return log_.info("new keys are in use");
  stop_asking();
  device_.set_common_name(event.peer_name);
  log_.notice("peer certificate: " + event.peer_name);
  heard(peer);
}

void Engine::on(control::KeyRetired& event) {
  if (Worker* worker = link_.worker()) worker->retire_key(event.key_id);
}

void Engine::on(control::PushReceived& event) {
  std::vector<std::string> options = std::move(event.options);
  if (event.update) {
    auto updated = config::apply_push_update(pushed_options_, options);
    if (!updated) return restart("PUSH_UPDATE: " + to_string(updated.error()), {});
    options = std::move(*updated);
  }
  const config::PushContext context{.tcp = transport() != config::Transport::kUdp};
  auto pushed = config::apply_push(parts_.loaded->config, options, context);
  if (!pushed) return restart("push: " + to_string(pushed.error()), {});
  const auto remote = targets_.empty() ? std::nullopt : std::optional(targets_.front().address);
  if (remote && ovpn::is_tunnel_address(*remote, tunnel_addresses(pushed->device))) {
    return restart("push: the server gives this tunnel its own address, " + remote->to_string() +
                       "; its ifconfig must be distinct from `remote`",
                   {});
  }
  for (const std::string& note : pushed->notes) log_.info("push: " + note);
  pushed_options_ = std::move(options);
  settle_differences();
  use_pushed(*pushed);
}

// What the server pushes is in force here, whatever this end had before.
void Engine::settle_differences() {
  const auto is_pushed = [this](const auto& difference) {
    return std::any_of(
        pushed_options_.begin(), pushed_options_.end(), [&](const std::string& option) {
          const std::string_view name = std::string_view(option).substr(0, option.find(' '));
          return name == difference.first || (difference.first == "comp-lzo" && name == "compress");
        });
  };
  std::erase_if(differences_, is_pushed);
  reporter_.set_difference(differences_.empty() ? "" : differences_.front().second);
}

void Engine::use_pushed(const config::Pushed& pushed) {
  const bool same = device_.is_open() && device_digest_ == pushed.digest;
  const bool scripts = !config_.scripts.up.empty() || !config_.scripts.down.empty();
  config_.device = pushed.device;
  config_.keepalive = pushed.keepalive;
  config_.mssfix = pushed.mssfix;
  config_.crypto.framing = pushed.framing;
  device_digest_ = pushed.digest;
  link_.set_buffers(pushed.sndbuf_bytes, pushed.rcvbuf_bytes);
  if (!same) {
    // The data thread rests meanwhile: its interface changes under it. What comes waits in the
    // socket.
    link_.stop_worker();
    reporter_.set_state(ConnectionState::kAssignIp);
    if (device_.is_open()) log_.notice("the server's options changed; the interface follows");
    // Scripts were told the old addresses, and are owed a `down`.
    if (device_.is_open() && scripts) device_.close("sigusr1");
    set_up_device(pushed);
    link_.start_worker(tun_port());
  }
  if (Worker* worker = link_.worker()) worker->set_negotiated(TunnelLink::negotiable(config_));
  if (config_.keepalive.session_timeout_seconds > 0) {
    timers_.set(Timer::kSession,
                base::monotonic_now() + seconds(config_.keepalive.session_timeout_seconds));
  }
}

void Engine::set_up_device(const config::Pushed& pushed) {
  std::optional<base::IpAddress> remote;
  if (!targets_.empty()) remote = targets_.front().address;
  device_.set_common_name(control_.peer_name());
  device_.set_pushed(pushed_options_, pushed.environment);
  if (!targets_.empty()) device_.set_trusted(targets_.front());
  device_.change(pushed.device, remote);
  if (!device_.is_open()) device_.open();
  reporter_.set_state(ConnectionState::kAddRoutes);
  if (!device_.routes_up() && !config_.device.route_delay_seconds) device_.add_routes();
  parts_.privileges->drop();
}

void Engine::on(control::RestartAsked& event) { carry_out(after(event)); }

void Engine::on(control::PeerExited& event) { carry_out(after(event)); }

void Engine::on(control::SessionFailed& event) {
  control_.send(base::monotonic_now());  // what tells the peer why, before all of it is forgotten
  carry_out(after(event, config_.tls->tls_exit));
}

void Engine::on(control::SessionNote& event) {
  event.warning ? log_.warning(event.text) : log_.notice(event.text);
  if (!event.reason.empty()) reporter_.tell_reason(std::move(event.reason));
  if (event.option.empty()) return;
  differences_.emplace_back(std::move(event.option), std::move(event.difference));
  reporter_.set_difference(differences_.front().second);
}

}  // namespace engine
