// SPDX-License-Identifier: Apache-2.0
// Two fast paths over a noisy wire: what is delivered is what was sent, once, and all of it that
// the window allows.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sim/seeds.h"
#include "tests/sim/world.h"

namespace {

using peer::PeerEvent;
using sim::Host;
using sim::TunnelSetup;
using sim::World;
using std::chrono::milliseconds;
using std::chrono::seconds;
using support::Layout;
using support::Weather;

// Layouts with packet ids; without auth nothing is damaged, because nothing would notice.
Layout a_layout(std::mt19937_64& random) {
  static const Layout kLayouts[] = {
      {.cipher = "AES-256-CBC", .auth = "SHA256"}, {.cipher = "AES-128-CBC", .auth = "SHA1"},
      {.cipher = "BF-CBC", .auth = "SHA1"},        {.cipher = "none", .auth = "SHA1"},
      {.cipher = "none", .auth = "SHA512"},        {.cipher = "AES-256-CBC", .auth = "none"},
      {.cipher = "none", .auth = "none"},
  };
  Layout layout = kLayouts[random() % std::size(kLayouts)];
  layout.framing = static_cast<config::Framing>(random() % config::kFramings);
  return layout;
}

TunnelSetup a_setup(std::mt19937_64& random) {
  TunnelSetup setup;
  setup.layout = a_layout(random);
  setup.float_allowed = random() % 2 == 0;
  setup.responder = random() % 4 == 0;
  setup.same_second = random() % 2 == 0;
  return setup;
}

Weather a_weather(std::mt19937_64& random, bool damaging) {
  Weather weather;
  weather.lost = static_cast<int>(random() % 300);
  weather.repeated = static_cast<int>(random() % 300);
  weather.damaged = damaging ? static_cast<int>(random() % 200) : 0;
  weather.cut = damaging ? static_cast<int>(random() % 100) : 0;
  weather.delay_max += milliseconds(random() % 2 == 0 ? random() % 50 : random() % 3000);
  return weather;
}

void chatter(World& world, std::mt19937_64& random, int packets) {
  for (int i = 0; i < packets; ++i) {
    Host& from = random() % 3 == 0 ? world.b : world.a;
    world.send_ip(from, 24 + random() % 1400);
    world.run_until(world.now() + milliseconds(random() % 40));
  }
}

void expect_no_complaint(const World& world) {
  for (const std::string& complaint : world.complaints) ADD_FAILURE() << complaint;
}

// In calm weather a packet each way arrives, whatever was before.
void expect_up(World& world) {
  world.wire.set_weather({});
  world.run_until(world.now() + seconds(40));
  EXPECT_TRUE(world.a.peer->heard() && world.b.peer->heard());
  for (Host* from : {&world.a, &world.b}) {
    Host& to = from == &world.a ? world.b : world.a;
    const std::uint64_t before = to.delivered;
    world.send_ip(*from, 100);
    world.run_until(world.now() + seconds(1));
    EXPECT_EQ(to.delivered, before + 1);
  }
}

TEST(TwoPeers, DeliverEverythingOnceAndNothingElse) {
  sim::for_each_seed(200, 5000, [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const TunnelSetup setup = a_setup(random);
    World world(seed, setup);
    for (int spell = 0; spell < 3; ++spell) {
      world.wire.set_weather(a_weather(random, setup.layout.auth != "none"));
      chatter(world, random, 60);
    }
    expect_up(world);
    expect_no_complaint(world);
  });
}

TEST(TwoPeers, ARestartWithinTheSameSecondIsHeardAtOnce) {
  sim::for_each_seed(100, 2000, [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    TunnelSetup setup = a_setup(random);
    setup.responder = false;
    World world(seed, setup);
    chatter(world, random, 30);
    for (int restart = 0; restart < 3; ++restart) {
      Host& host = random() % 2 == 0 ? world.a : world.b;
      world.run_until(world.now() + milliseconds(5));
      world.start(host);
      Host& to = &host == &world.a ? world.b : world.a;
      const std::uint64_t before = to.delivered;
      world.send_ip(host, 100);
      world.run_until(world.now() + milliseconds(10));
      EXPECT_EQ(to.delivered, before + 1);
    }
    expect_up(world);
    expect_no_complaint(world);
  });
}

TEST(TwoPeers, FollowEachOtherToNewAddresses) {
  sim::for_each_seed(50, 1000, [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    TunnelSetup setup = a_setup(random);
    setup.float_allowed = true;
    // Where nothing authenticates nobody is followed.
    if (setup.layout.cipher == "none") setup.layout.auth = "SHA1";
    World world(seed, setup);
    world.run_until(world.now() + seconds(3));
    for (std::uint16_t move = 1; move <= 5; ++move) {
      Host& host = random() % 2 == 0 ? world.a : world.b;
      host.address.port = static_cast<std::uint16_t>(2011 + move);
      world.send_ip(host, 100);
      world.run_until(world.now() + milliseconds(100));
      Host& to = &host == &world.a ? world.b : world.a;
      EXPECT_EQ(to.peer->remote(), host.address);
      const std::uint64_t before = host.delivered;
      world.send_ip(to, 100);
      world.run_until(world.now() + milliseconds(100));
      EXPECT_EQ(host.delivered, before + 1);
    }
    expect_no_complaint(world);
  });
}

TEST(TwoPeers, PingRestartComesExactlyWhenNothingDid) {
  sim::for_each_seed(50, 1000, [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    TunnelSetup setup = a_setup(random);
    setup.responder = false;
    setup.ping_restart_seconds = static_cast<int>(5 + random() % 60);
    World world(seed, setup);
    chatter(world, random, 30);
    world.run_until(world.now() + milliseconds(random() % 5000));
    world.wire.set_weather({.lost = 1000});
    world.run_until(world.now() + seconds(1));
    for (Host* host : {&world.a, &world.b}) host->events.clear();
    const auto heard_a = world.a.peer->last_heard(), heard_b = world.b.peer->last_heard();
    ASSERT_TRUE(heard_a && heard_b);
    world.run_until(world.now() + seconds(setup.ping_restart_seconds));
    for (const auto& [host, heard] : {std::pair{&world.a, heard_a}, std::pair{&world.b, heard_b}}) {
      ASSERT_EQ(host->events.size(), 1u);
      EXPECT_EQ(host->events[0].second, PeerEvent::kPingRestart);
      EXPECT_EQ(host->events[0].first, *heard + seconds(setup.ping_restart_seconds));
    }
    expect_up(world);
    expect_no_complaint(world);
  });
}

// A man in the middle sends everything back to where it came from, besides letting it through.
TEST(TwoPeers, ReflectionsAreRefusedAndHurtNobody) {
  sim::for_each_seed(50, 1000, [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    TunnelSetup setup = a_setup(random);
    if (setup.layout.cipher == "none" && setup.layout.auth == "none") return;
    setup.float_allowed = true;
    World world(seed, setup);
    world.reflecting = true;
    chatter(world, random, 100);
    expect_up(world);
    expect_no_complaint(world);
  });
}

}  // namespace
