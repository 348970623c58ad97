// SPDX-License-Identifier: Apache-2.0
// Who is believed, what a stranger can do (nothing), and when things run out.
#include <gtest/gtest.h>

#include "fastpath/peer/peer.h"
#include "fastpath/wire/occ_type.h"
#include "tests/support/allocation_count.h"
#include "tests/support/peer_parts.h"

namespace {

using packet::DropReason;
using peer::Peer;
using peer::PeerEvent;
using peer::PeerParts;
using support::Layout;

constexpr base::TimePoint kStart{std::chrono::seconds(1000)};
const base::Endpoint kHere = support::endpoint("192.0.2.1", 2011);
const base::Endpoint kThere = support::endpoint("192.0.2.2", 2011);
const base::Endpoint kElsewhere = support::endpoint("198.51.100.9", 40000);
const Layout kNull{.cipher = "none", .auth = "none", .null_mode = true};

const Layout kNothing{.cipher = "none", .auth = "none"};

base::TimePoint at(int seconds) { return kStart + std::chrono::seconds(seconds); }

// One end of a tunnel and a batch of one to talk to it with.
struct End {
  explicit End(PeerParts parts) : peer(std::move(parts), kStart) {}

  base::Bytes seal(const base::Bytes& ip, base::TimePoint now = kStart) {
    support::fill(slot(), ip);
    peer.seal_batch(now, batch);
    return support::copy_of(batch.packets()[0]);
  }
  DropReason open(const base::Bytes& datagram, const base::Endpoint& source,
                  base::TimePoint now = kStart) {
    packet::Packet& packet = slot();
    support::fill(packet, datagram);
    packet.peer = source;
    peer.open_batch(now, batch);
    swallowed = packet.swallowed;
    return packet.verdict;
  }
  packet::Packet& slot() {
    batch.clear();
    return *batch.append();
  }
  std::uint64_t drops(DropReason reason) const {
    return peer.counters().drops[static_cast<std::size_t>(reason)];
  }

  Peer peer;
  packet::PacketBatch batch{4096, 1};
  bool swallowed = false;
};

PeerParts parts_of(const Layout& layout, std::uint64_t seed, bool float_allowed = false) {
  PeerParts parts = support::peer_parts(layout, seed, 1700000000 + static_cast<int>(seed));
  parts.config.link.float_allowed = float_allowed;
  return parts;
}

struct Sender : End {
  explicit Sender(const Layout& layout = {}) : End(parts_of(layout, 1)) {
    peer.set_remotes({kThere}, kStart);
  }
};

// Everything about a peer that a caller can see, but for the counters.
struct Seen {
  explicit Seen(const Peer& peer)
      : remote(peer.remote()),
        timeout(peer.next_timeout()),
        heard(peer.heard()),
        last_heard(peer.last_heard()),
        packet_time(peer.packet_time()) {}
  friend bool operator==(const Seen&, const Seen&) = default;

  std::optional<base::Endpoint> remote;
  std::optional<base::TimePoint> timeout;
  bool heard;
  std::optional<base::TimePoint> last_heard;
  base::UnixSeconds packet_time;
};

class Unauthenticated : public testing::TestWithParam<bool> {};

// Float allowed and a timer running: all that a forged packet could wish to move.
TEST_P(Unauthenticated, PacketsChangeNothingButACounter) {
  const bool responder = GetParam();
  End there(parts_of({}, 2, true));
  PeerParts parts = parts_of({}, 3, true);
  parts.config.keepalive.ping_restart_seconds = 60;
  End here(std::move(parts));
  here.peer.set_remotes(responder ? std::vector<base::Endpoint>{} : std::vector{kThere}, kStart);
  there.peer.set_remotes({kHere}, kStart);
  const base::Bytes good = there.seal(support::ip_packet(100));

  const Seen before(here.peer);
  std::uint64_t tried = 0;
  for (std::size_t at_byte = 0; at_byte < good.size(); ++at_byte, ++tried) {
    base::Bytes damaged = good;
    damaged[at_byte] ^= 0x40;
    EXPECT_EQ(here.open(damaged, kElsewhere, at(1)), DropReason::kAuthFailed);
  }
  for (std::size_t size = 0; size < good.size(); ++size, ++tried) {
    const base::Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_NE(here.open(cut, kElsewhere, at(1)), DropReason::kNone);
  }
  EXPECT_EQ(Seen(here.peer), before);
  EXPECT_EQ(here.peer.next_event(), std::nullopt);
  EXPECT_EQ(here.peer.counters().packets_opened, 0u);
  EXPECT_EQ(here.drops(DropReason::kAuthFailed) + here.drops(DropReason::kTooShort), tried);
  // The window did not move either: the undamaged packet is still welcome.
  EXPECT_EQ(here.open(good, kThere, at(1)), DropReason::kNone);
}

INSTANTIATE_TEST_SUITE_P(Roles, Unauthenticated, testing::Bool(), [](const auto& info) {
  return std::string(info.param ? "Responder" : "WithRemote");
});

TEST(Replayed, PacketsMoveNoTimerAndNoAddress) {
  End there(parts_of({}, 2)), here(parts_of({}, 3, true));
  there.peer.set_remotes({kHere}, kStart);
  here.peer.set_remotes({kThere}, kStart);
  const base::Bytes good = there.seal(support::ip_packet(100));
  ASSERT_EQ(here.open(good, kThere), DropReason::kNone);
  const Seen before(here.peer);
  EXPECT_EQ(here.open(good, kElsewhere, at(30)), DropReason::kReplayed);
  EXPECT_EQ(Seen(here.peer), before);
}

TEST(Source, OnlyTheRemotesAreBelievedWithoutFloat) {
  Sender there;
  End here(parts_of({}, 3));
  const base::Endpoint second = support::endpoint("2001:db8::2", 2011);
  here.peer.set_remotes({kThere, second}, kStart);
  EXPECT_EQ(here.open(there.seal(support::ip_packet(50)), kElsewhere), DropReason::kStranger);
  base::Endpoint other_port = kThere;
  ++other_port.port;
  EXPECT_EQ(here.open(there.seal(support::ip_packet(50)), other_port), DropReason::kStranger);
  EXPECT_FALSE(here.peer.heard());
  EXPECT_EQ(here.open(there.seal(support::ip_packet(50)), second), DropReason::kNone);
  EXPECT_EQ(here.peer.remote(), kThere);
  EXPECT_EQ(here.drops(DropReason::kStranger), 2u);
}

TEST(Source, FloatFollowsTheLastAuthenticatedPacket) {
  Sender there;
  End here(parts_of({}, 3, true));
  here.peer.set_remotes({kThere}, kStart);
  EXPECT_EQ(here.open(there.seal(support::ip_packet(50)), kThere), DropReason::kNone);
  EXPECT_EQ(here.peer.next_event(), PeerEvent::kHeard);
  EXPECT_EQ(here.open(there.seal(support::ip_packet(50)), kElsewhere), DropReason::kNone);
  EXPECT_EQ(here.peer.next_event(), PeerEvent::kFloated);
  EXPECT_EQ(here.peer.remote(), kElsewhere);
  here.seal(support::ip_packet(50));
  EXPECT_EQ(here.batch.packets()[0].peer, kElsewhere);
}

TEST(Source, AResponderLearnsItsPeerAndSendsNothingBefore) {
  Sender there;
  PeerParts parts = parts_of({}, 3);
  parts.config.keepalive.ping_seconds = 1;
  End here(std::move(parts));
  here.peer.set_remotes({}, kStart);
  EXPECT_EQ(here.peer.remote(), std::nullopt);
  EXPECT_EQ(here.peer.next_timeout(), std::nullopt);
  packet::Packet& out = here.slot();
  EXPECT_FALSE(here.peer.next_packet(at(100), out));
  here.seal(support::ip_packet(50));
  EXPECT_EQ(here.batch.packets()[0].verdict, DropReason::kNoPeer);
  EXPECT_EQ(here.open(there.seal(support::ip_packet(50)), kElsewhere), DropReason::kNone);
  EXPECT_EQ(here.peer.remote(), kElsewhere);
  EXPECT_EQ(here.peer.next_event(), PeerEvent::kHeard);
  EXPECT_EQ(here.peer.next_event(), std::nullopt);
}

// What a run before this one knew: sent to, asked, and forgotten as soon as the peer speaks.
TEST(Source, AResponderAsksWhereThePeerWasLastHeard) {
  Sender there;
  End here(parts_of({}, 3));
  here.peer.set_remotes({}, kStart);
  here.peer.suggest_remote(kThere);
  EXPECT_EQ(here.peer.remote(), kThere);
  EXPECT_FALSE(here.peer.heard());
  packet::Packet& out = here.slot();
  ASSERT_TRUE(here.peer.next_packet(kStart, out));
  EXPECT_EQ(out.peer, kThere);
  ASSERT_EQ(there.open(support::copy_of(out), kThere), DropReason::kNone);
  EXPECT_TRUE(there.swallowed);
  // From elsewhere, and neither a move nor a stranger.
  ASSERT_EQ(here.open(there.seal(support::ip_packet(50)), kElsewhere), DropReason::kNone);
  EXPECT_EQ(here.peer.remote(), kElsewhere);
  EXPECT_EQ(here.peer.next_event(), PeerEvent::kHeard);
  EXPECT_EQ(here.peer.next_event(), std::nullopt);
  here.peer.suggest_remote(kThere);  // too late
  EXPECT_EQ(here.peer.remote(), kElsewhere);
}

TEST(Source, ASuggestionWaitsForTheFirstPacketLikeNoRemote) {
  Sender there;
  PeerParts parts = parts_of({}, 3);
  parts.config.keepalive.ping_restart_seconds = 10;
  parts.config.keepalive.timer_needs_remote = true;
  parts.config.keepalive.occ = false;
  End here(std::move(parts));
  here.peer.set_remotes({}, kStart);
  here.peer.suggest_remote(kThere);
  EXPECT_EQ(here.peer.next_timeout(), std::nullopt);
  ASSERT_EQ(here.open(there.seal(support::ip_packet(50)), kThere, at(100)), DropReason::kNone);
  EXPECT_EQ(here.peer.next_timeout(), at(110));
}

TEST(Source, ASuggestionNeverReplacesARemote) {
  End here(parts_of({}, 3)), clear(parts_of(kNull, 4)), keyed(parts_of(kNothing, 5));
  here.peer.set_remotes({kThere}, kStart);
  here.peer.suggest_remote(kElsewhere);
  EXPECT_EQ(here.peer.remote(), kThere);
  for (End* end : {&clear, &keyed}) {
    end->peer.set_remotes({}, kStart);
    end->peer.suggest_remote(kElsewhere);
    EXPECT_EQ(end->peer.remote(), std::nullopt);
  }
}

// With neither cipher nor auth a key proves nothing: both layouts live by the same rules.
class NothingAuthenticates : public testing::TestWithParam<Layout> {
 protected:
  base::Bytes from_outside(const base::Bytes& payload) {
    if (GetParam().null_mode) return payload;
    // The packet id is all that a key adds here, and anybody can write one.
    base::Bytes datagram(8 + payload.size());
    base::store_be32(datagram.data(), ++id_);
    base::store_be32(&datagram[4], 1700000000);
    std::ranges::copy(payload, datagram.begin() + 8);
    return datagram;
  }
  DropReason give(End& end, const base::Endpoint& source, int second,
                  const base::Bytes& payload = support::ip_packet(50)) {
    return end.open(from_outside(payload), source, at(second));
  }

 private:
  std::uint32_t id_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Layouts, NothingAuthenticates, testing::Values(kNull, kNothing),
                         [](const auto& info) {
                           return std::string(info.param.null_mode ? "NoKey" : "UnusedKey");
                         });

TEST_P(NothingAuthenticates, OnlyTheConfiguredRemoteIsBelievedEvenWithFloat) {
  for (const bool float_allowed : {false, true}) {
    End here(parts_of(GetParam(), 3, float_allowed));
    here.peer.set_remotes({kThere}, kStart);
    EXPECT_EQ(give(here, kElsewhere, 0), DropReason::kStranger);
    EXPECT_EQ(give(here, kThere, 0), DropReason::kNone);
    EXPECT_EQ(give(here, kElsewhere, 1000), DropReason::kStranger);
    EXPECT_EQ(here.peer.remote(), kThere);
  }
}

TEST_P(NothingAuthenticates, AListenerHoldsTheFirstSensibleSourceEvenWithFloat) {
  for (const bool float_allowed : {false, true}) {
    End here(parts_of(GetParam(), 3, float_allowed));
    here.peer.set_remotes({}, kStart);
    EXPECT_EQ(give(here, kElsewhere, 0, base::Bytes(50, 0x99)), DropReason::kNotIp);
    EXPECT_EQ(here.peer.remote(), std::nullopt);
    EXPECT_FALSE(here.peer.heard());
    EXPECT_EQ(give(here, kThere, 0), DropReason::kNone);
    EXPECT_EQ(give(here, kElsewhere, 59), DropReason::kStranger);
    EXPECT_EQ(here.peer.remote(), kThere);
    EXPECT_EQ(give(here, kElsewhere, 60), DropReason::kNone);
    EXPECT_EQ(here.peer.remote(), kElsewhere);
  }
}

TEST(NullMode, OnlyTheConfiguredRemoteIsBelieved) {
  End here(parts_of(kNull, 3));
  here.peer.set_remotes({kThere}, kStart);
  EXPECT_EQ(here.open(support::ip_packet(50), kElsewhere), DropReason::kStranger);
  EXPECT_EQ(here.open(support::ip_packet(50), kThere), DropReason::kNone);
}

TEST(NullMode, AListenerHoldsTheFirstSensibleSourceUntilSixtySecondsOfSilence) {
  End here(parts_of(kNull, 3));
  here.peer.set_remotes({}, kStart);
  EXPECT_EQ(here.open(base::Bytes(50, 0x99), kElsewhere), DropReason::kNotIp);
  EXPECT_EQ(here.peer.remote(), std::nullopt);
  const base::Bytes ping(wire::kPingMagic.begin(), wire::kPingMagic.end());
  EXPECT_EQ(here.open(ping, kThere, at(0)), DropReason::kNone);
  EXPECT_TRUE(here.swallowed);
  EXPECT_EQ(here.peer.remote(), kThere);
  EXPECT_EQ(here.open(support::ip_packet(50), kElsewhere, at(30)), DropReason::kStranger);
  EXPECT_EQ(here.open(support::ip_packet(50), kThere, at(40)), DropReason::kNone);
  EXPECT_EQ(here.open(support::ip_packet(50), kElsewhere, at(99)), DropReason::kStranger);
  // Nonsense cannot take over even then.
  EXPECT_EQ(here.open(base::Bytes(50, 0x99), kElsewhere, at(100)), DropReason::kNotIp);
  EXPECT_EQ(here.peer.remote(), kThere);
  EXPECT_EQ(here.open(support::ip_packet(50), kElsewhere, at(100)), DropReason::kNone);
  EXPECT_EQ(here.peer.remote(), kElsewhere);
}

TEST(NullMode, GoesRaw) {
  End here(parts_of(kNull, 3));
  here.peer.set_remotes({kThere}, kStart);
  const base::Bytes ip = support::ip_packet(50);
  EXPECT_EQ(here.seal(ip), ip);
  packet::Packet& out = here.slot();
  ASSERT_TRUE(here.peer.next_packet(kStart, out));
  EXPECT_EQ(base::to_hex(out.bytes()), "287f346bd4ef7a812d56b8d3afc5459c00");
}

TEST(Payload, WhatIsNoIpNeverReachesTheTun) {
  Sender there;
  End here(parts_of({}, 3));
  here.peer.set_remotes({kThere}, kStart);
  there.seal(base::Bytes(50, 0x99));
  EXPECT_EQ(there.batch.packets()[0].verdict, DropReason::kNotIp);
  const base::Bytes short_ip(19, 0x45);
  there.seal(short_ip);
  EXPECT_EQ(there.batch.packets()[0].verdict, DropReason::kNotIp);
}

TEST(Payload, AFramingThePeerDoesNotSpeakIsNamed) {
  Sender there({.framing = config::Framing::kLzoNo});
  End here(parts_of({}, 3));
  End stub(parts_of({.framing = config::Framing::kStub}, 4));
  here.peer.set_remotes({kThere}, kStart);
  stub.peer.set_remotes({kThere}, kStart);
  const base::Bytes datagram = there.seal(support::ip_packet(50));
  EXPECT_EQ(stub.open(datagram, kThere), DropReason::kBadFraming);
  EXPECT_EQ(here.open(datagram, kThere), DropReason::kNotIp);
  // Authenticated all the same: the link is up, and it is the configs that differ.
  EXPECT_TRUE(stub.peer.heard());
}

// A payload as a peer that compresses makes it. It begins with 66, which looks like IPv6, so an end
// without framing seals it as it is.
base::Bytes lzo_of(const base::Bytes& literals, std::string_view rest) {
  base::Bytes payload{0x66, static_cast<std::uint8_t>(17 + literals.size())};
  payload.insert(payload.end(), literals.begin(), literals.end());
  const base::Bytes end = base::from_hex(rest).value();
  payload.insert(payload.end(), end.begin(), end.end());
  return payload;
}

TEST(Payload, WhatThePeerCompressesIsUnpackedUnlessItIsTooMuch) {
  Sender there;
  End here(parts_of({.framing = config::Framing::kLzo}, 3));
  here.peer.set_remotes({kThere}, kStart);
  const base::Bytes ip = support::ip_packet(100);
  ASSERT_EQ(here.open(there.seal(lzo_of(ip, "110000")), kThere), DropReason::kNone);
  EXPECT_EQ(support::copy_of(here.batch.packets()[0]), ip);
  const base::Bytes bomb = lzo_of(ip, "20" + std::string(80, '0') + "010000110000");
  EXPECT_EQ(here.open(there.seal(bomb), kThere), DropReason::kBadCompression);
  EXPECT_EQ(here.open(there.seal(lzo_of(ip, "1100")), kThere), DropReason::kBadCompression);
}

TEST(Payload, EveryFramingTalksToItself) {
  for (const auto framing :
       {config::Framing::kNone, config::Framing::kLzoNo, config::Framing::kStub,
        config::Framing::kStubV2, config::Framing::kLzo, config::Framing::kLz4,
        config::Framing::kLz4V2}) {
    Sender there({.framing = framing});
    End here(parts_of({.framing = framing}, 3));
    here.peer.set_remotes({kThere}, kStart);
    const base::Bytes ip = support::ip_packet(80);
    ASSERT_EQ(here.open(there.seal(ip), kThere), DropReason::kNone);
    EXPECT_EQ(support::copy_of(here.batch.packets()[0]), ip);
  }
}

TEST(Direction, ZeroTalksToOneAndToNothingElse) {
  const Layout zero{.direction = ovpn::KeyDirection::kNormal};
  const Layout one{.direction = ovpn::KeyDirection::kInverse};
  Sender there(zero);
  End fits(parts_of(one, 3)), same(parts_of(zero, 4)), none(parts_of({}, 5));
  for (End* end : {&fits, &same, &none}) end->peer.set_remotes({kThere}, kStart);
  const base::Bytes datagram = there.seal(support::ip_packet(50));
  EXPECT_EQ(fits.open(datagram, kThere), DropReason::kNone);
  EXPECT_EQ(same.open(datagram, kThere), DropReason::kAuthFailed);
  EXPECT_EQ(there.open(fits.seal(support::ip_packet(50)), kThere), DropReason::kNone);
}

TEST(Timers, PingsGoOutAndKeepTheOtherEndFromRestarting) {
  PeerParts parts = parts_of({}, 1);
  parts.config.keepalive.ping_seconds = 10;
  parts.config.keepalive.occ = false;
  End there(std::move(parts));
  there.peer.set_remotes({kHere}, kStart);
  parts = parts_of({}, 2);
  parts.config.keepalive.ping_restart_seconds = 60;
  parts.config.keepalive.occ = false;
  End here(std::move(parts));
  here.peer.set_remotes({kThere}, kStart);
  for (int second = 0; second < 300; ++second) {
    packet::Packet& out = there.slot();
    if (there.peer.next_packet(at(second), out)) {
      EXPECT_EQ(second % 10, 0);
      here.open(support::copy_of(out), kThere, at(second));
      EXPECT_TRUE(here.swallowed);
    }
    here.peer.handle_timeout(at(second));
  }
  EXPECT_EQ(here.peer.next_event(), PeerEvent::kHeard);
  EXPECT_EQ(here.peer.next_event(), std::nullopt);
  EXPECT_EQ(here.peer.next_timeout(), at(290 + 60));
  here.peer.handle_timeout(at(350));
  EXPECT_EQ(here.peer.next_event(), PeerEvent::kPingRestart);
}

TEST(Exit, NoticeIsSealedSentAndUnderstood) {
  Sender there;
  End here(parts_of({}, 3));
  here.peer.set_remotes({kThere}, kStart);
  there.peer.send_exit_notify();
  EXPECT_LE(there.peer.next_timeout().value(), kStart);
  packet::Packet& out = there.slot();
  ASSERT_TRUE(there.peer.next_packet(kStart, out));
  here.open(support::copy_of(out), kThere);
  EXPECT_EQ(here.peer.next_event(), PeerEvent::kHeard);
  EXPECT_EQ(here.peer.next_event(), PeerEvent::kRemoteExit);
}

// Asked once, answered, compared: the peer's tun-mtu is another one.
TEST(Options, ADifferenceIsToldOnceAndNamed) {
  Sender there;
  PeerParts parts = parts_of({}, 3);
  parts.config.device.mtu = 1400;
  End here(std::move(parts));
  here.peer.set_remotes({kThere}, kStart);
  packet::Packet& request = here.slot();
  ASSERT_TRUE(here.peer.next_packet(kStart, request));
  there.open(support::copy_of(request), kThere);
  ASSERT_TRUE(there.swallowed);
  packet::Packet& reply = there.slot();
  ASSERT_TRUE(there.peer.next_packet(kStart, reply));
  here.open(support::copy_of(reply), kThere);
  EXPECT_EQ(here.peer.next_event(), PeerEvent::kHeard);
  EXPECT_EQ(here.peer.next_event(), PeerEvent::kOptionsDiffer);
  EXPECT_EQ(here.peer.options_difference(), "tun-mtu is 1500 there and 1400 here");
}

TEST(Mssfix, ClampsBothWaysToWhatStockDoes) {
  base::Bytes syn = support::ip_packet(44);
  syn[9] = 6;
  std::ranges::copy(base::from_hex("03e80050000000010000000060020200000000000204"
                                   "05b4")
                        .value(),
                    syn.begin() + 20);
  Sender there;
  End here(parts_of({}, 3));
  here.peer.set_remotes({kThere}, kStart);
  ASSERT_EQ(here.open(there.seal(syn), kThere), DropReason::kNone);
  EXPECT_EQ(base::load_be16(&here.batch.packets()[0].bytes()[42]), 1359);
}

TEST(Allocation, NoneForAPacketInSteadyState) {
  for (const Layout& layout : support::all_layouts()) {
    End there(parts_of(layout, 1)), here(parts_of(layout, 2));
    there.peer.set_remotes({kHere}, kStart);
    here.peer.set_remotes({kThere}, kStart);
    const base::Bytes ip = support::ip_packet(1400);
    packet::PacketBatch batch(2048);
    std::size_t before = 0;
    for (int round = 0; round < 20; ++round) {
      if (round == 2) before = support::allocations();
      batch.clear();
      while (packet::Packet* packet = batch.append()) support::fill(*packet, ip);
      there.peer.seal_batch(at(round), batch);
      for (packet::Packet& packet : batch.packets()) packet.peer = kThere;
      here.peer.open_batch(at(round), batch);
      here.peer.handle_timeout(at(round));
      for (const packet::Packet& packet : batch.packets()) {
        if (packet.dropped()) ADD_FAILURE() << layout.name();
      }
    }
    EXPECT_EQ(support::allocations(), before) << layout.name();
  }
}

TEST(LinkBytesMax, HoldsTheLargestLayout) {
  config::TunnelConfig config;
  config.device.mtu = 9000;
  EXPECT_GE(peer::link_bytes_max(config), 9000u + 64 + 16 + 8 + 2 + 16);
  config.device.mtu = 100;
  EXPECT_GE(peer::link_bytes_max(config), 1600u + 64 + 16 + 8 + 2 + 16);
}

}  // namespace
