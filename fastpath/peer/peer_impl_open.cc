// SPDX-License-Identifier: Apache-2.0
// What a Peer does from the link to the tun. The order is the law: source, authentication, replay,
// and only then anything else.
#include <algorithm>
#include <string>
#include <utility>

#include "fastpath/peer/payload_kind.h"
#include "fastpath/peer/peer_impl.h"
#include "fastpath/peer/tunnel_shape.h"
#include "fastpath/wire/occ_type.h"

namespace peer {

using packet::DropReason;

void Peer::Impl::begin_open(base::TimePoint now, std::span<packet::Packet> packets, Train& train) {
  train.clear(Train::Way::kOpen);
  for (packet::Packet& packet : packets) {
    if (!packet.dropped()) take_arrival(now, packet, train);
  }
  if (ring) ring->begin_opening(train.openings(), train.keys);
}

void Peer::Impl::take_arrival(base::TimePoint now, packet::Packet& packet, Train& train) {
  counters.link_read_bytes += packet.size();
  if (ring && packet.size() == 0) return drop(DropReason::kTooShort, packet);
  Arrival& arrival = train.add_arrival(packet);
  arrival.control = ring && !wire::is_data(wire::opcode_of(packet.bytes()[0]));
  if (arrival.control) return;
  arrival.names_this_peer = ring && names_this_peer(packet);
  // What is a stranger's so far costs no decryption.
  if (remotes.accepts(packet.peer, now, arrival.names_this_peer)) train.add_opening(arrival);
}

void Peer::Impl::finish_open(base::TimePoint now, Train& train) {
  if (ring) data::KeyRing::finish_opening(train.openings());
  for (Arrival& arrival : train.arrivals()) {
    if (arrival.control) {
      take_control(*arrival.packet);
    } else {
      open_data(now, arrival, train);
    }
  }
  train.keys = {};
  train.clear(Train::Way::kOpen);
}

void Peer::Impl::open_data(base::TimePoint now, Arrival& arrival, Train& train) {
  packet::Packet& packet = *arrival.packet;
  if (!remotes.accepts(packet.peer, now, arrival.names_this_peer)) {
    return drop(DropReason::kStranger, packet);
  }
  // A stranger's no longer: a packet in front of it has proved the address.
  if (!arrival.decrypted) decrypt_alone(arrival, train);
  if (!packet.dropped() && channel) channel->accept(now, packet);
  if (!packet.dropped() && ring) ring->accept(now, train.openings()[arrival.opening]);
  if (packet.dropped()) return drop(packet.verdict, packet);
  if (authenticates()) authenticated(now, packet);
  open_payload(now, packet);
}

void Peer::Impl::decrypt_alone(Arrival& arrival, Train& train) {
  const std::span<data::Opening> one(&train.add_opening(arrival), 1);
  data::KeyHold keys;
  if (channel) channel->open_bytes(crypto::kLead, one);
  if (!ring) return;
  ring->begin_opening(one, keys);
  data::KeyRing::open_bytes(crypto::kLead, one);
  data::KeyRing::finish_opening(one);
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
  occ.authenticated_packet_received(now);
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
      return take_occ(now, packet.bytes());
    case PayloadKind::kOther:
      return drop(DropReason::kNotIp, packet);
    case PayloadKind::kIp:
      data::clamp_mss(mss, packet.bytes());
      keepalive.tunnel_bytes(now, packet.size());
      counters.tun_write_bytes += packet.size();
      return;
  }
}

void Peer::Impl::take_occ(base::TimePoint now, base::ByteSpan payload) {
  // In TLS mode the handshake compares options; a REQUEST is answered if there is something to say.
  const bool exit = payload.size() > wire::kOccTypeAt &&
                    wire::OccType{payload[wire::kOccTypeAt]} == wire::OccType::kExit;
  if (tls && tls->options_string.empty() && !exit) return;
  switch (occ.handle_message(now, payload)) {
    case control::Occ::Heard::kNothing:
      return;
    case control::Occ::Heard::kExit:
      return events.push(PeerEvent::kRemoteExit);
    case control::Occ::Heard::kReply:
      return compare_options();
  }
}

void Peer::Impl::compare_options() {
  if (tls) return;
  const std::string before =
      std::exchange(difference, peer::options_difference(config, layout, occ.peer_options()));
  if (difference != before) events.push(PeerEvent::kOptionsDiffer);
}

}  // namespace peer
