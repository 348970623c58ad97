// SPDX-License-Identifier: Apache-2.0
// Many packets at once must do what the same packets do one after the other, whatever does the
// cipher: same bytes, same verdicts, same counters.
#include <algorithm>

#include <gtest/gtest.h>

#include "fastpath/peer/peer.h"
#include "tests/support/allocation_count.h"
#include "tests/support/cipher_choices.h"
#include "tests/support/data_keys.h"
#include "tests/support/peer_parts.h"

namespace {

using packet::DropReason;
using peer::Peer;
using support::Layout;

constexpr base::TimePoint kStart{std::chrono::seconds(1000)};
constexpr std::size_t kPackets = 150;  // more than two trains
constexpr std::size_t kWorkers = 3;
const base::Endpoint kHere = support::endpoint("192.0.2.1", 2011);
const base::Endpoint kThere = support::endpoint("192.0.2.2", 2011);
const base::Endpoint kElsewhere = support::endpoint("198.51.100.9", 40000);

struct Datagram {
  base::Bytes bytes;
  base::Endpoint source;
};

struct Outcome {
  DropReason verdict;
  bool swallowed;
  base::Bytes bytes;  // of what was not dropped
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

std::unique_ptr<Peer> make_peer(const Layout& layout, const crypto::CipherChoice& choice,
                                std::uint64_t seed) {
  peer::PeerParts parts =
      support::peer_parts(layout, seed, 1700000000 + static_cast<base::UnixSeconds>(seed));
  parts.ciphers = choice;
  parts.workers = kWorkers;
  return std::make_unique<Peer>(std::move(parts), kStart);
}

std::vector<base::Bytes> tunnel_packets() {
  std::vector<base::Bytes> packets;
  for (std::size_t i = 0; i < kPackets; ++i) {
    packets.push_back(
        support::ip_packet(i % 7 == 3 ? 1400 : 30 + i, static_cast<std::uint32_t>(i)));
  }
  packets[20][0] = 0x15;  // no IP
  return packets;
}

// Batches on their way: begun in order, their bytes done by several workers from the last to the
// first, finished in order.
struct Flight {
  Flight(std::size_t step, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      batches.push_back(std::make_unique<packet::PacketBatch>(2048, step));
      trains.push_back(std::make_unique<peer::Train>());
    }
  }
  void seal(Peer& peer) {
    for (std::size_t i = 0; i < used; ++i) peer.begin_seal(kStart, *batches[i], *trains[i]);
    for (std::size_t i = used; i-- > 0;) peer.do_bytes(i % kWorkers, *trains[i]);
    for (std::size_t i = 0; i < used; ++i) peer.finish_seal(kStart, *trains[i]);
  }
  void open(Peer& peer) {
    for (std::size_t i = 0; i < used; ++i) peer.begin_open(kStart, *batches[i], *trains[i]);
    for (std::size_t i = used; i-- > 0;) peer.do_bytes(i % kWorkers, *trains[i]);
    for (std::size_t i = 0; i < used; ++i) peer.finish_open(kStart, *trains[i]);
  }

  std::vector<std::unique_ptr<packet::PacketBatch>> batches;
  std::vector<std::unique_ptr<peer::Train>> trains;
  std::size_t used = 0;  // of them
};

std::vector<Datagram> seal_in_flight(Peer& peer, std::size_t step, std::size_t count) {
  std::vector<Datagram> sealed;
  const auto packets = tunnel_packets();
  Flight flight(step, count);
  for (std::size_t at = 0; at < packets.size();) {
    for (flight.used = 0; flight.used < count && at < packets.size(); ++flight.used) {
      packet::PacketBatch& batch = *flight.batches[flight.used];
      batch.clear();
      while (at < packets.size() && !batch.full()) support::fill(*batch.append(), packets[at++]);
    }
    flight.seal(peer);
    for (std::size_t i = 0; i < flight.used; ++i) {
      for (const packet::Packet& packet : flight.batches[i]->packets()) {
        if (!packet.dropped()) sealed.push_back({support::copy_of(packet), kHere});
      }
    }
  }
  return sealed;
}

std::vector<Outcome> open_in_flight(Peer& peer, const std::vector<Datagram>& datagrams,
                                    std::size_t step, std::size_t count) {
  std::vector<Outcome> outcomes;
  Flight flight(step, count);
  for (std::size_t at = 0; at < datagrams.size();) {
    for (flight.used = 0; flight.used < count && at < datagrams.size(); ++flight.used) {
      packet::PacketBatch& batch = *flight.batches[flight.used];
      batch.clear();
      for (; at < datagrams.size() && !batch.full(); ++at) {
        packet::Packet& packet = *batch.append();
        support::fill(packet, datagrams[at].bytes);
        packet.peer = datagrams[at].source;
      }
    }
    flight.open(peer);
    for (std::size_t i = 0; i < flight.used; ++i) {
      for (const packet::Packet& packet : flight.batches[i]->packets()) {
        outcomes.push_back({packet.verdict, packet.swallowed,
                            packet.dropped() ? base::Bytes() : support::copy_of(packet)});
      }
    }
  }
  return outcomes;
}

// `step`: how many packets are in hand at once.
std::vector<Datagram> seal_all(Peer& peer, std::size_t step) {
  std::vector<Datagram> sealed;
  const auto packets = tunnel_packets();
  packet::PacketBatch batch(2048, step);
  for (std::size_t at = 0; at < packets.size(); at += step) {
    batch.clear();
    for (std::size_t i = at; i < std::min(packets.size(), at + step); ++i) {
      support::fill(*batch.append(), packets[i]);
    }
    peer.seal_batch(kStart, batch);
    for (const packet::Packet& packet : batch.packets()) {
      if (!packet.dropped()) sealed.push_back({support::copy_of(packet), kHere});
    }
  }
  return sealed;
}

std::vector<Outcome> open_all(Peer& peer, const std::vector<Datagram>& datagrams,
                              std::size_t step) {
  std::vector<Outcome> outcomes;
  packet::PacketBatch batch(2048, step);
  for (std::size_t at = 0; at < datagrams.size(); at += step) {
    batch.clear();
    for (std::size_t i = at; i < std::min(datagrams.size(), at + step); ++i) {
      packet::Packet& packet = *batch.append();
      support::fill(packet, datagrams[i].bytes);
      packet.peer = datagrams[i].source;
    }
    peer.open_batch(kStart, batch);
    for (const packet::Packet& packet : batch.packets()) {
      outcomes.push_back({packet.verdict, packet.swallowed,
                          packet.dropped() ? base::Bytes() : support::copy_of(packet)});
    }
  }
  return outcomes;
}

// What a bad line and a bad person make of it: doubles at once and later, damage, cuts, strangers,
// packets out of turn.
std::vector<Datagram> spoil(std::vector<Datagram> datagrams) {
  for (std::size_t i = 5; i < datagrams.size(); i += 11) {
    Datagram bad = datagrams[i];
    switch (i % 5) {
      case 0:
        break;  // a double
      case 1:
        bad.bytes.back() ^= 0x10;
        break;
      case 2:
        bad.bytes.resize(bad.bytes.size() / 2);
        break;
      case 3:
        bad.source = kElsewhere;
        break;
      default:
        bad.bytes.clear();
    }
    datagrams.insert(datagrams.begin() + static_cast<std::ptrdiff_t>(i), bad);
  }
  std::swap(datagrams[40], datagrams[55]);
  std::swap(datagrams[2], datagrams[70]);
  datagrams.push_back(datagrams[10]);
  return datagrams;
}

std::vector<Layout> layouts() {
  std::vector<Layout> all = support::all_layouts();
  for (const char* auth : {"SHA1", "SHA512", "none"}) {
    all.push_back({.cipher = "AES-128-CBC", .auth = auth});
  }
  all.push_back({.cipher = "none", .auth = "SHA512"});
  all.push_back({.cipher = "BF-CBC", .auth = "SHA1"});
  return all;
}

TEST(PeerTrain, SealsTheSameBytesAsOneByOne) {
  for (const Layout& layout : layouts()) {
    const auto one_by_one = [&] {
      const auto peer = make_peer(layout, {}, 1);
      peer->set_remotes({kThere}, kStart);
      return seal_all(*peer, 1);
    }();
    EXPECT_EQ(one_by_one.size(), kPackets - 1) << layout.name();
    for (const auto& choice : support::cipher_choices()) {
      const auto peer = make_peer(layout, choice, 1);
      peer->set_remotes({kThere}, kStart);
      const auto together = seal_all(*peer, kPackets);
      ASSERT_EQ(together.size(), one_by_one.size()) << layout.name();
      for (std::size_t i = 0; i < together.size(); ++i) {
        ASSERT_EQ(together[i].bytes, one_by_one[i].bytes) << layout.name() << " " << i;
      }
      const auto in_flight = make_peer(layout, choice, 1);
      in_flight->set_remotes({kThere}, kStart);
      const auto by_many = seal_in_flight(*in_flight, 20, 5);
      ASSERT_EQ(by_many.size(), one_by_one.size()) << layout.name();
      for (std::size_t i = 0; i < by_many.size(); ++i) {
        ASSERT_EQ(by_many[i].bytes, one_by_one[i].bytes) << layout.name() << " " << i;
      }
      EXPECT_EQ(in_flight->counters().link_write_bytes, peer->counters().link_write_bytes);
      EXPECT_EQ(in_flight->counters().drops, peer->counters().drops);
      EXPECT_EQ(peer->counters().packets_sealed, kPackets - 1);
      EXPECT_EQ(peer->counters().drops[static_cast<std::size_t>(DropReason::kNotIp)], 1u);
    }
  }
}

TEST(PeerTrain, OpensLikeOneByOneWhateverArrives) {
  for (const Layout& layout : layouts()) {
    const auto sender = make_peer(layout, {}, 1);
    sender->set_remotes({kThere}, kStart);
    const auto arriving = spoil(seal_all(*sender, 64));
    const auto alone = make_peer(layout, {}, 2);
    alone->set_remotes({kHere}, kStart);
    const auto expected = open_all(*alone, arriving, 1);
    for (const auto& choice : support::cipher_choices()) {
      for (const std::size_t step : {2u, 64u, 200u, 20u}) {
        const auto together = make_peer(layout, choice, 2);
        together->set_remotes({kHere}, kStart);
        const auto outcomes = step == 20 ? open_in_flight(*together, arriving, step, 4)
                                         : open_all(*together, arriving, step);
        ASSERT_EQ(outcomes.size(), expected.size());
        for (std::size_t i = 0; i < outcomes.size(); ++i) {
          ASSERT_EQ(outcomes[i], expected[i]) << layout.name() << " step " << step << " at " << i;
        }
        EXPECT_EQ(together->counters().drops, alone->counters().drops) << layout.name();
        EXPECT_EQ(together->counters().packets_opened, alone->counters().packets_opened);
        EXPECT_EQ(together->heard(), alone->heard());
      }
    }
  }
}

// The first that makes sense is held, and that holds for the next packet already.
TEST(PeerTrain, WithoutAuthenticationTheFirstSourceIsHeldWithinABatch) {
  const Layout null{.cipher = "none", .auth = "none", .null_mode = true};
  const auto peer = make_peer(null, {}, 1);
  peer->set_remotes({}, kStart);
  const base::Bytes ip = support::ip_packet(100);
  const auto outcomes =
      open_all(*peer, {{ip, kHere}, {ip, kElsewhere}, {ip, kHere}, {ip, kElsewhere}}, 4);
  EXPECT_EQ(outcomes[0].verdict, DropReason::kNone);
  EXPECT_EQ(outcomes[1].verdict, DropReason::kStranger);
  EXPECT_EQ(outcomes[2].verdict, DropReason::kNone);
  EXPECT_EQ(outcomes[3].verdict, DropReason::kStranger);
}

TEST(PeerTrain, NothingIsAllocatedPerPacket) {
  for (const auto& choice : support::cipher_choices()) {
    const auto sender = make_peer({}, choice, 1), receiver = make_peer({}, choice, 2);
    sender->set_remotes({kThere}, kStart);
    receiver->set_remotes({kHere}, kStart);
    packet::PacketBatch batch(2048);
    const base::Bytes ip = support::ip_packet(1400);
    const auto turn = [&] {
      batch.clear();
      while (packet::Packet* const packet = batch.append()) support::fill(*packet, ip);
      sender->seal_batch(kStart, batch);
      for (packet::Packet& packet : batch.packets()) packet.peer = kHere;
      receiver->open_batch(kStart, batch);
    };
    turn();
    const std::size_t before = support::allocations();
    for (int i = 0; i < 20; ++i) turn();
    EXPECT_EQ(support::allocations(), before);
    EXPECT_EQ(receiver->counters().packets_opened, 21 * packet::kBatchPackets);

    Flight flight(64, 3);
    flight.used = 3;
    const auto many_turns = [&] {
      for (auto& of : flight.batches) {
        of->clear();
        while (packet::Packet* const packet = of->append()) support::fill(*packet, ip);
      }
      flight.seal(*sender);
      for (auto& of : flight.batches) {
        for (packet::Packet& packet : of->packets()) packet.peer = kHere;
      }
      flight.open(*receiver);
    };
    many_turns();
    const std::size_t before_many = support::allocations();
    for (int i = 0; i < 20; ++i) many_turns();
    EXPECT_EQ(support::allocations(), before_many);
  }
}

}  // namespace
