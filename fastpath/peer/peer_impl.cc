// SPDX-License-Identifier: Apache-2.0
#include "fastpath/peer/peer_impl.h"

#include <algorithm>
#include <array>

#include "fastpath/packet/ip_header.h"
#include "fastpath/peer/make_channel.h"
#include "fastpath/peer/tunnel_shape.h"
#include "fastpath/wire/magic.h"

namespace peer {

using packet::DropReason;

namespace {

Remotes::Mode mode_of(const PeerParts& parts) {
  if (parts.tls) return Remotes::Mode::kTls;
  return parts.config.crypto.authenticates() ? Remotes::Mode::kAuthenticated
                                             : Remotes::Mode::kUnauthenticated;
}

std::uint8_t random_byte(const PeerParts& parts) {
  std::array<std::uint8_t, 1> byte{};
  const auto& fill_at_random = parts.random;
  if (fill_at_random) fill_at_random(byte);
  return byte[0];
}

}  // namespace

Peer::Impl::Impl(PeerParts parts, base::TimePoint now)
    : config(parts.config),
      tls(parts.tls),
      link_family(parts.link_family),
      channel(make_channel(parts, now)),
      ring(make_ring(parts)),
      layout(channel ? channel->layout() : wire::StaticLayout{}),
      unframer(framed_bytes_max(config)),
      remotes(config.link.float_allowed, mode_of(parts)),
      keepalive(config.keepalive, now),
      occ(config.keepalive.occ && !tls, tls ? tls->options_string : own_options(config, layout)) {
  if (config.fragment.bytes > 0) {
    fragmenter.emplace(random_byte(parts));
    assembler.emplace(framed_bytes_max(config));
  }
  keepalive.set_can_send(!keyless());
  reshape();
}

void Peer::Impl::reshape() {
  framing = framing_of(config.crypto.framing);
  const ovpn::FrameShape shape =
      ring ? frame_shape(config, ring->overhead()) : frame_shape(config, layout);
  mss = mss_limits(config, shape, link_family);
  piece_bytes_max = piece_max(config, shape, link_family);
}

void Peer::Impl::set_remotes(std::vector<base::Endpoint> resolved, base::TimePoint now) {
  remotes.set(std::move(resolved));
  if (channel) channel->restart_window();
  if (channel && config.link.transport != config::Transport::kUdp) channel->restart_ids();
  if (ring) clear_keys();
  keepalive.restart(now, remotes.current().has_value());
  occ.restart(now);
  heard = false;
}

void Peer::Impl::drop(DropReason reason, packet::Packet& packet) {
  packet.drop(reason);
  ++counters.drops[static_cast<std::size_t>(reason)];
}

// tun -> link

void Peer::Impl::begin_seal(base::TimePoint now, std::span<packet::Packet> packets, Train& train) {
  train.clear(Train::Way::kSeal);
  for (packet::Packet& packet : packets) {
    const std::size_t bytes = packet.size();
    if (packet.dropped() || !take_tunnel_packet(packet) || !sealable(packet)) continue;
    frame_whole(packet);
    train.add_sealing(packet, bytes);
  }
  begin_sealing(now, train);
}

bool Peer::Impl::take_tunnel_packet(packet::Packet& packet) {
  counters.tun_read_bytes += packet.size();
  if (!packet::ip_family(packet.bytes())) {
    drop(DropReason::kNotIp, packet);
    return false;
  }
  if (is_our_own(packet)) {
    packet.peer = *remotes.current();  // for whoever tells a person
    drop(DropReason::kOwnPacket, packet);
    return false;
  }
  data::clamp_mss(mss, packet.bytes());
  if (config.link.pass_tos) packet.tos = packet::service_class(packet.bytes());
  return true;
}

// What goes to the link's other end, address, port and protocol, was sent by this link, and a route
// led it back: sealed again it would come again, for ever. Stock compares the same. A client's
// remote has a host route beside the tunnel (hostnet), but one of a person's own may be narrower.
bool Peer::Impl::is_our_own(const packet::Packet& packet) const {
  const std::optional<base::Endpoint>& remote = remotes.current();
  if (!remote || config.link.allow_recursion) return false;
  const bool udp = config.link.transport == config::Transport::kUdp;
  return packet::goes_to(packet.bytes(), udp ? packet::kProtocolUdp : packet::kProtocolTcp,
                         *remote);
}

bool Peer::Impl::sealable(packet::Packet& packet) {
  if (!remotes.current()) {
    drop(DropReason::kNoPeer, packet);
    return false;
  }
  // What the tun filled may reach into the room that framing and padding need.
  if (packet.tailroom() < packet::kTailroomBytes) {
    drop(DropReason::kTooLong, packet);
    return false;
  }
  return true;
}

void Peer::Impl::frame_whole(packet::Packet& packet) const {
  data::frame(framing, packet);
  if (fragmenter) data::FragmentSender::mark_whole(packet);
}

// Where a packet goes is known with its number: whoever sends it asks nobody else.
void Peer::Impl::begin_sealing(base::TimePoint now, Train& train) {
  const auto sealings = train.sealings();
  for (const data::Sealing& sealing : sealings) sealing.packet->peer = *remotes.current();
  if (channel) channel->begin_sealing(sealings);
  if (ring) ring->begin_sealing(now, sealings, train.keys);
}

void Peer::Impl::do_bytes(crypto::WorkerIndex worker, Train& train) const {
  if (train.way() == Train::Way::kSeal) {
    if (channel) channel->seal_bytes(worker, train.sealings());
    if (ring) data::KeyRing::seal_bytes(worker, train.sealings());
  } else {
    if (channel) channel->open_bytes(worker, train.openings());
    if (ring) data::KeyRing::open_bytes(worker, train.openings());
  }
}

void Peer::Impl::finish_seal(base::TimePoint now, Train& train) {
  const auto sealings = train.sealings();
  if (channel) channel->finish_sealing(sealings);
  if (ring) ring->finish_sealing(sealings, train.keys);
  bool whole = true;
  for (std::size_t i = 0; i < sealings.size(); ++i) {
    packet::Packet& packet = *sealings[i].packet;
    if (packet.dropped()) {
      drop(packet.verdict, packet);
      whole = false;
    } else {
      keepalive.data_sent(now);
      counters.link_write_bytes += packet.size();
      ++counters.packets_sealed;
    }
    if (train.tunnel_bytes(i) == 0) continue;
    if (whole) keepalive.tunnel_bytes(now, train.tunnel_bytes(i));
    whole = true;
  }
  train.clear(Train::Way::kSeal);
}

// All steps at once: one tunnel packet becomes several of the link's.
void Peer::Impl::seal_in_pieces(base::TimePoint now, packet::Packet& packet,
                                packet::PacketBatch& out) {
  static_assert(wire::kFragmentsMax <= data::kTrainPackets);
  const std::size_t bytes = packet.size();
  if (!take_tunnel_packet(packet) || !sealable(packet)) return;
  data::frame(framing, packet);
  const auto cut = data::cut_payload(packet.size(), piece_bytes_max);
  if (!cut) return drop(DropReason::kTooLong, packet);
  fragmenter->begin(packet.bytes(), *cut);
  own_train.clear(Train::Way::kSeal);
  while (fragmenter->more()) {
    packet::Packet* const piece = out.append();
    fragmenter->next(*piece);
    piece->tos = packet.tos;
    own_train.add_sealing(*piece, fragmenter->more() ? 0 : bytes);
  }
  begin_sealing(now, own_train);
  do_bytes(crypto::kLead, own_train);
  finish_seal(now, own_train);
}

// timers

void Peer::Impl::handle_timeout(base::TimePoint now) {
  while (true) {
    switch (keepalive.handle_timeout(now)) {
      case control::Expiry::kNone:
        return;
      case control::Expiry::kPingRestart:
        events.push(PeerEvent::kPingRestart);
        break;
      case control::Expiry::kPingExit:
        events.push(PeerEvent::kPingExit);
        break;
      case control::Expiry::kInactive:
        events.push(PeerEvent::kInactive);
        break;
    }
  }
}

std::optional<base::TimePoint> Peer::Impl::next_timeout() const {
  const std::optional<base::TimePoint> timer = keepalive.next_timeout();
  if (!remotes.current() || keyless()) return timer;  // a message could not be sent
  const std::optional<base::TimePoint> message = occ.next_timeout();
  if (!timer || !message) return timer ? timer : message;
  return std::min(*timer, *message);
}

// What is due becomes a payload in `out`, and a part of `train` if it can be sealed.
bool Peer::Impl::begin_message(base::TimePoint now, packet::Packet& out, Train& train) {
  out.reset();
  if (!remotes.current() || keyless()) return false;
  const base::MutableByteSpan space = out.fill_space();
  std::size_t bytes = occ.next_message(now, space);
  if (bytes == 0 && keepalive.ping_due(now) && space.size() >= wire::kMagicBytes) {
    std::ranges::copy(wire::kPingMagic, space.begin());
    bytes = wire::kMagicBytes;
  }
  if (bytes == 0) return false;
  // From here on, or one on its way would be due again; and what fails for want of packet ids will
  // go on failing.
  keepalive.data_sent(now);
  out.set_size(bytes);
  if (!sealable(out)) return true;
  frame_whole(out);
  train.add_sealing(out, 0);
  return true;
}

bool Peer::Impl::next_packet(base::TimePoint now, packet::Packet& out) {
  own_train.clear(Train::Way::kSeal);
  if (!begin_message(now, out, own_train)) return false;
  begin_sealing(now, own_train);
  do_bytes(crypto::kLead, own_train);
  finish_seal(now, own_train);
  return !out.dropped();
}

bool Peer::Impl::begin_own(base::TimePoint now, packet::PacketBatch& batch, Train& train) {
  train.clear(Train::Way::kSeal);
  while (packet::Packet* const out = batch.append()) {
    if (begin_message(now, *out, train)) continue;
    batch.take_back();
    break;
  }
  if (batch.packets().empty()) return false;
  begin_sealing(now, train);
  return true;
}

}  // namespace peer
