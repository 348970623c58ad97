// SPDX-License-Identifier: Apache-2.0
// `fragment` through a whole peer, in every mode.
#include <gtest/gtest.h>

#include "fastpath/peer/peer.h"
#include "tests/support/data_keys.h"
#include "tests/support/peer_parts.h"

namespace {

using packet::DropReason;

constexpr base::TimePoint kStart{std::chrono::seconds(1000)};
const base::Endpoint kHere = support::endpoint("192.0.2.1", 2011);
const base::Endpoint kThere = support::endpoint("192.0.2.2", 2011);

struct Row {
  const char* name;
  support::Layout layout;
  bool tls;
  config::FragmentConfig fragment;
};

struct End {
  End(const Row& row, bool client) {
    peer::PeerParts parts = support::peer_parts(row.layout, client ? 1 : 2);
    parts.config.fragment = row.fragment;
    if (row.tls) {
      parts.key.reset();
      parts.tls.emplace();
    }
    peer.emplace(std::move(parts), kStart);
    peer->set_remotes({client ? kThere : kHere}, kStart);
    const support::DataChannel channel;
    if (row.tls) {
      EXPECT_EQ(peer->install_keys(support::data_keys(channel, client), true, kStart), "");
    }
  }

  std::vector<base::Bytes> seal(const base::Bytes& ip) {
    batch.clear();
    support::fill(*batch.append(), ip);
    out.clear();
    EXPECT_EQ(peer->seal_fragments(kStart, batch, 0, out), 1u);
    std::vector<base::Bytes> datagrams;
    for (const packet::Packet& packet : out.packets()) {
      EXPECT_FALSE(packet.dropped());
      datagrams.push_back(support::copy_of(packet));
    }
    return datagrams;
  }
  // The tunnel packet, if this datagram made one whole.
  base::Bytes open(const base::Bytes& datagram, const base::Endpoint& source) {
    batch.clear();
    packet::Packet& packet = *batch.append();
    support::fill(packet, datagram);
    packet.peer = source;
    peer->open_batch(kStart, batch);
    verdict = packet.verdict;
    return packet.dropped() || packet.swallowed ? base::Bytes{} : support::copy_of(packet);
  }

  std::optional<peer::Peer> peer;
  packet::PacketBatch batch{2048, 1}, out{2048, 64};
  DropReason verdict = DropReason::kNone;
};

const Row kRows[] = {
    {"Static", {}, false, {500, false}},
    {"StaticMtu", {}, false, {500, true}},
    {"StaticStub", {.framing = config::Framing::kStub}, false, {500, false}},
    {"NoCipher", {.cipher = "none", .auth = "none"}, false, {500, false}},
    {"Null", {.cipher = "none", .auth = "none", .null_mode = true}, false, {500, false}},
    {"Tls", {}, true, {500, false}},
    {"TlsLzoNo", {.framing = config::Framing::kLzoNo}, true, {500, true}},
};

class PeerFragment : public testing::TestWithParam<Row> {
 protected:
  End here{GetParam(), true}, there{GetParam(), false};
};

TEST_P(PeerFragment, PacketsOfEverySizeCrossAndNoDatagramIsLarger) {
  const std::size_t limit = GetParam().fragment.with_ip ? 500 - 28 : 500;
  for (std::size_t size = 24; size <= 1500; size += 13) {
    const base::Bytes ip = support::ip_packet(size, static_cast<std::uint32_t>(size));
    base::Bytes opened;
    for (const base::Bytes& datagram : here.seal(ip)) {
      ASSERT_LE(datagram.size(), limit);
      ASSERT_TRUE(opened.empty());
      opened = there.open(datagram, kHere);
      ASSERT_EQ(there.verdict, DropReason::kNone);
    }
    ASSERT_EQ(opened, ip) << size;
  }
  EXPECT_EQ(there.peer->counters().tun_write_bytes, here.peer->counters().tun_read_bytes);
}

TEST_P(PeerFragment, ALostPieceLosesItsPacketOnlyAndIsTold) {
  for (int i = 0; i < 30; ++i) {
    const base::Bytes ip = support::ip_packet(1400, static_cast<std::uint32_t>(i));
    std::vector<base::Bytes> datagrams = here.seal(ip);
    if (i == 3) datagrams.erase(datagrams.begin() + 1);
    base::Bytes opened;
    for (const base::Bytes& datagram : datagrams) opened = there.open(datagram, kHere);
    EXPECT_EQ(opened, i == 3 ? base::Bytes{} : ip);
  }
  EXPECT_EQ(there.peer->counters().drops[static_cast<std::size_t>(DropReason::kIncomplete)], 1u);
}

TEST_P(PeerFragment, APingIsMarkedWhole) {
  config::KeepaliveConfig pinging{.ping_seconds = 1};
  here.peer->set_negotiated({.framing = GetParam().layout.framing, .keepalive = pinging}, kStart);
  here.batch.clear();
  packet::Packet& packet = *here.batch.append();
  bool any = false;
  while (here.peer->next_packet(kStart + std::chrono::seconds(2), packet)) {
    EXPECT_TRUE(there.open(support::copy_of(packet), kHere).empty());
    EXPECT_EQ(there.verdict, DropReason::kNone);
    any = true;
    here.batch.clear();
    here.batch.append();
  }
  EXPECT_TRUE(any);
}

INSTANTIATE_TEST_SUITE_P(Modes, PeerFragment, testing::ValuesIn(kRows),
                         [](const auto& info) { return info.param.name; });

TEST(PeerFragments, StopsWhereTheNextMayNotFit) {
  End here(kRows[0], true);
  packet::PacketBatch in(2048, 30);
  for (int i = 0; i < 30; ++i) support::fill(*in.append(), support::ip_packet(1400));
  packet::PacketBatch out(2048, 64);
  std::size_t at = 0, sent = 0, rounds = 0;
  for (; at < 30; ++rounds) {
    out.clear();
    at = here.peer->seal_fragments(kStart, in, at, out);
    sent += out.packets().size();
  }
  EXPECT_EQ(sent, 30u * 4);
  EXPECT_EQ(rounds, 4u);  // nine packets a round
}

TEST(PeerFragments, AreOffWithoutTheDirective) {
  End here({"", {}, false, {}}, true);
  EXPECT_FALSE(here.peer->fragments());
}

}  // namespace
