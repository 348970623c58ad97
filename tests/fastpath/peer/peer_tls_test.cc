// SPDX-License-Identifier: Apache-2.0
// A peer in TLS mode: keys come and go, control packets are handed out, and who is believed.
#include <gtest/gtest.h>

#include "fastpath/peer/peer.h"
#include "fastpath/wire/occ_type.h"
#include "tests/support/allocation_count.h"
#include "tests/support/data_keys.h"
#include "tests/support/peer_parts.h"

namespace {

using packet::DropReason;
using peer::PeerEvent;
using support::DataChannel;

constexpr base::TimePoint kStart{std::chrono::seconds(1000)};
const base::Endpoint kHere = support::endpoint("192.0.2.1", 1194);
const base::Endpoint kThere = support::endpoint("192.0.2.2", 1194);
const base::Endpoint kElsewhere = support::endpoint("198.51.100.9", 40000);

base::TimePoint at(int seconds) { return kStart + std::chrono::seconds(seconds); }

struct Options {
  bool client = true;
  bool responder = false;
  bool float_allowed = false;
  config::Framing framing = config::Framing::kNone;
  std::string options_string = "";
};

struct End {
  explicit End(const Options& options) : client(options.client) {
    peer::PeerParts parts = support::peer_parts({.framing = options.framing}, client ? 1 : 2);
    parts.key.reset();
    parts.tls = peer::TlsParts{.options_string = options.options_string};
    parts.config.link.float_allowed = options.float_allowed;
    peer.emplace(std::move(parts), kStart);
    peer->set_remotes(
        options.responder ? std::vector<base::Endpoint>{} : std::vector{client ? kThere : kHere},
        kStart);
  }

  void install(const DataChannel& channel = {}, std::uint8_t key_id = 0, bool first = true,
               base::TimePoint now = kStart) {
    EXPECT_EQ(
        peer->install_keys(support::data_keys(channel, client, key_id, 3 + key_id), first, now),
        "");
  }
  base::Bytes seal(const base::Bytes& ip, base::TimePoint now = kStart) {
    packet::Packet& packet = slot();
    support::fill(packet, ip);
    peer->seal_batch(now, batch);
    verdict = packet.verdict;
    to = packet.peer;
    return support::copy_of(packet);
  }
  DropReason open(const base::Bytes& datagram, const base::Endpoint& source,
                  base::TimePoint now = kStart) {
    packet::Packet& packet = slot();
    support::fill(packet, datagram);
    packet.peer = source;
    peer->open_batch(now, batch);
    swallowed = packet.swallowed;
    opened = support::copy_of(packet);
    return packet.verdict;
  }
  packet::Packet& slot() {
    batch.clear();
    return *batch.append();
  }
  std::vector<base::Bytes> own_packets(base::TimePoint now) {
    std::vector<base::Bytes> packets;
    while (peer->next_packet(now, slot())) packets.push_back(support::copy_of(batch.packets()[0]));
    return packets;
  }
  std::uint64_t drops(DropReason reason) const {
    return peer->counters().drops[static_cast<std::size_t>(reason)];
  }

  const bool client;
  std::optional<peer::Peer> peer;
  packet::PacketBatch batch{4096, 1};
  DropReason verdict = DropReason::kNone;
  bool swallowed = false;
  base::Endpoint to;
  base::Bytes opened;
};

struct PeerTls : testing::Test {
  void install_both(const DataChannel& channel = {}) {
    here.install(channel);
    there.install(channel);
  }
  End here{{}}, there{{.client = false}};
};

TEST_F(PeerTls, WithoutKeysNothingGoesAndNothingIsDue) {
  here.peer->set_negotiated({.keepalive = {.ping_seconds = 5, .ping_restart_seconds = 60}}, kStart);
  EXPECT_FALSE(here.peer->has_keys());
  here.seal(support::ip_packet(100));
  EXPECT_EQ(here.verdict, DropReason::kNoKey);
  there.install();
  EXPECT_EQ(here.open(there.seal(support::ip_packet(100)), kThere), DropReason::kNoKey);
  EXPECT_TRUE(here.own_packets(at(30)).empty());
  EXPECT_EQ(here.peer->next_timeout(), at(60));  // ping-restart alone
  EXPECT_EQ(here.drops(DropReason::kNoKey), 2u);
}

TEST_F(PeerTls, PacketsCrossInEveryFormat) {
  for (const DataChannel& channel : support::all_data_channels()) {
    SCOPED_TRACE(channel.name);
    install_both(channel);
    const base::Bytes ip = support::ip_packet(1400, 5);
    EXPECT_EQ(there.open(here.seal(ip), kHere), DropReason::kNone);
    EXPECT_EQ(there.opened, ip);
    EXPECT_EQ(here.to, kThere);
    EXPECT_EQ(here.open(there.seal(ip), kThere), DropReason::kNone);
    EXPECT_EQ(here.opened, ip);
  }
  EXPECT_EQ(here.peer->next_event(), PeerEvent::kHeard);
}

TEST_F(PeerTls, PingsBeginWithTheKeysAndAreTaken) {
  here.peer->set_negotiated({.keepalive = {.ping_seconds = 5}}, kStart);
  here.install({}, 0, true, at(20));
  there.install();
  EXPECT_EQ(here.peer->next_timeout(), at(25));
  const auto pings = here.own_packets(at(25));
  ASSERT_EQ(pings.size(), 1u);
  EXPECT_EQ(there.open(pings[0], kHere, at(25)), DropReason::kNone);
  EXPECT_TRUE(there.swallowed);
  here.peer->clear_keys();
  EXPECT_EQ(here.peer->next_timeout(), std::nullopt);
}

TEST_F(PeerTls, AskingForOptionsIsNotDoneAndAnsweredOnlyWithSomethingToSay) {
  End talker({.options_string = "V4,dev-type tun"});
  talker.install();
  install_both();
  EXPECT_TRUE(here.own_packets(at(60)).empty());

  base::Bytes request(wire::kOccMagic.begin(), wire::kOccMagic.end());
  request.push_back(0);
  for (End* end : {&here, &talker}) {
    const auto answer = [&] {
      // There is no way to seal a message but as the peer would.
      crypto::Library library;
      const auto slot =
          data::make_key_slot(library, support::data_keys(DataChannel{}, false, 0, 3), {}, kStart);
      packet::Packet& packet = there.slot();
      support::fill(packet, request);
      slot->seal_with(end == &here ? 900 : 901, packet);
      return support::copy_of(packet);
    }();
    EXPECT_EQ(end->open(answer, kThere, at(61)), DropReason::kNone);
    EXPECT_TRUE(end->swallowed);
    EXPECT_EQ(end->own_packets(at(61)).size(), end == &here ? 0u : 1u);
  }
}

TEST_F(PeerTls, AnExitNoticeCrosses) {
  install_both();
  here.peer->send_exit_notify();
  const auto packets = here.own_packets(at(1));
  ASSERT_EQ(packets.size(), 1u);
  EXPECT_EQ(there.open(packets[0], kHere), DropReason::kNone);
  EXPECT_EQ(there.peer->next_event(), PeerEvent::kHeard);
  EXPECT_EQ(there.peer->next_event(), PeerEvent::kRemoteExit);
}

TEST_F(PeerTls, ControlPacketsAreHandedOutWithTheirSource) {
  const base::Bytes reset{0x40, 1, 2, 3}, ack{0x28, 9};
  EXPECT_EQ(here.open(reset, kThere), DropReason::kNone);
  EXPECT_TRUE(here.swallowed);
  EXPECT_EQ(here.open(ack, kThere), DropReason::kNone);
  const auto packets = here.peer->take_control_packets();
  ASSERT_EQ(packets.size(), 2u);
  EXPECT_EQ(packets[0].source, kThere);
  EXPECT_EQ(packets[0].bytes, reset);
  EXPECT_EQ(packets[1].bytes, ack);
  EXPECT_TRUE(here.peer->take_control_packets().empty());
  EXPECT_FALSE(here.peer->heard());
}

TEST_F(PeerTls, ControlPacketsAreBoundedAndKnown) {
  EXPECT_EQ(here.open({}, kThere), DropReason::kTooShort);
  for (int opcode = 0; opcode < 32; ++opcode) {
    const auto first = static_cast<std::uint8_t>(opcode << 3);
    const bool known = opcode >= 3 && opcode <= 11;
    const DropReason verdict = here.open({first, 1, 2}, kThere);
    if (opcode == 6 || opcode == 9) {
      EXPECT_TRUE(verdict == DropReason::kNoKey || verdict == DropReason::kTooShort);
    } else {
      EXPECT_EQ(verdict, known ? DropReason::kNone : DropReason::kBadOpcode) << opcode;
    }
  }
  EXPECT_EQ(here.peer->take_control_packets().size(), 7u);
  for (std::size_t i = 0; i < peer::kControlPacketsMax; ++i) {
    EXPECT_EQ(here.open({0x20, 1}, kThere), DropReason::kNone);
  }
  EXPECT_EQ(here.open({0x20, 1}, kThere), DropReason::kControlOverflow);
}

TEST_F(PeerTls, WithARemoteNobodyElseIsHeard) {
  install_both();
  const base::Bytes datagram = there.seal(support::ip_packet(100));
  EXPECT_EQ(here.open(datagram, kElsewhere), DropReason::kStranger);
  EXPECT_EQ(here.open({0x40, 1, 2}, kElsewhere), DropReason::kStranger);
  EXPECT_EQ(here.open(datagram, kThere), DropReason::kNone);
}

TEST_F(PeerTls, AResponderHearsHandshakesFromAnywhereAndDataFromItsPeer) {
  End server({.client = false, .responder = true});
  server.install();
  here.install();
  const base::Bytes datagram = here.seal(support::ip_packet(100));
  EXPECT_EQ(server.open({0x38, 1, 2}, kElsewhere), DropReason::kNone);
  EXPECT_EQ(server.open(datagram, kHere), DropReason::kStranger);
  server.seal(support::ip_packet(100));
  EXPECT_EQ(server.verdict, DropReason::kNoPeer);
  server.peer->set_session_peer(kHere, kStart);
  EXPECT_EQ(server.open(datagram, kHere), DropReason::kNone);
  EXPECT_EQ(server.open(here.seal(support::ip_packet(100)), kElsewhere), DropReason::kStranger);
  server.seal(support::ip_packet(100));
  EXPECT_EQ(server.to, kHere);
}

TEST_F(PeerTls, FloatsByAnAuthenticPacketThatNamesThePeer) {
  End floating({.client = false, .float_allowed = true});
  floating.install();
  here.install();
  base::Bytes forged = here.seal(support::ip_packet(100));
  forged.back() ^= 1;
  EXPECT_EQ(floating.open(forged, kElsewhere), DropReason::kAuthFailed);
  EXPECT_EQ(floating.peer->remote(), kHere);
  base::Bytes other_id = here.seal(support::ip_packet(100));
  other_id[3] ^= 1;
  EXPECT_EQ(floating.open(other_id, kElsewhere), DropReason::kStranger);
  const base::Bytes good = here.seal(support::ip_packet(100));
  EXPECT_EQ(floating.open(good, kElsewhere), DropReason::kNone);
  EXPECT_EQ(floating.peer->remote(), kElsewhere);
  EXPECT_EQ(floating.peer->next_event(), PeerEvent::kFloated);
  // A copy from yet another place is a replay, and moves nothing.
  EXPECT_EQ(floating.open(good, kThere), DropReason::kReplayed);
  EXPECT_EQ(floating.peer->remote(), kElsewhere);
}

TEST_F(PeerTls, WithoutAPeerIdThereIsNoFloat) {
  const DataChannel v1{.peer_id = false};
  End floating({.client = false, .float_allowed = true});
  floating.install(v1);
  here.install(v1);
  EXPECT_EQ(floating.open(here.seal(support::ip_packet(100)), kElsewhere), DropReason::kStranger);
}

TEST_F(PeerTls, SetRemotesVoidsTheKeys) {
  install_both();
  here.peer->set_remotes({kThere}, at(1));
  EXPECT_FALSE(here.peer->has_keys());
  here.seal(support::ip_packet(100));
  EXPECT_EQ(here.verdict, DropReason::kNoKey);
}

TEST_F(PeerTls, KeysThatCannotBeHadAreToldAndChangeNothing) {
  install_both();
  const std::string problem = here.peer->install_keys(
      support::data_keys(DataChannel{.cipher = "NO-SUCH"}, true), true, kStart);
  EXPECT_NE(problem.find("NO-SUCH"), std::string::npos);
  EXPECT_EQ(there.open(here.seal(support::ip_packet(100)), kHere), DropReason::kNone);
  peer::Peer fixed(support::peer_parts({}, 1), kStart);
  EXPECT_NE(fixed.install_keys(support::data_keys(DataChannel{}, true), true, kStart), "");
}

TEST_F(PeerTls, ARenegotiationIsAskedForOncePerKey) {
  here.peer->set_negotiated({.reneg_packets = 3}, kStart);
  install_both();
  for (int i = 0; i < 2; ++i) here.seal(support::ip_packet(100));
  EXPECT_EQ(here.peer->next_event(), std::nullopt);
  EXPECT_EQ(here.open(there.seal(support::ip_packet(100)), kThere), DropReason::kNone);
  EXPECT_EQ(here.peer->next_event(), PeerEvent::kHeard);
  EXPECT_EQ(here.peer->next_event(), PeerEvent::kRenegotiate);
  here.seal(support::ip_packet(100));
  EXPECT_EQ(here.peer->next_event(), std::nullopt);
  EXPECT_EQ(here.peer->packets_under_key(), 4u);
  here.install({}, 1, false);
  EXPECT_EQ(here.peer->bytes_under_key(), 0u);
  here.peer->set_negotiated({.reneg_bytes = 1}, kStart);
  there.install({}, 1, false);
  EXPECT_EQ(here.open(there.seal(support::ip_packet(100), at(100)), kThere), DropReason::kNone);
  EXPECT_EQ(here.peer->next_event(), PeerEvent::kRenegotiate);
}

TEST_F(PeerTls, SmallBlocksAskForItByThemselves) {
  const DataChannel blowfish{.format = crypto::DataFormat::kCbc, .cipher = "BF-CBC"};
  here.install(blowfish);
  const base::Bytes ip = support::ip_packet(1400);
  for (int i = 0; i < (64 << 20) / 1400; ++i) here.seal(ip);
  EXPECT_EQ(here.peer->next_event(), PeerEvent::kRenegotiate);
}

// TCP SYN with an MSS of 1460.
base::Bytes syn() {
  base::Bytes packet = support::ip_packet(44);
  packet[9] = 6;
  packet[20 + 12] = 6 << 4;
  packet[20 + 13] = 0x02;
  packet[40] = 2;
  packet[41] = 4;
  base::store_be16(&packet[42], 1460);
  return packet;
}

TEST_F(PeerTls, MssfixKnowsWhatTheKeyAdds) {
  const auto mss = [this](const DataChannel& channel, const config::MssfixConfig& mssfix = {}) {
    here.peer->set_negotiated({.mssfix = mssfix}, kStart);
    there.peer->set_negotiated({.mssfix = {.bytes = 0}}, kStart);
    install_both(channel);
    EXPECT_EQ(there.open(here.seal(syn()), kHere), DropReason::kNone);
    return base::load_be16(&there.opened[42]);
  };
  EXPECT_EQ(mss({}), 1400);  // as OpenVPN 2.6 does with AES-256-GCM and a peer-id
  EXPECT_EQ(mss({.peer_id = false}), 1403);
  EXPECT_EQ(mss({.format = crypto::DataFormat::kEpoch}), 1396);
  // 1492 - 28 - (4 + 16 + 20) = 1424 = 89 * 16; minus 1, the packet id and 40.
  EXPECT_EQ(mss({.format = crypto::DataFormat::kCbc, .cipher = "AES-256-CBC"}), 1379);
  EXPECT_EQ(mss({}, {1300, config::MssfixConfig::Meaning::kPayload}), 1236);
  EXPECT_EQ(mss({}, {.bytes = 0}), 1460);
}

TEST_F(PeerTls, FramingIsWhatWasNegotiated) {
  for (const config::Framing framing : {config::Framing::kLzoNo, config::Framing::kStub,
                                        config::Framing::kStubV2, config::Framing::kNone}) {
    here.peer->set_negotiated({.framing = framing}, kStart);
    there.peer->set_negotiated({.framing = framing}, kStart);
    install_both();
    const base::Bytes ip = support::ip_packet(100);
    EXPECT_EQ(there.open(here.seal(ip), kHere), DropReason::kNone);
    EXPECT_EQ(there.opened, ip);
  }
  there.peer->set_negotiated({.framing = config::Framing::kLzoNo}, kStart);
  EXPECT_EQ(there.open(here.seal(support::ip_packet(100)), kHere), DropReason::kBadFraming);
}

TEST_F(PeerTls, TheHandshakeIsASignOfLife) {
  here.peer->set_negotiated({.keepalive = {.ping_restart_seconds = 60}}, kStart);
  here.peer->control_packet_authenticated(at(30));
  EXPECT_EQ(here.peer->next_timeout(), at(90));
}

TEST_F(PeerTls, AForgedPacketChangesNothing) {
  here.peer->set_negotiated({.keepalive = {.ping_restart_seconds = 60}}, kStart);
  install_both();
  const base::Bytes good = there.seal(support::ip_packet(100));
  const auto timeout = here.peer->next_timeout();
  for (std::size_t byte = 1; byte < good.size(); ++byte) {
    base::Bytes damaged = good;
    damaged[byte] ^= 0x40;
    EXPECT_EQ(here.open(damaged, kThere, at(1)), DropReason::kAuthFailed);
  }
  EXPECT_EQ(here.peer->next_timeout(), timeout);
  EXPECT_EQ(here.peer->next_event(), std::nullopt);
  EXPECT_FALSE(here.peer->heard());
  EXPECT_EQ(here.open(good, kThere, at(1)), DropReason::kNone);
}

TEST_F(PeerTls, AllocatesNothingPerPacket) {
  install_both();
  const base::Bytes ip = support::ip_packet(1400);
  packet::PacketBatch batch(2048, 1);
  const auto talk = [&] {
    batch.clear();
    packet::Packet& packet = *batch.append();
    support::fill(packet, ip);
    here.peer->seal_batch(kStart, batch);
    packet.peer = kHere;
    there.peer->open_batch(kStart, batch);
    return packet.verdict;
  };
  talk();
  const std::size_t before = support::allocations();
  for (int i = 0; i < 1000; ++i) {
    if (talk() != DropReason::kNone) break;
  }
  EXPECT_EQ(support::allocations(), before);
  EXPECT_EQ(there.peer->counters().packets_opened, 1001u);
}

}  // namespace
