// SPDX-License-Identifier: Apache-2.0
// Handshakes and renegotiations over a noisy wire: whatever is lost, repeated, overtaken or
// damaged, both ends come to the same keys.
#include <gtest/gtest.h>

#include "ovpn/static_key.h"
#include "tests/sim/seeds.h"
#include "tests/support/control_world.h"

namespace {

using config::ControlWrap;
using std::chrono::milliseconds;
using std::chrono::seconds;
using support::ControlWorld;

constexpr int kRenegotiations = 3;

void choose_wrap(std::mt19937_64& random, config::TlsConfig& client, config::TlsConfig& server) {
  static const std::string kKey = ovpn::format_static_key(ovpn::generate_static_key());
  const auto kind = static_cast<ControlWrap>(random() % 3);
  const bool direction = random() % 2 == 0;
  for (config::TlsConfig* config : {&client, &server}) {
    config->wrap.kind = kind;
    config->wrap.key = support::text_file("ta.key", kKey);
    if (direction) config->wrap.direction = config == &client ? 1 : 0;
  }
}

support::Weather a_weather(std::mt19937_64& random, bool damaging) {
  support::Weather weather;
  weather.lost = static_cast<int>(random() % 250);
  weather.repeated = static_cast<int>(random() % 250);
  weather.damaged = damaging ? static_cast<int>(random() % 100) : 0;
  weather.cut = damaging ? static_cast<int>(random() % 50) : 0;
  weather.delay_max += milliseconds(random() % 2 == 0 ? random() % 50 : random() % 2500);
  return weather;
}

// A datagram in five, or more, does not come through as it was: permille.
constexpr int kCallsAnew = 3;
bool harsh(const support::Weather& weather) {
  constexpr int kFifth = 200;
  return weather.lost + weather.damaged + weather.cut >= kFifth;
}

std::string hex(const base::SecretBytes& bytes) { return base::to_hex(bytes.view()); }

// Sessions may begin anew when a handshake outlives its window; what counts are the last keys.
void expect_same_keys(const ControlWorld& world) {
  const crypto::DataKeys& client = world.client.told.keys.back().keys;
  const crypto::DataKeys& server = world.server.told.keys.back().keys;
  EXPECT_EQ(client.key_id, server.key_id);
  EXPECT_EQ(client.peer_id, server.peer_id);
  EXPECT_EQ(hex(client.send_cipher), hex(server.receive_cipher));
  EXPECT_EQ(hex(client.receive_cipher), hex(server.send_cipher));
}

// What one end told, for whoever looks into a seed that failed.
std::string story(const support::ControlEnd& end) {
  std::string text = std::to_string(end.told.keys.size()) + " keys";
  for (const auto& each : end.told.failures) text += "; failed: " + each.reason;
  for (const auto* lines : {&end.told.notes, &end.told.warnings}) {
    for (const std::string& line : *lines) text += "; " + line;
  }
  return text;
}

void play(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  config::TlsConfig client = support::client_config(), server = support::server_config();
  choose_wrap(random, client, server);
  // What is lost in every try is not what is to be shown here.
  client.renegotiation.hand_window_seconds = server.renegotiation.hand_window_seconds = 600;
  if (random() % 4 == 0) client.certificate.version_max = "1.2";
  ControlWorld world(seed, client, server);
  // Without a wrapping nothing but TLS notices damage, and for TLS it is the end.
  const support::Weather weather = a_weather(random, client.wrap.kind != ControlWrap::kNone);
  world.wire.set_weather(weather);
  bool unlucky = false;
  // A server that knows where its peer is speaks first as well.
  if (random() % 3 == 0) world.server.call = world.client.address;
  world.start();
  for (std::size_t count = 1; count <= 1 + kRenegotiations; ++count) {
    std::size_t client_had = world.client.told.keys.size();
    std::size_t server_had = world.server.told.keys.size();
    const auto agreed = [&] {
      return world.client.told.keys.size() > client_had &&
             world.server.told.keys.size() > server_had;
    };
    bool done = world.run_until(agreed, seconds(900));
    // Of so few tries as back-off leaves in a window, bad weather may lose every one. An engine
    // calls anew then.
    for (int call = 0; !done && harsh(weather) && call < kCallsAnew; ++call) {
      unlucky = true;
      // What one end told of a session that came to nothing is no half of the next one's keys.
      client_had = world.client.told.keys.size();
      server_had = world.server.told.keys.size();
      world.begin(world.client);
      done = world.run_until(agreed, seconds(900));
    }
    ASSERT_TRUE(done) << "keys " << count << "\nclient: " << story(world.client)
                      << "\nserver: " << story(world.server);
    expect_same_keys(world);
    world.run_for(seconds(20));
    (random() % 2 == 0 ? world.client : world.server).session->renegotiate(world.now());
  }
  if (unlucky) return;
  EXPECT_TRUE(world.client.told.failures.empty());
  EXPECT_TRUE(world.server.told.failures.empty());
}

TEST(ControlSessions, AgreeOnKeysOverANoisyWire) { sim::for_each_seed(500, 100'000, play); }

}  // namespace
