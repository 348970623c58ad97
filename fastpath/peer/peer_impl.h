// SPDX-License-Identifier: Apache-2.0
// Private to this room: what a Peer is made of.
#pragma once

#include "fastpath/control/keepalive.h"
#include "fastpath/control/occ.h"
#include "fastpath/data/framing.h"
#include "fastpath/data/mss_clamp.h"
#include "fastpath/data/static_channel.h"
#include "fastpath/peer/event_queue.h"
#include "fastpath/peer/peer.h"
#include "fastpath/peer/remotes.h"

namespace peer {

struct Peer::Impl {
  Impl(PeerParts parts, base::TimePoint now);

  void set_remotes(std::vector<base::Endpoint> resolved, base::TimePoint now);
  void seal_tunnel_packet(base::TimePoint now, packet::Packet& packet);
  bool seal(base::TimePoint now, packet::Packet& packet);
  void open(base::TimePoint now, packet::Packet& packet);
  void handle_timeout(base::TimePoint now);
  std::optional<base::TimePoint> next_timeout() const;
  bool next_packet(base::TimePoint now, packet::Packet& out);

  void authenticated(base::TimePoint now, const packet::Packet& packet);
  void take_payload(base::TimePoint now, packet::Packet& packet);
  void take_occ(base::ByteSpan payload);
  void compare_options();
  void drop(packet::DropReason reason, packet::Packet& packet);

  const config::TunnelConfig config;
  const data::Framing framing;
  std::unique_ptr<data::StaticChannel> channel;  // nothing in null mode
  const wire::StaticLayout layout;               // all zeros in null mode
  const data::MssLimits mss;
  Remotes remotes;
  control::Keepalive keepalive;
  control::Occ occ;

  std::optional<base::TimePoint> last_heard;
  bool heard = false;
  bool options_compared = false;
  std::string difference;
  EventQueue events;
  PeerCounters counters;
};

}  // namespace peer
