// SPDX-License-Identifier: Apache-2.0
// A route that leads the link's own packets into the tunnel: they are not sent again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "fastpath/packet/ip_header.h"
#include "fastpath/peer/peer.h"
#include "tests/support/peer_parts.h"

namespace {

using packet::DropReason;

constexpr base::TimePoint kStart{};

base::Bytes packet_to(const base::Endpoint& to, std::uint8_t protocol = packet::kProtocolUdp) {
  const bool v4 = to.address.is_v4();
  const std::size_t header = v4 ? 20 : 40;
  base::Bytes packet(header + 100, 0);
  packet[0] = v4 ? 0x45 : 0x60;
  packet[v4 ? 9 : 6] = protocol;
  std::ranges::copy(to.address.bytes(), packet.begin() + (v4 ? 16 : 24));
  base::store_be16(&packet[header + 2], to.port);
  return packet;
}

struct Loop {
  Loop(const base::Endpoint& to, config::Transport transport, bool allowed)
      : here(parts(transport, allowed), kStart) {
    here.set_remotes({to}, kStart);
  }
  static peer::PeerParts parts(config::Transport transport, bool allowed) {
    peer::PeerParts parts = support::peer_parts({}, 1);
    parts.config.link.transport = transport;
    parts.config.link.allow_recursion = allowed;
    return parts;
  }
  DropReason seal(const base::Bytes& ip) {
    batch.clear();
    support::fill(*batch.append(), ip);
    here.seal_batch(kStart, batch);
    return batch.packets()[0].verdict;
  }
  std::uint64_t counted() const {
    return here.counters().drops[static_cast<std::size_t>(DropReason::kOwnPacket)];
  }
  peer::Peer here;
  packet::PacketBatch batch{2048, 1};
};

TEST(PeerLoop, WhatGoesToThePeersOwnAddressIsDroppedUnderAName) {
  for (const char* address : {"192.0.2.1", "2001:db8::1"}) {
    const base::Endpoint there = support::endpoint(address, 1194);
    for (const bool udp : {true, false}) {
      const auto transport = udp ? config::Transport::kUdp : config::Transport::kTcpClient;
      const std::uint8_t own = udp ? packet::kProtocolUdp : packet::kProtocolTcp;
      const std::uint8_t other = udp ? packet::kProtocolTcp : packet::kProtocolUdp;
      Loop loop(there, transport, false);
      EXPECT_EQ(loop.seal(packet_to(there, own)), DropReason::kOwnPacket) << address;
      EXPECT_EQ(loop.batch.packets()[0].peer, there) << "whom to tell of";
      EXPECT_EQ(loop.counted(), 1u);
      // Others that live on the same machine as the peer may be reached through the tunnel.
      EXPECT_EQ(loop.seal(packet_to(there, other)), DropReason::kNone);
      EXPECT_EQ(loop.seal(packet_to({there.address, 1195}, own)), DropReason::kNone);
      EXPECT_EQ(loop.counted(), 1u);
      EXPECT_EQ(loop.here.counters().packets_sealed, 2u);
    }
  }
}

TEST(PeerLoop, TheConfigMayAllowIt) {
  const base::Endpoint there = support::endpoint("192.0.2.1", 1194);
  Loop loop(there, config::Transport::kUdp, true);
  EXPECT_EQ(loop.seal(packet_to(there)), DropReason::kNone);
  EXPECT_EQ(loop.counted(), 0u);
}

// It is where the peer is that counts, and not where it was looked for.
TEST(PeerLoop, FollowsThePeer) {
  const base::Endpoint there = support::endpoint("192.0.2.1", 1194);
  const base::Endpoint later = support::endpoint("192.0.2.9", 1194);
  Loop loop(there, config::Transport::kUdp, false);
  EXPECT_EQ(loop.seal(packet_to(later)), DropReason::kNone);
  loop.here.set_remotes({later}, kStart);
  EXPECT_EQ(loop.seal(packet_to(later)), DropReason::kOwnPacket);
  EXPECT_EQ(loop.seal(packet_to(there)), DropReason::kNone);
}

}  // namespace
