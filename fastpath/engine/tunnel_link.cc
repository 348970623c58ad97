// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/tunnel_link.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/cpu_list.h"
#include "base/file.h"
#include "base/text.h"
#include "fastpath/engine/exit_status.h"
#include "fastpath/engine/resolver.h"
#include "fastpath/engine/tls_options.h"

namespace engine {
namespace {

constexpr std::size_t kControlBytesMax = 2048;  // max-packet-size goes no further

std::optional<ovpn::StaticKey> clone(const std::optional<ovpn::StaticKey>& key) {
  if (!key) return std::nullopt;
  return ovpn::StaticKey{key->bytes.clone()};
}

bool same(const std::optional<ovpn::StaticKey>& a, const std::optional<ovpn::StaticKey>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return std::ranges::equal(a->bytes.view(), b->bytes.view());
}

// Where the worker's threads belong: on the CPUs this process was given. A process that was given
// all of them was not placed by anybody, and the kernel knows better than we do then.
std::vector<int> worker_cpus() {
  std::vector<int> cpus = base::affinity_of(0);
  if (static_cast<int>(cpus.size()) >= base::configured_cpu_count()) cpus.clear();
  return cpus;
}

// More than these were not seen to help one tunnel: one thread reads and writes for all.
constexpr std::size_t kThreadsAutoMax = 8;

std::size_t worker_threads(std::size_t wanted) {
  if (wanted > 0) return wanted;
  return std::clamp<std::size_t>(base::affinity_of(0).size(), 1, kThreadsAutoMax);
}

}  // namespace

TunnelLink::TunnelLink(const config::TunnelConfig& config, const crypto::CipherChoice& ciphers,
                       std::size_t threads, PacketTime& packet_time, io::WakeUp& wake_main,
                       const base::Log& log)
    : config_(config),
      ciphers_(ciphers),
      threads_(worker_threads(threads)),
      packet_time_(packet_time),
      wake_main_(wake_main),
      log_(log) {}

TunnelLink::~TunnelLink() {
  worker_.reset();
  let_go_of_socket();
}

void TunnelLink::keep_by(Keeper* keeper) {
  keeper_ = keeper;
  if (keeper_ == nullptr || keeper_->last() == nullptr) return;
  const Kept& last = *keeper_->last();
  carried_ = peer::Carried{last.state.peer, last.received, last.barred};
}

void TunnelLink::leave() {
  worker_.reset();
  keeper_ = nullptr;
}

// A port is free again when the last descriptor is closed.
void TunnelLink::let_go_of_socket() {
  if (socket_ && keeper_ != nullptr) keeper_->forget_socket();
  socket_.reset();
}

std::unique_ptr<io::UdpPort> TunnelLink::left_socket(const io::UdpSettings& wanted) {
  if (keeper_ == nullptr) return nullptr;
  auto left = io::UdpPort::take_over(keeper_->take_socket(), wanted);
  if (!left) keeper_->forget_socket();
  return left;
}

void TunnelLink::set_key(const std::optional<ovpn::StaticKey>& key) {
  if (same(key, key_)) return;
  key_ = clone(key);
  worker_.reset();
  peer_.reset();
}

void TunnelLink::open(const std::vector<base::Endpoint>& targets) {
  stream_.reset();
  open_socket(targets);
  if (!peer_) make_peer();
  peer_->set_remotes(targets, base::monotonic_now());
  if (carried_) peer_->go_on(*std::exchange(carried_, std::nullopt));
}

void TunnelLink::open_stream(std::unique_ptr<io::TcpPort> stream, config::Transport transport) {
  worker_.reset();
  let_go_of_socket();
  stream_ = std::move(stream);
  let_go_of_peer_unless(stream_->peer().address.family(), transport);
  if (!peer_) make_peer();
  peer_->set_remotes({stream_->peer()}, base::monotonic_now());
  if (const auto wanted = peer_->wanted_packet_time()) {
    packet_time_.keep(*wanted);
    peer_->use_packet_time(*wanted);
  }
}

std::string TunnelLink::close_stream() {
  worker_.reset();
  const std::string ending = stream_ ? stream_->ending() : "";
  stream_.reset();
  return ending;
}

// A peer's sizes and options follow from both, and its replay window belongs to it.
void TunnelLink::let_go_of_peer_unless(base::IpFamily family, config::Transport transport) {
  if (family != family_ || transport != transport_) peer_.reset();
  family_ = family;
  transport_ = transport;
}

bool TunnelLink::suggest(const base::Endpoint& last_known) {
  if (!config_.crypto.authenticates() || !socket_ ||
      !socket_->reaches(last_known.address.family())) {
    return false;
  }
  peer_->suggest_remote(last_known);
  return true;
}

bool TunnelLink::can_retarget(const std::vector<base::Endpoint>& targets) const {
  return worker_ && peer_ && socket_ && !targets.empty() &&
         targets[0].address.family() == family_ && config_.link.local_port.has_value();
}

io::UdpSettings TunnelLink::settings(base::IpFamily family, bool dual_stack) const {
  const config::LinkConfig& link = config_.link;
  io::UdpSettings settings;
  settings.family = family;
  settings.dual_stack = dual_stack;
  if (link.local_port) settings.port = base::parse_number<std::uint16_t>(*link.local_port);
  settings.sndbuf_bytes = link.sndbuf_bytes;
  settings.rcvbuf_bytes = link.rcvbuf_bytes;
  settings.mark = link.mark;
  settings.mtu_disc = link.mtu_disc;
  return settings;
}

io::TcpSettings TunnelLink::stream_settings(const std::optional<base::Endpoint>& target) const {
  const config::LinkConfig& link = config_.link;
  io::TcpSettings settings;
  const bool binds = !target || link.tcp_client_binds;
  if (binds) settings.local = local_address();
  if (binds && link.local_port) {
    settings.port = base::parse_number<std::uint16_t>(*link.local_port);
  }
  if (target) {
    settings.family = target->address.family();
  } else if (settings.local) {
    settings.family = settings.local->family();
  } else if (link.family != config::FamilyChoice::kIpv4) {
    settings.family = base::IpFamily::kIpv6;
    settings.dual_stack = link.family == config::FamilyChoice::kAny && !link.ipv6_only;
  }
  settings.sndbuf_bytes = link.sndbuf_bytes;
  settings.rcvbuf_bytes = link.rcvbuf_bytes;
  settings.mark = link.mark;
  return settings;
}

std::optional<base::IpAddress> TunnelLink::local_address() const {
  const config::LinkConfig& link = config_.link;
  if (link.local_host.empty()) return std::nullopt;
  const Resolved resolved = resolve_now(link.local_host, "0", link.family);
  if (resolved.addresses.empty()) {
    throw base::FatalError("local: " + resolved.problem, kExitFailed);
  }
  return resolved.addresses.front().address;
}

void TunnelLink::open_socket(const std::vector<base::Endpoint>& targets) {
  const config::LinkConfig& link = config_.link;
  const std::optional<base::IpAddress> local = local_address();
  // Without a target any family may come, unless the config says which.
  const bool open_to_both = targets.empty() && !local && link.family == config::FamilyChoice::kAny;
  const bool any = open_to_both && !link.ipv6_only;
  base::IpFamily family = base::IpFamily::kIpv4;
  if (open_to_both || link.family == config::FamilyChoice::kIpv6) family = base::IpFamily::kIpv6;
  if (local) family = local->family();
  if (!targets.empty()) family = targets.front().address.family();
  const base::IpFamily peer_family = any ? base::IpFamily::kIpv4 : family;
  if (socket_ && peer_family == family_ && link.local_port) return;
  let_go_of_peer_unless(peer_family, config::Transport::kUdp);
  let_go_of_socket();
  io::UdpSettings wanted = settings(family, family == base::IpFamily::kIpv6 && !link.ipv6_only);
  wanted.local = local;
  if ((socket_ = left_socket(wanted))) return;
  auto opened = io::UdpPort::open(wanted);
  if (!opened) {
    throw base::FatalError(to_string(opened.error().problem),
                           opened.error().lasting ? kExitLasting : kExitFailed);
  }
  socket_ = std::move(*opened);
  if (keeper_ != nullptr) keeper_->keep_socket(socket_->readable_fd());
}

void TunnelLink::make_peer() {
  peer::PeerParts parts;
  parts.config = config_;
  parts.config.link.transport = transport_;
  parts.key = clone(key_);
  if (key_ && config_.crypto.replay) parts.packet_time = packet_time_.claim(base::unix_now());
  if (config_.tls) {
    const config::RenegotiationConfig& times = config_.tls->renegotiation;
    const int half = times.reneg_seconds > 0 ? times.reneg_seconds / 2 : times.hand_window_seconds;
    parts.tls = peer::TlsParts{
        .options_string = tls_options_string(config_, transport_),
        .key_switch_after = std::chrono::seconds(std::min(half, times.hand_window_seconds))};
  }
  parts.link_family = family_;
  parts.random = base::random_bytes;
  parts.wall_clock = base::unix_now;
  parts.ciphers = ciphers_;
  parts.workers = threads_;
  peer_ = std::make_unique<peer::Peer>(std::move(parts), base::monotonic_now());
}

void TunnelLink::start_worker(io::PacketPort* tun) {
  WorkerParts parts;
  parts.peer = peer_.get();
  parts.tun = tun != nullptr ? tun : &no_tun_;
  parts.link = stream_ ? static_cast<io::PacketPort*>(stream_.get()) : socket_.get();
  parts.tun_bytes_max = static_cast<std::size_t>(config_.device.mtu);
  parts.link_bytes_max = peer::link_bytes_max(config_);
  if (config_.tls) parts.link_bytes_max = std::max(parts.link_bytes_max, kControlBytesMax);
  parts.mailbox = &mailbox_;
  parts.threads = threads_;
  parts.cpus = worker_cpus();
  parts.wake_main = &wake_main_;
  if (keeper_ != nullptr && !config_.tls) {
    parts.received = keeper_->received();
    parts.barred = keeper_->barred();
  }
  worker_ = std::make_unique<Worker>(parts);
}

peer::Negotiated TunnelLink::negotiable(const config::TunnelConfig& config) {
  peer::Negotiated values;
  values.framing = config.crypto.framing;
  values.keepalive = config.keepalive;
  values.mssfix = config.mssfix;
  if (!config.tls) return values;
  values.reneg_bytes = config.tls->renegotiation.reneg_bytes;
  values.reneg_packets = config.tls->renegotiation.reneg_packets;
  return values;
}

void TunnelLink::reset_negotiated() {
  if (peer_ && config_.tls) peer_->set_negotiated(negotiable(config_), base::monotonic_now());
}

void TunnelLink::set_buffers(int sndbuf_bytes, int rcvbuf_bytes) {
  if (stream_) stream_->set_buffers(sndbuf_bytes, rcvbuf_bytes);
  if (socket_) socket_->set_buffers(sndbuf_bytes, rcvbuf_bytes);
}

WorkerReport TunnelLink::report() const { return worker_ ? worker_->report() : WorkerReport{}; }

std::string TunnelLink::offloads() const { return socket_ ? socket_->offloads() : ""; }

std::string TunnelLink::describe_socket() const {
  if (stream_) return "TCP connection with " + stream_->peer().to_string();
  if (!socket_) return "no socket";
  return std::string(family_ == base::IpFamily::kIpv4 ? "UDPv4" : "UDPv6") + " port " +
         std::to_string(socket_->local_port()) + ", buffers " +
         std::to_string(socket_->rcvbuf_bytes()) + " in, " +
         std::to_string(socket_->sndbuf_bytes()) + " out";
}

}  // namespace engine
