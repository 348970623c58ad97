// SPDX-License-Identifier: Apache-2.0
// Workers with helpers, over memory. What is sent is numbered, so that nothing can be missing, come
// twice or out of turn without being seen.
//
//    flood ==== worker a (and helpers) ==== pipe ==== worker b (and helpers) ==== sink
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <thread>

#include "fastpath/engine/worker.h"
#include "tests/support/allocation_count.h"
#include "tests/support/cipher_choices.h"
#include "tests/support/data_keys.h"
#include "tests/support/flood_ports.h"
#include "tests/support/peer_parts.h"

namespace {

using namespace std::chrono_literals;
using support::DataChannel;
using support::Layout;

const base::Endpoint kA = support::endpoint("10.0.0.1", 2011);
const base::Endpoint kB = support::endpoint("10.0.0.2", 2011);
const Layout kSlow{.cipher = "AES-256-CBC", .auth = "SHA512"};

// No std::function: it might allocate, and allocations are counted here.
template <typename Holds>
bool within(base::Duration limit, const Holds& holds) {
  const auto until = base::monotonic_now() + limit;
  while (!holds()) {
    if (base::monotonic_now() > until) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

std::size_t nightly(std::size_t usual, std::size_t many) {
  return std::getenv("TUNCTL_NIGHTLY") != nullptr ? many : usual;
}

struct End {
  End(
      bool is_a, std::size_t of_threads, const Layout& layout,
      const std::function<void(peer::PeerParts&)>& change = [](auto&) {})
      : a(is_a), threads(of_threads) {
    peer::PeerParts parts =
        support::peer_parts(layout, is_a ? 1 : 2, is_a ? 1700000000 : 1700000100);
    parts.workers = threads;
    parts.config.keepalive.occ = false;
    change(parts);
    link_max = peer::link_bytes_max(parts.config);
    tls = parts.tls.has_value();
    peer = std::make_unique<peer::Peer>(std::move(parts), base::monotonic_now());
    peer->set_remotes({is_a ? kB : kA}, base::monotonic_now());
    tun.number_packets();
    tun.check_order();
  }
  void start() {
    engine::WorkerParts parts;
    parts.peer = peer.get();
    parts.tun = &tun;
    parts.link = &link;
    parts.tun_bytes_max = 1500;
    parts.link_bytes_max = link_max;
    parts.threads = threads;
    parts.wake_main = &wake;
    worker = std::make_unique<engine::Worker>(parts);
  }
  void install(const DataChannel& channel, std::uint8_t key_id, std::uint8_t seed, bool first) {
    worker->install_keys(support::data_keys(channel, a, key_id, seed), first);
  }
  std::uint64_t all_drops() const {
    std::uint64_t all = 0;
    for (const std::uint64_t drops : worker->report().counters.drops) all += drops;
    return all;
  }

  const bool a;
  const std::size_t threads;
  bool tls = false;
  std::size_t link_max = 0;
  support::FloodPort tun{{support::ip_packet(1400)}};
  support::PipePort link{2048, a ? kA : kB};
  io::WakeUp wake;
  std::unique_ptr<peer::Peer> peer;
  std::unique_ptr<engine::Worker> worker;
};

struct Pair {
  explicit Pair(
      std::size_t threads, const Layout& layout = kSlow,
      const std::function<void(peer::PeerParts&)>& change = [](auto&) {})
      : a(true, threads, layout, change), b(false, threads, layout, change) {
    a.link.connect(b.link);
    b.link.connect(a.link);
    a.start();
    b.start();
  }
  ~Pair() {
    a.worker.reset();
    b.worker.reset();
  }
  bool pour(std::size_t packets, base::Duration limit = 60s) {
    const std::size_t at_a = a.tun.written() + packets, at_b = b.tun.written() + packets;
    a.tun.pour(packets);
    b.tun.pour(packets);
    return within(limit, [&] { return a.tun.written() >= at_a && b.tun.written() >= at_b; });
  }
  // In TLS mode. Orders are followed in turn: where the peer is said to be now shows that those
  // before it were followed.
  bool keyed() {
    const auto move = [](End& end, const base::Endpoint& to) {
      end.worker->set_session_peer(to);
      return within(10s, [&] { return end.worker->report().remote == to; });
    };
    return move(a, kA) && move(a, kB) && move(b, kB) && move(b, kA);
  }
  void expect_whole() {
    EXPECT_EQ(a.tun.astray(), 0u);
    EXPECT_EQ(b.tun.astray(), 0u);
    EXPECT_EQ(a.all_drops(), 0u);
    EXPECT_EQ(b.all_drops(), 0u);
    EXPECT_EQ(a.worker->failure(), nullptr);
    EXPECT_EQ(b.worker->failure(), nullptr);
  }

  End a, b;
};

void use_tls(peer::PeerParts& parts) {
  parts.key.reset();
  parts.tls = peer::TlsParts{.options_string = "", .key_switch_after = 0s};
}

class ManyThreads : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Of, ManyThreads, testing::Values(2, 4, 8));

TEST_P(ManyThreads, CarryEverythingBothWaysInOrder) {
  Pair pair(GetParam());
  ASSERT_TRUE(pair.pour(6'000)) << pair.b.tun.written();
  EXPECT_EQ(pair.a.worker->report().helpers, GetParam() - 1);
  pair.expect_whole();
}

TEST(ManyThreads, EveryLayoutIsCarriedInOrder) {
  for (const Layout& layout : support::all_layouts()) {
    SCOPED_TRACE(layout.name());
    Pair pair(4, layout);
    ASSERT_TRUE(pair.pour(1'000));
    pair.expect_whole();
  }
}

TEST(ManyThreads, EveryFormatOfTlsModeIsCarriedInOrder) {
  for (const DataChannel& channel : support::all_data_channels()) {
    SCOPED_TRACE(channel.name);
    Pair pair(4, {}, use_tls);
    for (End* const end : {&pair.a, &pair.b}) end->install(channel, 0, 1, true);
    ASSERT_TRUE(pair.keyed());
    ASSERT_TRUE(pair.pour(1'000));
    pair.expect_whole();
  }
}

// Lanes and their memory are each worker's own.
TEST(ManyThreads, EveryImplementationCarriesInOrder) {
  for (const auto& choice : support::cipher_choices()) {
    Pair pair(4, kSlow, [&](peer::PeerParts& parts) { parts.ciphers = choice; });
    ASSERT_TRUE(pair.pour(3'000));
    pair.expect_whole();
  }
}

TEST(ManyThreads, FragmentsAreCarriedInOrder) {
  Pair pair(4, kSlow, [](peer::PeerParts& parts) { parts.config.fragment.bytes = 600; });
  ASSERT_TRUE(pair.pour(4'000));
  pair.expect_whole();
}

TEST(ManyThreads, WithoutLoadThereAreNone) {
  Pair pair(4);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(pair.pour(1));
  EXPECT_EQ(pair.a.worker->report().helpers, 0u);
  EXPECT_EQ(pair.b.worker->report().helpers, 0u);
}

TEST(ManyThreads, WhatCostsNothingIsNeverHandedOver) {
  Pair pair(4, {.cipher = "none", .auth = "none", .null_mode = true});
  ASSERT_TRUE(pair.pour(4'000));
  EXPECT_EQ(pair.a.worker->report().helpers, 0u);
  pair.expect_whole();
}

TEST(ManyThreads, HelpersLeaveAfterQuietAndComeAgain) {
  Pair pair(4);
  ASSERT_TRUE(pair.pour(4'000));
  ASSERT_EQ(pair.a.worker->report().helpers, 3u);
  EXPECT_TRUE(within(engine::HelperRule::kQuiet + 5s, [&] {
    return pair.a.worker->report().helpers == 0 && pair.b.worker->report().helpers == 0;
  }));
  EXPECT_TRUE(pair.a.worker->answered_probe());
  ASSERT_TRUE(pair.pour(4'000));
  EXPECT_EQ(pair.a.worker->report().helpers, 3u);
  pair.expect_whole();
}

TEST(ManyThreads, NothingIsAllocatedPerPacket) {
  Pair pair(4);
  ASSERT_TRUE(pair.pour(4'000));
  ASSERT_EQ(pair.a.worker->report().helpers, 3u);
  ASSERT_EQ(pair.b.worker->report().helpers, 3u);
  const std::size_t before = support::allocations();
  const bool all = pair.pour(4'000);
  EXPECT_EQ(support::allocations(), before);
  EXPECT_TRUE(all);
}

// Pings leave behind what is on its way, whatever the load.
TEST(ManyThreads, PingsGoThroughTheSameSequence) {
  Pair pair(4, kSlow, [](peer::PeerParts& parts) {
    parts.config.keepalive.occ = true;
    parts.config.keepalive.ping_seconds = 1;
  });
  const auto until = base::monotonic_now() + 2s;
  while (base::monotonic_now() < until) ASSERT_TRUE(pair.pour(1'000));
  pair.expect_whole();
}

TEST(ManyThreads, AHelperThatDoesNotTurnIsSeen) {
  engine::Heartbeat heartbeat;
  EXPECT_TRUE(heartbeat.answered());  // not started
  EXPECT_TRUE(heartbeat.answered());
  heartbeat.unpark();
  heartbeat.turn();
  EXPECT_TRUE(heartbeat.answered());
  EXPECT_FALSE(heartbeat.answered());
  heartbeat.turn();
  EXPECT_TRUE(heartbeat.answered());
  heartbeat.park();
  EXPECT_TRUE(heartbeat.answered());
  EXPECT_TRUE(heartbeat.answered());
}

TEST(ManyThreads, AllOfThemAnswerUnderLoad) {
  Pair pair(4);
  pair.a.tun.pour(8'000);
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(within(10s, [&] { return pair.a.worker->answered_probe(); }));
  }
  EXPECT_TRUE(within(60s, [&] { return pair.b.tun.written() == 8'000; }));
}

// Keys and ciphers change all the time under full load, and those of before retire.
TEST(ManyThreads, RenegotiateUnderLoad) {
  const DataChannel channels[] = {
      {.format = crypto::DataFormat::kCbc, .cipher = "AES-256-CBC", .auth = "SHA512"},
      {},
      {.format = crypto::DataFormat::kEpoch},
  };
  Pair pair(4, {}, use_tls);
  const std::size_t rounds = nightly(30, 1000);
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto key_id = static_cast<std::uint8_t>(round == 0 ? 0 : 1 + (round - 1) % 7);
    for (End* const end : {&pair.b, &pair.a}) {
      end->install(channels[round / 10 % 3], key_id, static_cast<std::uint8_t>(round), round == 0);
    }
    for (End* const end : {&pair.a, &pair.b}) end->tun.pour(500);
    // What is in the pipe is no older than two or three keys.
    ASSERT_TRUE(within(60s, [&] { return pair.a.tun.left() + pair.b.tun.left() == 0; }));
  }
  // What crossed a change may have met an end that had not followed it yet, or did not know the old
  // key any more, as on any wire. But nothing came twice, out of turn, or looked forged.
  for (const End* const end : {&pair.a, &pair.b}) {
    const auto drops = end->worker->report().counters.drops;
    EXPECT_EQ(drops[static_cast<std::size_t>(packet::DropReason::kAuthFailed)], 0u);
    EXPECT_EQ(drops[static_cast<std::size_t>(packet::DropReason::kReplayed)], 0u);
    EXPECT_EQ(end->tun.backwards(), 0u);
    EXPECT_EQ(end->worker->failure(), nullptr);
    EXPECT_EQ(end->worker->take_key_problem(), "");
  }
  EXPECT_TRUE(pair.pour(500));
}

// Started, loaded and stopped in the middle of it: every thread ends, and what was begun is whole.
TEST(ManyThreads, StopUnderLoad) {
  const std::size_t rounds = nightly(20, 1000);
  for (std::size_t round = 0; round < rounds; ++round) {
    End end(true, 2 + round % 7, kSlow);
    support::FloodPort link;
    engine::WorkerParts parts;
    parts.peer = end.peer.get();
    parts.tun = &end.tun;
    parts.link = &link;
    parts.tun_bytes_max = 1500;
    parts.link_bytes_max = end.link_max;
    parts.threads = end.threads;
    parts.wake_main = &end.wake;
    auto worker = std::make_unique<engine::Worker>(parts);
    end.tun.pour(1'000'000);
    ASSERT_TRUE(within(10s, [&] { return link.written() > 64 * (round % 20); }));
    EXPECT_EQ(worker->failure(), nullptr);
    worker.reset();
    EXPECT_EQ(end.peer->counters().packets_sealed, link.written());
    EXPECT_LT(link.written(), 1'000'000u);
  }
}

}  // namespace
