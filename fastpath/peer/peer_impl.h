// SPDX-License-Identifier: Apache-2.0
// Private to this room: what a Peer is made of.
#pragma once

#include <array>
#include <span>

#include "fastpath/control/keepalive.h"
#include "fastpath/control/occ.h"
#include "fastpath/data/fragment.h"
#include "fastpath/data/framing.h"
#include "fastpath/data/key_ring.h"
#include "fastpath/data/mss_clamp.h"
#include "fastpath/data/static_channel.h"
#include "fastpath/peer/event_queue.h"
#include "fastpath/peer/peer.h"
#include "fastpath/peer/remotes.h"

namespace peer {

struct Peer::Impl {
  using Arrival = Train::Arrival;

  Impl(PeerParts parts, base::TimePoint now);

  void set_remotes(std::vector<base::Endpoint> resolved, base::TimePoint now);
  void begin_seal(base::TimePoint now, std::span<packet::Packet> packets, Train& train);
  void begin_sealing(base::TimePoint now, Train& train);
  void finish_seal(base::TimePoint now, Train& train);
  void seal_in_pieces(base::TimePoint now, packet::Packet& packet, packet::PacketBatch& out);
  bool take_tunnel_packet(packet::Packet& packet);
  bool is_our_own(const packet::Packet& packet) const;
  bool sealable(packet::Packet& packet);
  void frame_whole(packet::Packet& packet) const;
  void begin_open(base::TimePoint now, std::span<packet::Packet> packets, Train& train);
  void finish_open(base::TimePoint now, Train& train);
  void do_bytes(crypto::WorkerIndex worker, Train& train) const;
  void handle_timeout(base::TimePoint now);
  std::optional<base::TimePoint> next_timeout() const;
  bool begin_message(base::TimePoint now, packet::Packet& out, Train& train);
  bool next_packet(base::TimePoint now, packet::Packet& out);
  bool begin_own(base::TimePoint now, packet::PacketBatch& batch, Train& train);

  void take_arrival(base::TimePoint now, packet::Packet& packet, Train& train);
  void decrypt_alone(Arrival& arrival, Train& train);
  void open_data(base::TimePoint now, Arrival& arrival, Train& train);
  void take_control(packet::Packet& packet);
  bool names_this_peer(const packet::Packet& packet) const;
  void authenticated(base::TimePoint now, const packet::Packet& packet);
  void open_payload(base::TimePoint now, packet::Packet& packet);
  bool unframe(packet::Packet& packet);
  bool assemble(base::TimePoint now, packet::Packet& packet);
  void take_payload(base::TimePoint now, packet::Packet& packet);
  void take_occ(base::TimePoint now, base::ByteSpan payload);
  void compare_options();
  void drop(packet::DropReason reason, packet::Packet& packet);

  // TLS mode.
  std::string install_keys(const crypto::DataKeys& keys, bool first, base::TimePoint now);
  void clear_keys();
  void set_negotiated(const Negotiated& negotiated, base::TimePoint now);
  void watch_limits();
  bool key_is_spent() const;
  bool authenticates() const { return tls || config.crypto.authenticates(); }
  bool keyless() const { return ring && ring->empty(); }
  void reshape();

  config::TunnelConfig config;  // with what was negotiated
  const std::optional<TlsParts> tls;
  const base::IpFamily link_family;
  std::unique_ptr<data::StaticChannel> channel;  // with a static key
  std::unique_ptr<data::KeyRing> ring;           // in TLS mode
  const wire::StaticLayout layout;               // all zeros without a static key
  // What follows from config and keys; see reshape().
  data::Framing framing = data::Framing::kNone;
  data::Unframer unframer;
  data::MssLimits mss;
  std::size_t piece_bytes_max = 0;
  std::optional<data::FragmentSender> fragmenter;
  std::optional<data::FragmentAssembler> assembler;
  Remotes remotes;
  control::Keepalive keepalive;
  control::Occ occ;

  Train own_train;  // of what goes through all steps at once

  std::optional<base::TimePoint> last_heard;
  bool heard = false;
  std::string difference;
  EventQueue events;

  std::optional<std::int64_t> reneg_bytes;
  std::int64_t reneg_packets = 0;
  bool renegotiation_told = false;  // under the newest key
  std::optional<std::uint32_t> peer_id;
  std::vector<ControlPacket> control_packets;
  PeerCounters counters;
};

}  // namespace peer
