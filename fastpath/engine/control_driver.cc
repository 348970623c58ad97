// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/control_driver.h"

#include <array>
#include <utility>

#include "base/file.h"
#include "base/secret_bytes.h"
#include "fastpath/engine/find_file.h"
#include "fastpath/engine/tls_options.h"

namespace engine {
namespace {

constexpr std::size_t kDatagramBytesMax = 2048;
constexpr std::size_t kIpv4AndUdpBytes = 28, kIpv6AndUdpBytes = 48;

}  // namespace

void ControlDriver::begin(const std::optional<base::Endpoint>& peer, config::Transport transport,
                          const std::optional<base::Endpoint>& call) {
  const base::TimePoint now = base::monotonic_now();
  end();
  static_cast<void>(link_.take_control_packets());  // of the session before
  control::SessionParts parts;
  parts.config = &*config_.tls;
  parts.options_string = tls_options_string(config_, transport);
  parts.tun_mtu = config_.device.mtu;
  parts.compression = config_.crypto.invites_compression();
  parts.epoch_format = true;
  parts.push_update = config_.tls->pull.pull;
  parts.dns_option_v2 = true;
  parts.stream_transport = transport != config::Transport::kUdp;
  const bool v6 = peer && !peer->address.is_v4();
  parts.link_overhead = v6 ? kIpv6AndUdpBytes : kIpv4AndUdpBytes;
  parts.random = base::random_bytes;
  parts.wall_clock = base::unix_now;
  parts.find_file = find_file;
  parts.token = token_;
  parts.remembered_push = std::exchange(remembered_, {});
  parts.login = login_;
  parts.sign_on = sign_on_;
  used_token_ = token_.has_value();
  session_ = std::make_unique<control::ControlSession>(std::move(parts), now);
  ++number_;
  peer_ = peer;
  session_->start(now, call);
}

void ControlDriver::end() {
  session_.reset();
  clear_timer();
}

void ControlDriver::turn(base::TimePoint now) {
  if (!session_) return;
  take_packets(now);
  session_->handle_timeout(now);
  if (auto token = session_->token_credentials()) token_ = std::move(token);
}

void ControlDriver::send(base::TimePoint now) {
  if (!session_) return;
  send_packets(now);
  const auto next = session_->next_timeout();
  if (next) timers_.set(Timer::kControl, *next);
  if (!next) clear_timer();
}

void ControlDriver::take_packets(base::TimePoint now) {
  bool authentic = false;
  for (const peer::ControlPacket& packet : link_.take_control_packets()) {
    authentic |= session_->handle_datagram(now, packet.source, packet.bytes);
  }
  if (authentic && link_.worker() != nullptr) link_.worker()->control_packet_authenticated();
}

void ControlDriver::send_packets(base::TimePoint now) {
  Worker* worker = link_.worker();
  if (worker == nullptr) return;
  std::array<std::uint8_t, kDatagramBytesMax> space;
  std::vector<peer::ControlPacket> datagrams;
  std::optional<base::Endpoint> to;
  while (const auto size = session_->next_datagram(now, space, to)) {
    if (!to) to = peer_;
    if (!to) continue;
    datagrams.push_back({*to, {space.begin(), space.begin() + static_cast<std::ptrdiff_t>(*size)}});
  }
  if (!datagrams.empty()) worker->send_control(std::move(datagrams));
}

std::optional<control::SessionEvent> ControlDriver::next_event() {
  return session_ ? session_->next_event() : std::nullopt;
}

void ControlDriver::renegotiate(base::TimePoint now) {
  if (!session_) return;
  session_->renegotiate(now);
  send(now);
}

void ControlDriver::send_exit(base::TimePoint now) {
  if (!session_) return;
  session_->send_exit(now);
  send(now);
}

void ControlDriver::answer(base::TimePoint now, const std::string& text) {
  if (!session_) return;
  session_->send_challenge_response(now, text);
  send(now);
}

void ControlDriver::peer_moved(const base::Endpoint& to) {
  peer_ = to;
  if (session_) session_->peer_moved(to);
}

void ControlDriver::forget_token() {
  if (token_) base::wipe(token_->second);
  token_.reset();
}

}  // namespace engine
