// SPDX-License-Identifier: Apache-2.0
// What may happen to a peer while packets are on their way through it, between the steps.
#include <gtest/gtest.h>

#include "fastpath/peer/peer.h"
#include "tests/support/data_keys.h"
#include "tests/support/peer_parts.h"

namespace {

using packet::DropReason;
using support::DataChannel;
using support::Layout;

constexpr base::TimePoint kStart{std::chrono::seconds(1000)};
const base::Endpoint kHere = support::endpoint("192.0.2.1", 1194);
const base::Endpoint kThere = support::endpoint("192.0.2.2", 1194);
const base::Endpoint kElsewhere = support::endpoint("198.51.100.9", 40000);
const base::Bytes kIp = support::ip_packet(100, 7);

base::TimePoint at(int seconds) { return kStart + std::chrono::seconds(seconds); }

// A batch of a few packets and its train.
struct Batch {
  packet::PacketBatch batch{2048, 8};
  peer::Train train;

  void fill(const base::Bytes& bytes, std::size_t count = 3, const base::Endpoint& from = {}) {
    batch.clear();
    for (std::size_t i = 0; i < count; ++i) {
      packet::Packet& packet = *batch.append();
      support::fill(packet, bytes);
      packet.peer = from;
    }
  }
  std::vector<base::Bytes> datagrams() const {
    std::vector<base::Bytes> all;
    for (const packet::Packet& packet : batch.packets()) all.push_back(support::copy_of(packet));
    return all;
  }
  packet::Packet& first() { return batch.packets()[0]; }
};

struct End {
  End(bool is_client, bool tls, const Layout& layout = {}) : client(is_client) {
    peer::PeerParts parts =
        support::peer_parts(layout, client ? 1 : 2, client ? 1700000000 : 1700000100);
    parts.workers = 2;
    parts.config.keepalive.ping_seconds = 10;
    parts.config.keepalive.occ = false;
    if (tls) {
      parts.key.reset();
      parts.tls = peer::TlsParts{};
    }
    peer.emplace(std::move(parts), kStart);
    peer->set_remotes({client ? kThere : kHere}, kStart);
    if (tls) install(0, true);
  }
  void install(std::uint8_t key_id, bool first) {
    const auto seed = static_cast<std::uint8_t>(3 + key_id + (first ? 10 * sessions++ : 0));
    ASSERT_EQ(
        peer->install_keys(support::data_keys(DataChannel{}, client, key_id, seed), first, kStart),
        "");
  }
  void begin_seal(Batch& of, base::TimePoint now = kStart) {
    of.fill(kIp);
    peer->begin_seal(now, of.batch, of.train);
  }
  void finish_seal(Batch& of, base::TimePoint now = kStart) {
    peer->do_bytes(1, of.train);
    peer->finish_seal(now, of.train);
  }
  std::vector<base::Bytes> sealed() {
    Batch one;
    begin_seal(one);
    finish_seal(one);
    return one.datagrams();
  }
  // Of one datagram, all steps.
  DropReason open(const base::Bytes& datagram, const base::Endpoint& from) {
    Batch one;
    one.fill(datagram, 1, from);
    peer->open_batch(kStart, one.batch);
    return one.first().verdict;
  }
  std::uint64_t drops(DropReason reason) const {
    return peer->counters().drops[static_cast<std::size_t>(reason)];
  }

  const bool client;
  int sessions = 0;
  std::optional<peer::Peer> peer;
};

TEST(Flight, WhatWasBegunUnderAKeyIsSealedUnderItThoughTheKeyRetires) {
  End client(true, true), server(false, true);
  Batch in_flight;
  client.begin_seal(in_flight);
  client.peer->retire_key(0);
  EXPECT_FALSE(client.peer->has_keys());
  client.finish_seal(in_flight);
  EXPECT_EQ(client.peer->counters().packets_sealed, 3u);
  for (const base::Bytes& datagram : in_flight.datagrams()) {
    EXPECT_EQ(server.open(datagram, kHere), DropReason::kNone);
  }
  EXPECT_EQ(in_flight.train.keys[0], nullptr);
}

TEST(Flight, ANewSessionHearsNothingOfTheOldOne) {
  End client(true, true), server(false, true);
  const auto datagrams = client.sealed();
  Batch in_flight;
  in_flight.fill(datagrams[0], 1, kHere);
  server.peer->begin_open(kStart, in_flight.batch, in_flight.train);
  server.peer->set_remotes({kHere}, at(1));
  server.install(0, true);
  server.peer->do_bytes(1, in_flight.train);
  server.peer->finish_open(at(1), in_flight.train);
  EXPECT_EQ(in_flight.first().verdict, DropReason::kNoKey);
  EXPECT_EQ(server.drops(DropReason::kNoKey), 1u);
  EXPECT_FALSE(server.peer->heard());
}

TEST(Flight, TheSourceIsJudgedByWhereThePeerIsThen) {
  End client(true, false), server(false, false);
  const auto datagrams = client.sealed();
  Batch in_flight;
  in_flight.fill(datagrams[0], 1, kHere);
  server.peer->begin_open(kStart, in_flight.batch, in_flight.train);
  server.peer->set_remotes({kElsewhere}, at(1));
  server.peer->do_bytes(0, in_flight.train);
  server.peer->finish_open(at(1), in_flight.train);
  EXPECT_EQ(in_flight.first().verdict, DropReason::kStranger);
  EXPECT_FALSE(server.peer->heard());
}

TEST(Flight, WhereItGoesIsKnownFromTheBeginning) {
  End client(true, false);
  Batch in_flight;
  client.begin_seal(in_flight);
  client.peer->set_remotes({}, at(1));
  client.finish_seal(in_flight, at(1));
  EXPECT_FALSE(in_flight.first().dropped());
  EXPECT_EQ(in_flight.first().peer, kThere);
}

// A ping that becomes due while trains are on their way has a later number than they, and goes
// behind them.
TEST(Flight, MessagesOfOurOwnComeBehindWhatIsOnItsWay) {
  for (const bool tls : {false, true}) {
    End client(true, tls), server(false, tls);
    Batch first, second, own;
    client.begin_seal(first, at(11));
    ASSERT_TRUE(client.peer->begin_own(at(11), own.batch, own.train)) << tls;
    client.begin_seal(second, at(11));
    // Not again, though the first has not left yet.
    Batch none;
    EXPECT_FALSE(client.peer->begin_own(at(11), none.batch, none.train));
    for (Batch* const batch : {&second, &own, &first}) client.peer->do_bytes(0, batch->train);
    for (Batch* const batch : {&first, &own, &second}) {
      client.peer->finish_seal(at(11), batch->train);
      for (const base::Bytes& datagram : batch->datagrams()) {
        EXPECT_EQ(server.open(datagram, kHere), DropReason::kNone);
      }
    }
    EXPECT_EQ(server.drops(DropReason::kReplayed), 0u);
    EXPECT_GT(client.peer->next_timeout().value(), at(20));
  }
}

// With auth alone our own packets are known by their HMACs, under the time they were begun in.
TEST(Flight, WhatIsOnItsWayWhileThePacketTimeMovesIsKnownWhenItComesBack) {
  const Layout auth_only{.cipher = "none", .auth = "SHA256"};
  End client(true, false, auth_only);
  const auto before = client.sealed();
  Batch in_flight;
  client.begin_seal(in_flight);
  client.peer->use_packet_time(1700000050);
  client.finish_seal(in_flight);
  const auto after = client.sealed();
  for (const auto& datagrams : {before, in_flight.datagrams(), after}) {
    for (const base::Bytes& datagram : datagrams) {
      EXPECT_EQ(client.open(datagram, kThere), DropReason::kReflected);
    }
  }
}

}  // namespace
