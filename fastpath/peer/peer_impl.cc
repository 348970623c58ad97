// SPDX-License-Identifier: Apache-2.0
#include "fastpath/peer/peer_impl.h"

#include <algorithm>
#include <array>

#include "fastpath/packet/ip_header.h"
#include "fastpath/peer/make_channel.h"
#include "fastpath/peer/payload_kind.h"
#include "fastpath/peer/tunnel_shape.h"
#include "fastpath/wire/magic.h"
#include "fastpath/wire/occ_type.h"

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
  options_compared = false;
}

void Peer::Impl::drop(DropReason reason, packet::Packet& packet) {
  packet.drop(reason);
  ++counters.drops[static_cast<std::size_t>(reason)];
}

// tun -> link

// At most kTrainPackets.
void Peer::Impl::seal_some(base::TimePoint now, std::span<packet::Packet> packets) {
  train.size = 0;
  for (packet::Packet& packet : packets) {
    const std::size_t bytes = packet.size();
    if (packet.dropped() || !take_tunnel_packet(packet) || !sealable(packet)) continue;
    frame_whole(packet);
    tunnel_bytes[train.size] = bytes;
    train.add(packet);
  }
  seal_train(now);
  for (std::size_t i = 0; i < train.size; ++i) {
    if (!train.packets[i]->dropped()) keepalive.tunnel_bytes(now, tunnel_bytes[i]);
  }
}

bool Peer::Impl::take_tunnel_packet(packet::Packet& packet) {
  counters.tun_read_bytes += packet.size();
  if (!packet::ip_family(packet.bytes())) {
    drop(DropReason::kNotIp, packet);
    return false;
  }
  data::clamp_mss(mss, packet.bytes());
  return true;
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

void Peer::Impl::seal_train(base::TimePoint now) {
  if (channel) channel->seal_train(train.all());
  if (ring) ring->seal_train(now, train.all());
  for (packet::Packet* const packet : train.all()) {
    if (packet->dropped()) {
      drop(packet->verdict, *packet);
      continue;
    }
    packet->peer = *remotes.current();
    keepalive.data_sent(now);
    counters.link_write_bytes += packet->size();
    ++counters.packets_sealed;
  }
}

void Peer::Impl::seal_in_pieces(base::TimePoint now, packet::Packet& packet,
                                packet::PacketBatch& out) {
  static_assert(wire::kFragmentsMax <= data::kTrainPackets);
  const std::size_t bytes = packet.size();
  if (!take_tunnel_packet(packet) || !sealable(packet)) return;
  data::frame(framing, packet);
  const auto cut = data::cut_payload(packet.size(), piece_bytes_max);
  if (!cut) return drop(DropReason::kTooLong, packet);
  fragmenter->begin(packet.bytes(), *cut);
  train.size = 0;
  while (fragmenter->more()) {
    packet::Packet* const piece = out.append();
    fragmenter->next(*piece);
    train.add(*piece);
  }
  seal_train(now);
  const bool all_sealed = std::ranges::none_of(train.all(), &packet::Packet::dropped);
  if (all_sealed) keepalive.tunnel_bytes(now, bytes);
}

// link -> tun. The order is the law: source, authentication, replay, and only then anything else.

// At most kTrainPackets.
void Peer::Impl::open_some(base::TimePoint now, std::span<packet::Packet> packets) {
  arrived = 0;
  openings_used = 0;
  train.size = 0;
  for (packet::Packet& packet : packets) {
    if (!packet.dropped()) take_arrival(now, packet);
  }
  decrypt_train();
  for (Arrival& arrival : std::span(arrivals).first(arrived)) {
    if (arrival.control) {
      take_control(*arrival.packet);
    } else {
      open_data(now, arrival);
    }
  }
}

void Peer::Impl::take_arrival(base::TimePoint now, packet::Packet& packet) {
  counters.link_read_bytes += packet.size();
  if (ring && packet.size() == 0) return drop(DropReason::kTooShort, packet);
  Arrival& arrival = arrivals[arrived++];
  arrival = {&packet};
  arrival.control = ring && !wire::is_data(wire::opcode_of(packet.bytes()[0]));
  if (arrival.control) return;
  arrival.names_this_peer = ring && names_this_peer(packet);
  // What is a stranger's so far costs no decryption.
  if (remotes.accepts(packet.peer, now, arrival.names_this_peer)) add_to_train(arrival);
}

void Peer::Impl::add_to_train(Arrival& arrival) {
  arrival.decrypted = true;
  train.add(*arrival.packet);
  if (!ring) return;
  arrival.opening = openings_used++;
  openings[arrival.opening] = {};
  openings[arrival.opening].packet = arrival.packet;
}

void Peer::Impl::decrypt_train() {
  if (channel) channel->decrypt_train(train.all());
  if (ring) ring->decrypt_train(std::span(openings).first(openings_used));
}

void Peer::Impl::open_data(base::TimePoint now, Arrival& arrival) {
  packet::Packet& packet = *arrival.packet;
  if (!remotes.accepts(packet.peer, now, arrival.names_this_peer)) {
    return drop(DropReason::kStranger, packet);
  }
  // A stranger's no longer: a packet in front of it has proved the address.
  if (!arrival.decrypted) decrypt_alone(arrival);
  if (!packet.dropped() && channel) channel->accept(now, packet);
  if (!packet.dropped() && ring) ring->accept(now, openings[arrival.opening]);
  if (packet.dropped()) return drop(packet.verdict, packet);
  if (authenticates()) authenticated(now, packet);
  open_payload(now, packet);
}

void Peer::Impl::decrypt_alone(Arrival& arrival) {
  packet::Packet* const one = arrival.packet;
  add_to_train(arrival);
  if (channel) channel->decrypt_train({&one, 1});
  if (ring) ring->decrypt_train({&openings[arrival.opening], 1});
}

void Peer::Impl::open_payload(base::TimePoint now, packet::Packet& packet) {
  if (assembler && !assemble(now, packet)) return;
  if (packet.size() != 0 && !unframe(packet)) return;
  take_payload(now, packet);
}

bool Peer::Impl::unframe(packet::Packet& packet) {
  switch (unframer.unframe(framing, packet)) {
    case data::Unframer::Outcome::kPayload:
      return true;
    case data::Unframer::Outcome::kBadFraming:
      drop(DropReason::kBadFraming, packet);
      return false;
    case data::Unframer::Outcome::kBadCompression:
      drop(DropReason::kBadCompression, packet);
      return false;
  }
  return false;
}

// True when the packet is a whole payload.
bool Peer::Impl::assemble(base::TimePoint now, packet::Packet& packet) {
  const data::FragmentAssembler::Outcome outcome = assembler->take(now, packet);
  counters.drops[static_cast<std::size_t>(DropReason::kIncomplete)] += assembler->take_incomplete();
  switch (outcome) {
    case data::FragmentAssembler::Outcome::kWhole:
      return true;
    case data::FragmentAssembler::Outcome::kKept:
      packet.swallowed = true;
      return false;
    case data::FragmentAssembler::Outcome::kBad:
      drop(DropReason::kBadFragment, packet);
      return false;
  }
  return false;
}

void Peer::Impl::authenticated(base::TimePoint now, const packet::Packet& packet) {
  counters.auth_read_bytes += packet.size();
  ++counters.packets_opened;
  const bool known_before = remotes.known();
  const bool moved = remotes.heard_from(packet.peer, now);
  if (!known_before) keepalive.remote_known(now);
  if (moved && known_before) events.push(PeerEvent::kFloated);
  keepalive.authenticated_packet_received(now);
  occ.authenticated_packet_received();
  last_heard = now;
  if (!heard) events.push(PeerEvent::kHeard);
  heard = true;
}

void Peer::Impl::take_payload(base::TimePoint now, packet::Packet& packet) {
  const PayloadKind kind = payload_kind(packet.bytes());
  const bool sensible = kind != PayloadKind::kEmpty && kind != PayloadKind::kOther;
  // Where nothing is authenticated, making sense is all the proof there is.
  if (!authenticates() && sensible) authenticated(now, packet);
  packet.swallowed =
      kind == PayloadKind::kEmpty || kind == PayloadKind::kPing || kind == PayloadKind::kOcc;
  switch (kind) {
    case PayloadKind::kEmpty:
    case PayloadKind::kPing:
      return;
    case PayloadKind::kOcc:
      return take_occ(packet.bytes());
    case PayloadKind::kOther:
      return drop(DropReason::kNotIp, packet);
    case PayloadKind::kIp:
      data::clamp_mss(mss, packet.bytes());
      keepalive.tunnel_bytes(now, packet.size());
      counters.tun_write_bytes += packet.size();
      return;
  }
}

void Peer::Impl::take_occ(base::ByteSpan payload) {
  // In TLS mode the handshake compares options; a REQUEST is answered if there is something to say.
  const bool exit = payload.size() > wire::kOccTypeAt &&
                    wire::OccType{payload[wire::kOccTypeAt]} == wire::OccType::kExit;
  if (tls && tls->options_string.empty() && !exit) return;
  switch (occ.handle_message(payload)) {
    case control::Occ::Heard::kNothing:
      return;
    case control::Occ::Heard::kExit:
      return events.push(PeerEvent::kRemoteExit);
    case control::Occ::Heard::kReply:
      return compare_options();
  }
}

void Peer::Impl::compare_options() {
  if (options_compared || tls) return;
  options_compared = true;
  difference = peer::options_difference(config, layout, occ.peer_options());
  if (!difference.empty()) events.push(PeerEvent::kOptionsDiffer);
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

bool Peer::Impl::next_packet(base::TimePoint now, packet::Packet& out) {
  out.reset();
  if (!remotes.current() || keyless()) return false;
  const base::MutableByteSpan space = out.fill_space();
  std::size_t bytes = occ.next_message(now, space);
  if (bytes == 0 && keepalive.ping_due(now) && space.size() >= wire::kMagicBytes) {
    std::ranges::copy(wire::kPingMagic, space.begin());
    bytes = wire::kMagicBytes;
  }
  if (bytes == 0) return false;
  out.set_size(bytes);
  train.size = 0;
  if (sealable(out)) {
    frame_whole(out);
    train.add(out);
    seal_train(now);
  }
  if (!out.dropped()) return true;
  // Not at once again: what fails for want of packet ids will go on failing.
  keepalive.data_sent(now);
  return false;
}

}  // namespace peer
