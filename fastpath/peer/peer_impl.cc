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

void Peer::Impl::seal_tunnel_packet(base::TimePoint now, packet::Packet& packet) {
  const std::size_t bytes = packet.size();
  if (take_tunnel_packet(packet) && seal(now, packet)) keepalive.tunnel_bytes(now, bytes);
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

bool Peer::Impl::seal(base::TimePoint now, packet::Packet& packet) {
  if (!sealable(packet)) return false;
  data::frame(framing, packet);
  if (fragmenter) data::FragmentSender::mark_whole(packet);
  return seal_framed(now, packet);
}

bool Peer::Impl::seal_framed(base::TimePoint now, packet::Packet& packet) {
  if (channel) channel->seal_packet(packet);
  if (ring) ring->seal_packet(now, packet);
  if (packet.dropped()) {
    drop(packet.verdict, packet);
    return false;
  }
  packet.peer = *remotes.current();
  keepalive.data_sent(now);
  counters.link_write_bytes += packet.size();
  ++counters.packets_sealed;
  return true;
}

void Peer::Impl::seal_in_pieces(base::TimePoint now, packet::Packet& packet,
                                packet::PacketBatch& out) {
  const std::size_t bytes = packet.size();
  if (!take_tunnel_packet(packet) || !sealable(packet)) return;
  data::frame(framing, packet);
  const auto cut = data::cut_payload(packet.size(), piece_bytes_max);
  if (!cut) return drop(DropReason::kTooLong, packet);
  fragmenter->begin(packet.bytes(), *cut);
  bool all_sealed = true;
  while (fragmenter->more()) {
    packet::Packet* const piece = out.append();
    fragmenter->next(*piece);
    if (!seal_framed(now, *piece)) all_sealed = false;
  }
  if (all_sealed) keepalive.tunnel_bytes(now, bytes);
}

// link -> tun. The order is the law: source, authentication, replay, and only then anything else.

void Peer::Impl::open(base::TimePoint now, packet::Packet& packet) {
  counters.link_read_bytes += packet.size();
  if (ring) {
    if (packet.size() == 0) return drop(DropReason::kTooShort, packet);
    if (!wire::is_data(wire::opcode_of(packet.bytes()[0]))) return take_control(packet);
  }
  open_data(now, packet);
}

void Peer::Impl::open_data(base::TimePoint now, packet::Packet& packet) {
  if (!remotes.accepts(packet.peer, now, ring && names_this_peer(packet))) {
    return drop(DropReason::kStranger, packet);
  }
  if (channel) channel->open_packet(now, packet);
  if (ring) ring->open_packet(now, packet);
  if (packet.dropped()) return drop(packet.verdict, packet);
  if (authenticates()) authenticated(now, packet);
  open_payload(now, packet);
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
  if (seal(now, out)) return true;
  // Not at once again: what fails for want of packet ids will go on failing.
  keepalive.data_sent(now);
  return false;
}

}  // namespace peer
