// SPDX-License-Identifier: Apache-2.0
// Two workers, each with a peer of its own, joined by memory instead of a kernel:
//
//    tun_a ==== worker a ==== link ==== worker b ==== tun_b
#include <gtest/gtest.h>
#include <poll.h>

#include <functional>
#include <thread>

#include "fastpath/engine/worker.h"
#include "fastpath/io/memory_port.h"
#include "tests/support/peer_parts.h"

namespace {

using namespace std::chrono_literals;

bool within(base::Duration limit, const std::function<bool()>& holds) {
  const auto until = base::monotonic_now() + limit;
  while (!holds()) {
    if (base::monotonic_now() > until) return false;
    std::this_thread::sleep_for(2ms);
  }
  return true;
}

struct End {
  End(
      const support::Layout& layout, std::uint64_t seed,
      const std::function<void(peer::PeerParts&)>& change = [](auto&) {}) {
    peer::PeerParts parts = support::peer_parts(layout, seed);
    change(parts);
    link_max = peer::link_bytes_max(parts.config);
    peer = std::make_unique<peer::Peer>(std::move(parts), base::monotonic_now());
  }
  void start(const base::Endpoint& remote) {
    peer->set_remotes({remote}, base::monotonic_now());
    engine::WorkerParts parts;
    parts.peer = peer.get();
    parts.tun = &tun;
    parts.link = &link;
    parts.tun_bytes_max = 1500;
    parts.link_bytes_max = link_max;
    parts.wake_main = &wake;
    worker = std::make_unique<engine::Worker>(parts);
  }
  std::uint64_t drops(packet::DropReason reason) const {
    return worker->report().counters.drops[static_cast<std::size_t>(reason)];
  }

  std::size_t link_max = 0;
  io::MemoryPort tun, link;
  io::WakeUp wake;
  std::unique_ptr<peer::Peer> peer;
  std::unique_ptr<engine::Worker> worker;
};

const base::Endpoint kA = support::endpoint("10.0.0.1", 2011);
const base::Endpoint kB = support::endpoint("10.0.0.2", 2011);

void join(End& a, End& b) {
  a.link.connect(b.link, kA);
  b.link.connect(a.link, kB);
}

class TwoEngines : public testing::TestWithParam<support::Layout> {};
INSTANTIATE_TEST_SUITE_P(Layouts, TwoEngines, testing::ValuesIn(support::all_layouts()));

TEST_P(TwoEngines, CarryPacketsOfEverySizeBothWaysInOrder) {
  End a(GetParam(), 1), b(GetParam(), 2);
  join(a, b);
  a.start(kB);
  b.start(kA);
  std::vector<io::MemoryPacket> at_a, at_b;
  // In portions, as a wire would bring them: own packets (OCC) come between.
  for (std::uint32_t i = 0; i < 200; ++i) {
    a.tun.deliver(support::ip_packet(24 + i * 7, i));
    b.tun.deliver(support::ip_packet(24 + i * 5, 1000 + i));
  }
  const auto collect = [&] {
    for (auto& packet : a.tun.take_written()) at_a.push_back(std::move(packet));
    for (auto& packet : b.tun.take_written()) at_b.push_back(std::move(packet));
    return at_a.size() >= 200 && at_b.size() >= 200;
  };
  ASSERT_TRUE(within(10s, collect)) << at_a.size() << " and " << at_b.size();
  for (std::uint32_t i = 0; i < 200; ++i) {
    EXPECT_EQ(at_b[i].bytes, support::ip_packet(24 + i * 7, i));
    EXPECT_EQ(at_a[i].bytes, support::ip_packet(24 + i * 5, 1000 + i));
  }
  EXPECT_TRUE(within(5s, [&] { return a.worker->report().heard && b.worker->report().heard; }));
  EXPECT_EQ(a.worker->report().remote, kB);
}

TEST(Worker, TellsTheMainThreadThatThePeerWasHeard) {
  End a({}, 1), b({}, 2);
  join(a, b);
  a.start(kB);
  b.start(kA);
  std::vector<peer::PeerEvent> events;
  ASSERT_TRUE(within(5s, [&] {
    for (const auto event : a.worker->take_events()) events.push_back(event);
    return !events.empty();
  }));
  EXPECT_EQ(events[0], peer::PeerEvent::kHeard);
  EXPECT_TRUE(a.worker->report().last_heard);
}

TEST(Worker, NamesTheSourceOfWhatDoesNotAuthenticateOnce) {
  End a({}, 1);
  a.start(kB);
  for (std::uint8_t i = 0; i < 100; ++i) {
    a.link.deliver(base::Bytes(100, i), kB);
    a.link.deliver(base::Bytes(100, i), support::endpoint("192.0.2.1", 9));
  }
  ASSERT_TRUE(within(5s, [&] { return a.drops(packet::DropReason::kStranger) == 100; }));
  EXPECT_EQ(a.drops(packet::DropReason::kAuthFailed), 100u);
  const auto notices = a.worker->take_notices();
  ASSERT_EQ(notices.size(), 2u);
  for (const auto& notice : notices) {
    EXPECT_EQ(notice.source, notice.reason == packet::DropReason::kAuthFailed
                                 ? kB
                                 : support::endpoint("192.0.2.1", 9));
  }
  EXPECT_TRUE(a.tun.take_written().empty());
  EXPECT_FALSE(a.worker->report().heard);
}

TEST(Worker, FollowsTheMainThreadsOrders) {
  End a({}, 1);
  a.start(kB);
  a.worker->set_remotes({kA});
  ASSERT_TRUE(within(5s, [&] { return a.worker->report().remote == kA; }));
  a.link.take_written();
  a.worker->send_exit_notify();
  ASSERT_TRUE(within(5s, [&] { return !a.link.take_written().empty(); }));
}

// With auth alone, two ends that began in one second must part. The later time is wanted of the
// main thread, and nothing is sent under it before that thread has it on disk.
TEST(Worker, UsesALaterPacketTimeOnlyWhenItWasGiven) {
  const support::Layout layout{.cipher = "none", .auth = "SHA256"};
  End a(layout, 1), b(layout, 2);
  join(a, b);
  a.start(kB);
  b.start(kA);
  ASSERT_TRUE(within(5s, [&] { return a.worker->report().wanted_packet_time.has_value(); }));
  const base::UnixSeconds wanted = *a.worker->report().wanted_packet_time;
  EXPECT_GT(wanted, 1700000000);
  a.worker->use_packet_time(wanted);
  EXPECT_TRUE(within(5s, [&] { return !a.worker->report().wanted_packet_time; }));
  a.worker.reset();
  EXPECT_EQ(a.peer->packet_time(), wanted);
  b.worker.reset();
  EXPECT_EQ(b.peer->packet_time(), 1700000000);
}

// The thread ends, the program does not: main gets the error as it was thrown.
TEST(Worker, HandsOverWhatEndedItsThread) {
  struct BrokenPort : io::MemoryPort {
    io::ReadOutcome read(packet::PacketBatch&) override {
      throw base::FatalError("the device is on fire", 78);
    }
  };
  End a({}, 1);
  BrokenPort broken;
  a.peer->set_remotes({kB}, base::monotonic_now());
  engine::WorkerParts parts;
  parts.peer = a.peer.get();
  parts.tun = &broken;
  parts.link = &a.link;
  parts.tun_bytes_max = 1500;
  parts.link_bytes_max = a.link_max;
  parts.wake_main = &a.wake;
  engine::Worker worker(parts);
  pollfd woken{a.wake.fd(), POLLIN, 0};
  ASSERT_EQ(::poll(&woken, 1, 10000), 1);
  ASSERT_TRUE(within(5s, [&] { return worker.failure() != nullptr; }));
  try {
    std::rethrow_exception(worker.failure());
    FAIL();
  } catch (const base::FatalError& error) {
    EXPECT_STREQ(error.what(), "the device is on fire");
    EXPECT_EQ(error.exit_status(), 78);
  }
}

TEST(Worker, SendsPingsByItself) {
  End a({}, 1, [](peer::PeerParts& parts) {
    parts.config.keepalive.ping_seconds = 1;
    parts.config.keepalive.occ = false;
  });
  a.start(kB);
  std::size_t sent = 0;
  EXPECT_TRUE(within(10s, [&] { return (sent += a.link.take_written().size()) >= 2; })) << sent;
}

// A link that takes nothing for a while: the tun is left alone meanwhile, nothing is dropped, and
// the thread parks instead of spinning.
TEST(Worker, ReadsNothingFromTheTunWhileTheLinkIsBackedUp) {
  struct SlowPort : io::MemoryPort {
    bool backed_up() const override { return full; }
    std::atomic<bool> full{false};
  };
  SlowPort slow;
  End a({}, 1, [](peer::PeerParts& parts) { parts.config.keepalive.occ = false; });
  a.peer->set_remotes({kB}, base::monotonic_now());
  engine::WorkerParts parts;
  parts.peer = a.peer.get();
  parts.tun = &a.tun;
  parts.link = &slow;
  parts.tun_bytes_max = 1500;
  parts.link_bytes_max = a.link_max;
  parts.wake_main = &a.wake;
  slow.full = true;
  engine::Worker worker(parts);
  for (std::uint32_t i = 0; i < 10; ++i) a.tun.deliver(support::ip_packet(100, i));
  std::this_thread::sleep_for(100ms);
  EXPECT_TRUE(slow.take_written().empty());
  EXPECT_EQ(worker.report().counters.packets_sealed, 0u);
  slow.full = false;
  worker.send_exit_notify();  // as the socket would, once it is writable
  std::size_t written = 0;
  EXPECT_TRUE(within(5s, [&] { return (written += slow.take_written().size()) == 11; })) << written;
  EXPECT_EQ(worker.report().counters.drops, packet::DropCounters{});
}

TEST(Worker, TellsTheMainThreadThatAConnectionIsOver) {
  struct EndedPort : io::MemoryPort {
    io::ReadOutcome read(packet::PacketBatch&) override { return io::ReadOutcome::kGone; }
  };
  EndedPort ended;
  End a({}, 1);
  a.peer->set_remotes({kB}, base::monotonic_now());
  engine::WorkerParts parts;
  parts.peer = a.peer.get();
  parts.tun = &a.tun;
  parts.link = &ended;
  parts.tun_bytes_max = 1500;
  parts.link_bytes_max = a.link_max;
  parts.wake_main = &a.wake;
  engine::Worker worker(parts);
  EXPECT_TRUE(within(5s, [&] { return worker.report().link_gone; }));
}

TEST(Worker, AParkedThreadIsHealthyAndADeafOneIsNot) {
  End a({}, 1, [](peer::PeerParts& parts) { parts.config.keepalive.occ = false; });
  a.start(kB);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(within(5s, [&] { return a.worker->answered_probe(); }));
  }

  // A port that never returns holds the thread outside of its park.
  struct StuckPort : io::MemoryPort {
    void write(packet::PacketBatch&) override {
      entered = true;
      while (!released) std::this_thread::sleep_for(1ms);
    }
    std::atomic<bool> entered{false}, released{false};
  };
  StuckPort stuck;
  End b({}, 2, [](peer::PeerParts& parts) { parts.config.keepalive.occ = false; });
  b.peer->set_remotes({kA}, base::monotonic_now());
  engine::WorkerParts parts;
  parts.peer = b.peer.get();
  parts.tun = &b.tun;
  parts.link = &stuck;
  parts.tun_bytes_max = 1500;
  parts.link_bytes_max = b.link_max;
  parts.wake_main = &b.wake;
  engine::Worker worker(parts);
  b.tun.deliver(support::ip_packet(100));
  ASSERT_TRUE(within(5s, [&] { return stuck.entered.load(); }));
  static_cast<void>(worker.answered_probe());  // it turned before it got stuck
  EXPECT_FALSE(worker.answered_probe());
  stuck.released = true;
  EXPECT_TRUE(within(5s, [&] { return worker.answered_probe(); }));
}

}  // namespace
