// SPDX-License-Identifier: Apache-2.0
#include "fastpath/peer/peer.h"

#include <algorithm>
#include <utility>

#include "fastpath/peer/peer_impl.h"
#include "fastpath/peer/tunnel_shape.h"
#include "fastpath/wire/static_layout.h"

namespace peer {
namespace {

// What a batch holds beyond one train goes as another.
template <typename Do>
void for_each_train(std::span<packet::Packet> packets, const Do& with) {
  for (; packets.size() > data::kTrainPackets; packets = packets.subspan(data::kTrainPackets)) {
    with(packets.first(data::kTrainPackets));
  }
  with(packets);
}

}  // namespace

Peer::Peer(PeerParts parts, base::TimePoint now)
    : impl_(std::make_unique<Impl>(std::move(parts), now)) {}

Peer::~Peer() = default;

void Peer::set_remotes(std::vector<base::Endpoint> resolved, base::TimePoint now) {
  impl_->set_remotes(std::move(resolved), now);
}

void Peer::suggest_remote(const base::Endpoint& last_known) { impl_->remotes.suggest(last_known); }

void Peer::go_on(const Carried& carried) {
  if (!impl_->channel) return;
  impl_->channel->go_on_behind(wire::long_packet_id(carried.received),
                               wire::long_packet_id(carried.barred));
  if (carried.remote) impl_->remotes.go_on(*carried.remote);
}

std::uint64_t Peer::received() const {
  return impl_->channel ? wire::as_number(impl_->channel->newest_received()) : 0;
}

std::uint64_t Peer::barred() const {
  return impl_->channel ? wire::as_number(impl_->channel->barred()) : 0;
}

std::optional<base::Endpoint> Peer::remote() const { return impl_->remotes.current(); }

void Peer::seal_batch(base::TimePoint now, packet::PacketBatch& batch) {
  for_each_train(batch.packets(), [&](auto packets) {
    impl_->begin_seal(now, packets, impl_->own_train);
    impl_->do_bytes(crypto::kLead, impl_->own_train);
    impl_->finish_seal(now, impl_->own_train);
  });
  impl_->watch_limits();
}

void Peer::open_batch(base::TimePoint now, packet::PacketBatch& batch) {
  for_each_train(batch.packets(), [&](auto packets) {
    impl_->begin_open(now, packets, impl_->own_train);
    impl_->do_bytes(crypto::kLead, impl_->own_train);
    impl_->finish_open(now, impl_->own_train);
  });
  impl_->watch_limits();
}

void Peer::begin_seal(base::TimePoint now, packet::PacketBatch& batch, Train& train) {
  impl_->begin_seal(now, batch.packets(), train);
}

void Peer::begin_open(base::TimePoint now, packet::PacketBatch& batch, Train& train) {
  impl_->begin_open(now, batch.packets(), train);
}

void Peer::do_bytes(crypto::WorkerIndex worker, Train& train) const {
  impl_->do_bytes(worker, train);
}

void Peer::finish_seal(base::TimePoint now, Train& train) {
  impl_->finish_seal(now, train);
  impl_->watch_limits();
}

void Peer::finish_open(base::TimePoint now, Train& train) {
  impl_->finish_open(now, train);
  impl_->watch_limits();
}

bool Peer::fragments() const { return impl_->fragmenter.has_value(); }

std::size_t Peer::seal_fragments(base::TimePoint now, packet::PacketBatch& in, std::size_t at,
                                 packet::PacketBatch& out) {
  const std::span<packet::Packet> packets = in.packets();
  while (at < packets.size() && out.capacity() - out.packets().size() >= wire::kFragmentsMax) {
    packet::Packet& packet = packets[at++];
    if (!packet.dropped()) impl_->seal_in_pieces(now, packet, out);
  }
  impl_->watch_limits();
  return at;
}

std::string Peer::install_keys(const crypto::DataKeys& keys, bool first, base::TimePoint now) {
  return impl_->install_keys(keys, first, now);
}

void Peer::retire_key(std::uint8_t key_id) {
  if (impl_->ring) impl_->ring->retire(key_id);
}

void Peer::clear_keys() { impl_->clear_keys(); }

bool Peer::has_keys() const { return impl_->ring && !impl_->ring->empty(); }

void Peer::set_negotiated(const Negotiated& negotiated, base::TimePoint now) {
  impl_->set_negotiated(negotiated, now);
}

void Peer::set_session_peer(const base::Endpoint& peer, base::TimePoint now) {
  impl_->remotes.set_current(peer);
  impl_->keepalive.remote_known(now);
}

void Peer::control_packet_authenticated(base::TimePoint now) {
  impl_->keepalive.authenticated_packet_received(now);
}

std::vector<ControlPacket> Peer::take_control_packets() {
  return std::exchange(impl_->control_packets, {});
}

std::uint64_t Peer::bytes_under_key() const {
  return impl_->ring ? impl_->ring->bytes_under_key() : 0;
}

std::uint64_t Peer::packets_under_key() const {
  return impl_->ring ? impl_->ring->packets_under_key() : 0;
}

void Peer::handle_timeout(base::TimePoint now) { impl_->handle_timeout(now); }

std::optional<base::TimePoint> Peer::next_timeout() const { return impl_->next_timeout(); }

bool Peer::next_packet(base::TimePoint now, packet::Packet& out) {
  return impl_->next_packet(now, out);
}

bool Peer::begin_own(base::TimePoint now, packet::PacketBatch& batch, Train& train) {
  return impl_->begin_own(now, batch, train);
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
  // Header and tag of TLS mode are less than what a static key puts there.
  static_assert(data::KeyRing::headroom_max() + data::KeyRing::tailroom_max() <=
                wire::kHmacBytesMax + 2 * wire::kBlockBytesMax + wire::kLongPacketIdBytes);
  static_assert(data::KeyRing::headroom_max() + wire::kFragmentHeaderBytes +
                    data::kFramingBytesMax <=
                packet::kHeadroomBytes);
  return framed_bytes_max(config) + wire::kFragmentHeaderBytes + wire::kHmacBytesMax +
         2 * wire::kBlockBytesMax + wire::kLongPacketIdBytes;
}

}  // namespace peer
