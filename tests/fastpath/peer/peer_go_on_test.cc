// SPDX-License-Identifier: Apache-2.0
// What one process leaves of a peer, and another goes on with.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "fastpath/peer/peer.h"
#include "tests/support/peer_parts.h"

namespace {

using packet::DropReason;

constexpr base::TimePoint kStart{std::chrono::seconds(1000)};
const base::Endpoint kHere = support::endpoint("192.0.2.1", 2011);
const base::Endpoint kElsewhere = support::endpoint("198.51.100.9", 40000);

peer::PeerParts parts_of(std::uint64_t seed) {
  return support::peer_parts({}, seed, 1700000000 + static_cast<int>(seed));
}

// One end of a tunnel and a batch of one to talk to it with.
struct End {
  explicit End(peer::PeerParts parts) : peer(std::move(parts), kStart) {}

  base::Bytes seal(const base::Bytes& ip) {
    batch.clear();
    packet::Packet& packet = *batch.append();
    support::fill(packet, ip);
    peer.seal_batch(kStart, batch);
    return support::copy_of(packet);
  }
  DropReason open(const base::Bytes& datagram, const base::Endpoint& source) {
    batch.clear();
    packet::Packet& packet = *batch.append();
    support::fill(packet, datagram);
    packet.peer = source;
    peer.open_batch(kStart, batch);
    return packet.verdict;
  }

  peer::Peer peer;
  packet::PacketBatch batch{4096, 1};
};

// One process is killed, another goes on: it sends at once, to where the peer was, under a later
// time, and takes nothing a second time.
TEST(PeerGoesOn, AnotherProcessGoesOnWhereOneEnded) {
  End there(parts_of(2));
  there.peer.set_remotes({kHere}, kStart);
  peer::Carried carried;
  std::vector<base::Bytes> recorded;
  {
    End here(parts_of(1));
    here.peer.set_remotes({}, kStart);
    for (std::uint32_t i = 0; i < 3; ++i) {
      recorded.push_back(there.seal(support::ip_packet(100, i)));
      EXPECT_EQ(here.open(recorded.back(), kElsewhere), DropReason::kNone);
    }
    ASSERT_EQ(there.open(here.seal(support::ip_packet(100)), kHere), DropReason::kNone);
    carried = {here.peer.remote(), here.peer.received(), here.peer.barred()};
  }
  EXPECT_EQ(carried.remote, kElsewhere);
  peer::PeerParts parts = parts_of(3);
  parts.packet_time = 1700000001 + 5;  // later than the first one's
  End next(std::move(parts));
  next.peer.set_remotes({}, kStart);
  next.peer.go_on(carried);
  EXPECT_EQ(next.peer.remote(), kElsewhere);
  EXPECT_EQ(there.open(next.seal(support::ip_packet(100)), kHere), DropReason::kNone);
  for (const base::Bytes& datagram : recorded) {
    EXPECT_EQ(next.open(datagram, kElsewhere), DropReason::kReplayed);
  }
  EXPECT_EQ(next.open(there.seal(support::ip_packet(100, 9)), kElsewhere), DropReason::kNone);
  EXPECT_GT(next.peer.received(), carried.received);
}

}  // namespace
