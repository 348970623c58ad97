// SPDX-License-Identifier: Apache-2.0
// How an engine meets its peer over TCP: call or be called, and try again when that ends.
#include <algorithm>
#include <chrono>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "fastpath/engine/engine.h"

namespace engine {

using config::Transport;
using ovpn::ConnectionState;
using std::chrono::seconds;

namespace {

std::unique_ptr<proxy::Dialogue> dialogue_with_proxy(const config::RemoteConfig& remote) {
  if (!remote.proxy) return nullptr;
  const auto port = base::parse_number<std::uint16_t>(remote.port);
  return proxy::make_dialogue(*remote.proxy, remote.host, port.value_or(0), base::random_bytes);
}

}  // namespace

void Engine::open_stream(const std::vector<base::Endpoint>& targets) {
  link_.close_stream();
  reporter_.set_state(ConnectionState::kTcpConnect);
  if (transport() == Transport::kTcpServer) {
    opener_.listen(link_.stream_settings(std::nullopt),
                   config_.link.float_allowed ? std::vector<base::Endpoint>{} : targets);
    log_.info("waiting for the peer to connect to TCP port " +
              config_.link.local_port.value_or("0"));
  } else {
    const config::RemoteConfig& remote = connecting_.remote();
    log_.info("connecting to " + targets.front().to_string() + " over TCP" +
              (remote.proxy ? ", a proxy, for " + remote.host + ":" + remote.port : ""));
    timers_.set(Timer::kConnect, base::monotonic_now() + connecting_.connect_patience());
    const auto problem = opener_.call(link_.stream_settings(targets.front()), targets.front(),
                                      dialogue_with_proxy(remote));
    if (problem) stream_failed(to_string(*problem));
  }
  drop_privileges();
}

void Engine::handle_stream() {
  auto outcome = opener_.advance();
  if (!outcome) return;
  if (!*outcome) return stream_failed(to_string(outcome->error()));
  stream_opened(std::move(**outcome));
}

void Engine::stream_opened(std::unique_ptr<io::TcpPort> stream) {
  timers_.clear(Timer::kConnect);
  link_.open_stream(std::move(stream), transport());
  link_.reset_negotiated();
  link_.start_worker(tun_port());
  log_.info("link: " + link_.describe_socket());
  if (config_.tls) return begin_session();
  reporter_.set_state(ConnectionState::kAssignIp);
}

// No connection came to be. The device stays: nothing has used it.
void Engine::stream_failed(const std::string& why) {
  opener_.stop();
  timers_.clear(Timer::kConnect);
  std::optional<base::Endpoint> target;
  if (!targets_.empty()) target = targets_.front();
  carry_out(connecting_.stream_failed(target, why));
}

}  // namespace engine
