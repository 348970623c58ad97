// SPDX-License-Identifier: Apache-2.0
#include "fastpath/peer/peer.h"

#include <algorithm>

#include "fastpath/peer/peer_impl.h"
#include "fastpath/wire/static_layout.h"

namespace peer {

Peer::Peer(PeerParts parts, base::TimePoint now)
    : impl_(std::make_unique<Impl>(std::move(parts), now)) {}

Peer::~Peer() = default;

void Peer::set_remotes(std::vector<base::Endpoint> resolved, base::TimePoint now) {
  impl_->set_remotes(std::move(resolved), now);
}

void Peer::suggest_remote(const base::Endpoint& last_known) { impl_->remotes.suggest(last_known); }

std::optional<base::Endpoint> Peer::remote() const { return impl_->remotes.current(); }

void Peer::seal_batch(base::TimePoint now, packet::PacketBatch& batch) {
  for (packet::Packet& packet : batch.packets()) {
    if (!packet.dropped()) impl_->seal_tunnel_packet(now, packet);
  }
}

void Peer::open_batch(base::TimePoint now, packet::PacketBatch& batch) {
  for (packet::Packet& packet : batch.packets()) {
    if (!packet.dropped()) impl_->open(now, packet);
  }
}

void Peer::handle_timeout(base::TimePoint now) { impl_->handle_timeout(now); }

std::optional<base::TimePoint> Peer::next_timeout() const { return impl_->next_timeout(); }

bool Peer::next_packet(base::TimePoint now, packet::Packet& out) {
  return impl_->next_packet(now, out);
}

void Peer::send_exit_notify() { impl_->occ.send_exit(); }

std::optional<PeerEvent> Peer::next_event() { return impl_->events.pop(); }

bool Peer::heard() const { return impl_->heard; }

std::optional<base::TimePoint> Peer::last_heard() const { return impl_->last_heard; }

const PeerCounters& Peer::counters() const { return impl_->counters; }

std::string Peer::options_difference() const { return impl_->difference; }

base::UnixSeconds Peer::packet_time() const {
  return impl_->channel ? value(impl_->channel->packet_time()) : 0;
}

std::optional<base::UnixSeconds> Peer::wanted_packet_time() const {
  const auto wanted = impl_->channel ? impl_->channel->wanted_time() : std::nullopt;
  return wanted ? std::optional<base::UnixSeconds>(value(*wanted)) : std::nullopt;
}

void Peer::use_packet_time(base::UnixSeconds time) {
  if (impl_->channel) impl_->channel->use_time(wire::PacketTime{static_cast<std::uint32_t>(time)});
}

std::size_t link_bytes_max(const config::TunnelConfig& config) {
  // A peer may have a larger MTU than ours; OpenVPN takes tunnel packets up to 1600 bytes then.
  constexpr std::size_t kTunMtuMax = 1600;
  const auto mtu = static_cast<std::size_t>(std::max(config.device.mtu, 0));
  return std::max(mtu, kTunMtuMax) + data::kFramingBytesMax + wire::kHmacBytesMax +
         2 * wire::kBlockBytesMax + wire::kLongPacketIdBytes;
}

}  // namespace peer
