// SPDX-License-Identifier: Apache-2.0
// What a Peer does in TLS mode only.
#include "base/error.h"
#include "fastpath/peer/peer_impl.h"

namespace peer {

using packet::DropReason;

// A peer whose address has changed is told by its number alone until the packet opens.
bool Peer::Impl::names_this_peer(const packet::Packet& packet) const {
  const std::optional<wire::DataHeader> header = wire::load_data_header(packet.bytes());
  const data::KeyOverhead key = ring->overhead();
  const bool provable = key.tag != 0 || key.hmac != 0;
  return provable && header && header->peer_id && header->peer_id == peer_id &&
         *header->peer_id != wire::kPeerIdMax;
}

void Peer::Impl::take_control(packet::Packet& packet) {
  if (!remotes.accepts_control(packet.peer)) return drop(DropReason::kStranger, packet);
  if (!wire::is_control(wire::opcode_of(packet.bytes()[0]))) {
    return drop(DropReason::kBadOpcode, packet);
  }
  if (control_packets.size() >= kControlPacketsMax) {
    return drop(DropReason::kControlOverflow, packet);
  }
  control_packets.push_back({packet.peer, {packet.bytes().begin(), packet.bytes().end()}});
  packet.swallowed = true;
}

std::string Peer::Impl::install_keys(const crypto::DataKeys& keys, bool first,
                                     base::TimePoint now) {
  if (!ring) return "keys of TLS mode for a tunnel without";
  try {
    ring->install(keys, first, now);
  } catch (const base::FatalError& error) {
    return error.what();
  }
  peer_id = keys.peer_id;
  renegotiation_told = false;
  if (first) keepalive.restart(now, remotes.current().has_value());
  keepalive.set_can_send(true);
  reshape();
  return "";
}

void Peer::Impl::clear_keys() {
  if (!ring) return;
  ring->clear();
  peer_id.reset();
  keepalive.set_can_send(false);
}

void Peer::Impl::set_negotiated(const Negotiated& negotiated, base::TimePoint now) {
  config.crypto.framing = negotiated.framing;
  config.keepalive = negotiated.keepalive;
  config.mssfix = negotiated.mssfix;
  reneg_bytes = negotiated.reneg_bytes;
  reneg_packets = negotiated.reneg_packets;
  keepalive.configure(config.keepalive, now);
  reshape();
}

void Peer::Impl::watch_limits() {
  if (!ring || renegotiation_told || keyless()) return;
  if (!ring->take_renegotiation_wish() && !key_is_spent()) return;
  renegotiation_told = true;
  events.push(PeerEvent::kRenegotiate);
}

bool Peer::Impl::key_is_spent() const {
  constexpr std::int64_t kSmallBlocksLimit = 64 << 20;
  constexpr std::size_t kSmallBlock = 8;
  const std::int64_t by_cipher = ring->overhead().block == kSmallBlock ? kSmallBlocksLimit : 0;
  const auto bytes_max = static_cast<std::uint64_t>(reneg_bytes.value_or(by_cipher));
  const auto packets_max = static_cast<std::uint64_t>(reneg_packets);
  return (bytes_max > 0 && ring->bytes_under_key() >= bytes_max) ||
         (packets_max > 0 && ring->packets_under_key() >= packets_max);
}

}  // namespace peer
