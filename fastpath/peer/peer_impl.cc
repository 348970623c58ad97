// SPDX-License-Identifier: Apache-2.0
#include "fastpath/peer/peer_impl.h"

#include <algorithm>

#include "fastpath/packet/ip_header.h"
#include "fastpath/peer/make_channel.h"
#include "fastpath/peer/payload_kind.h"
#include "fastpath/peer/tunnel_shape.h"
#include "fastpath/wire/magic.h"

namespace peer {

using packet::DropReason;

Peer::Impl::Impl(PeerParts parts, base::TimePoint now)
    : config(parts.config),
      framing(framing_of(config.crypto)),
      channel(make_channel(parts, now)),
      layout(channel ? channel->layout() : wire::StaticLayout{}),
      mss(mss_limits(config, layout, parts.link_family)),
      remotes(config.link.float_allowed, config.crypto.authenticates()),
      keepalive(config.keepalive, now),
      occ(config.keepalive.occ, own_options(config, layout)) {}

void Peer::Impl::set_remotes(std::vector<base::Endpoint> resolved, base::TimePoint now) {
  remotes.set(std::move(resolved));
  if (channel) channel->restart_window();
  if (channel && config.link.transport != config::Transport::kUdp) channel->restart_ids();
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
  counters.tun_read_bytes += bytes;
  if (!packet::ip_family(packet.bytes())) return drop(DropReason::kNotIp, packet);
  data::clamp_mss(mss, packet.bytes());
  if (!seal(now, packet)) return;
  keepalive.tunnel_bytes(now, bytes);
}

bool Peer::Impl::seal(base::TimePoint now, packet::Packet& packet) {
  if (!remotes.current()) {
    drop(DropReason::kNoPeer, packet);
    return false;
  }
  // What the tun filled may reach into the room that framing and padding need.
  if (packet.tailroom() < packet::kTailroomBytes) {
    drop(DropReason::kTooLong, packet);
    return false;
  }
  data::frame(framing, packet);
  if (channel) channel->seal_packet(packet);
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

// link -> tun. The order is the law: source, authentication, replay, and only then anything else.

void Peer::Impl::open(base::TimePoint now, packet::Packet& packet) {
  counters.link_read_bytes += packet.size();
  if (!remotes.accepts(packet.peer, now)) return drop(DropReason::kStranger, packet);
  if (channel) {
    channel->open_packet(now, packet);
    if (packet.dropped()) return drop(packet.verdict, packet);
    if (config.crypto.authenticates()) authenticated(now, packet);
  }
  if (packet.size() != 0 && !data::unframe(framing, packet)) {
    return drop(DropReason::kBadFraming, packet);
  }
  take_payload(now, packet);
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
  if (!config.crypto.authenticates() && sensible) authenticated(now, packet);
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
  if (options_compared) return;
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
  if (!remotes.current()) return timer;  // nobody to send a message to
  const std::optional<base::TimePoint> message = occ.next_timeout();
  if (!timer || !message) return timer ? timer : message;
  return std::min(*timer, *message);
}

bool Peer::Impl::next_packet(base::TimePoint now, packet::Packet& out) {
  out.reset();
  if (!remotes.current()) return false;
  const base::MutableByteSpan space = out.fill_space();
  std::size_t bytes = occ.next_message(now, space);
  if (bytes == 0 && keepalive.ping_due(now) && space.size() >= wire::kMagicBytes) {
    std::ranges::copy(wire::kPingMagic, space.begin());
    bytes = wire::kMagicBytes;
  }
  if (bytes == 0) return false;
  out.set_size(bytes);
  return seal(now, out);
}

}  // namespace peer
