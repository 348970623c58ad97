// SPDX-License-Identifier: Apache-2.0
// What a client and a server say to each other over a wire that loses nothing.
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ovpn/static_key.h"
#include "tests/support/control_world.h"

namespace {

using config::ControlWrap;
using std::chrono::milliseconds;
using std::chrono::seconds;
using support::ControlWorld;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

config::TlsConfig wrapped(config::TlsConfig config, ControlWrap kind,
                          std::optional<int> direction = std::nullopt) {
  static const std::string kKey = ovpn::format_static_key(ovpn::generate_static_key());
  config.wrap.kind = kind;
  config.wrap.key = support::text_file("ta.key", kKey);
  config.wrap.digest = "SHA256";
  config.wrap.direction = direction;
  return config;
}

// Both ends hold the same keys, each the other way round.
void expect_same_keys(const ControlWorld& world, std::size_t at) {
  ASSERT_GT(world.client.told.keys.size(), at);
  ASSERT_GT(world.server.told.keys.size(), at);
  const crypto::DataKeys& client = world.client.told.keys[at].keys;
  const crypto::DataKeys& server = world.server.told.keys[at].keys;
  EXPECT_EQ(client.key_id, server.key_id);
  EXPECT_EQ(client.cipher, server.cipher);
  EXPECT_EQ(client.peer_id, server.peer_id);
  const auto same = [](const base::SecretBytes& a, const base::SecretBytes& b) {
    return base::to_hex(a.view()) == base::to_hex(b.view());
  };
  EXPECT_TRUE(same(client.send_cipher, server.receive_cipher));
  EXPECT_TRUE(same(client.receive_cipher, server.send_cipher));
  EXPECT_TRUE(same(client.send_hmac, server.receive_hmac));
  EXPECT_TRUE(same(client.receive_hmac, server.send_hmac));
}

bool both_have(const ControlWorld& world, std::size_t count) {
  return world.client.told.keys.size() >= count && world.server.told.keys.size() >= count;
}

void run_handshake(ControlWorld& world) {
  world.start();
  ASSERT_TRUE(world.run_until([&] { return both_have(world, 1); }, seconds(2)));
  expect_same_keys(world, 0);
  EXPECT_TRUE(world.client.told.keys[0].first);
  EXPECT_THAT(world.client.told.warnings, IsEmpty());
  EXPECT_THAT(world.server.told.warnings, IsEmpty());
}

TEST(Handshake, OfTwoPeersEndsWithTheSameKeys) {
  ControlWorld world(1, support::client_config(), support::server_config());
  run_handshake(world);
  const crypto::DataKeys& keys = world.client.told.keys[0].keys;
  EXPECT_EQ(keys.cipher, "AES-256-GCM");
  EXPECT_EQ(keys.format, crypto::DataFormat::kAead);
  EXPECT_TRUE(keys.peer_id);
  EXPECT_EQ(world.client.told.keys[0].peer_name, "server");
  EXPECT_EQ(world.server.told.keys[0].peer_name, "client");
  EXPECT_EQ(world.server.told.keys[0].peer, world.client.address);
  EXPECT_TRUE(world.client.session->exit_agreed());
}

TEST(Handshake, BeginsWithThePacketsOfTheProtocol) {
  ControlWorld world(1, support::client_config(), support::server_config());
  run_handshake(world);
  EXPECT_EQ(world.recorded[0].size(), 14u);
  EXPECT_EQ(world.recorded[0][0], 0x38);
  EXPECT_EQ(world.recorded[1].size(), 26u);
  EXPECT_EQ(world.recorded[1][0], 0x40);
  EXPECT_EQ(world.recorded[2][0], 0x20);  // ClientHello, with the ack
}

TEST(Handshake, WorksUnderEveryWrapping) {
  for (const auto& [kind, client, server] :
       {std::tuple{ControlWrap::kTlsAuth, std::optional<int>(1), std::optional<int>(0)},
        std::tuple{ControlWrap::kTlsAuth, std::optional<int>(), std::optional<int>()},
        std::tuple{ControlWrap::kTlsCrypt, std::optional<int>(), std::optional<int>()}}) {
    ControlWorld world(2, wrapped(support::client_config(), kind, client),
                       wrapped(support::server_config(), kind, server));
    run_handshake(world);
    for (const std::uint8_t key_id : {1, 2, 3}) {
      world.client.session->renegotiate(world.now());
      ASSERT_TRUE(world.run_until([&] { return both_have(world, key_id + 1u); }, seconds(2)));
      expect_same_keys(world, key_id);
      world.run_for(seconds(1));
    }
    EXPECT_THAT(world.server.told.warnings, IsEmpty());
  }
}

TEST(Handshake, TakesTls12) {
  config::TlsConfig client = support::client_config();
  client.certificate.version_max = "1.2";
  ControlWorld world(3, client, support::server_config());
  run_handshake(world);
  EXPECT_THAT(world.client.told.notes, ElementsAre(HasSubstr("TLSv1.2")));
}

TEST(Handshake, AgreesOnEpochKeysOnlyIfBothCan) {
  for (const bool both : {false, true}) {
    ControlWorld world(4, support::client_config(), support::server_config());
    world.client.parts.epoch_format = true;
    world.server.parts.epoch_format = both;
    run_handshake(world);
    const crypto::DataKeys& keys = world.client.told.keys[0].keys;
    EXPECT_EQ(keys.format, both ? crypto::DataFormat::kEpoch : crypto::DataFormat::kAead);
    EXPECT_EQ(keys.send_hmac.empty(), both);
  }
}

TEST(Handshake, WithoutNegotiationUsesThePrfAndTheConfiguredCipher) {
  config::TlsConfig client = support::client_config(), server = support::server_config();
  for (config::TlsConfig* config : {&client, &server}) {
    config->negotiation.ncp = false;
    config->negotiation.fallback = "AES-256-CBC";
    config->negotiation.auth = "SHA256";
  }
  ControlWorld world(5, client, server);
  run_handshake(world);
  const crypto::DataKeys& keys = world.client.told.keys[0].keys;
  EXPECT_EQ(keys.format, crypto::DataFormat::kCbc);
  EXPECT_EQ(keys.cipher, "AES-256-CBC");
  EXPECT_EQ(keys.auth, "SHA256");
  EXPECT_FALSE(keys.peer_id);
}

TEST(Handshake, WithoutACommonCipherSaysWhatToWrite) {
  config::TlsConfig client = support::client_config(), server = support::server_config();
  client.negotiation.data_ciphers = {"AES-256-GCM"};
  server.negotiation.data_ciphers = {"CHACHA20-POLY1305"};
  ControlWorld world(6, client, server);
  world.start();
  world.run_for(seconds(2));
  ASSERT_EQ(world.client.told.failures.size(), 1u);
  EXPECT_THAT(world.client.told.failures[0].reason, HasSubstr("data-ciphers"));
}

TEST(Handshake, WithAnotherKeyIsSilenceAndTheRemedy) {
  config::TlsConfig server = wrapped(support::server_config(), ControlWrap::kTlsCrypt);
  server.wrap.key =
      support::text_file("other.key", ovpn::format_static_key(ovpn::generate_static_key()));
  ControlWorld world(7, wrapped(support::client_config(), ControlWrap::kTlsCrypt), server);
  world.start();
  world.run_for(seconds(61));
  ASSERT_EQ(world.client.told.failures.size(), 1u);
  EXPECT_THAT(world.client.told.failures[0].reason, HasSubstr("tls-crypt the same?"));
  // One line, however many packets.
  EXPECT_THAT(world.server.told.warnings, ElementsAre(HasSubstr("not authentic")));
  EXPECT_THAT(world.server.told.keys, IsEmpty());
}

TEST(Handshake, IsRetriedAtTheProtocolsIntervals) {
  ControlWorld world(8, support::client_config(), support::server_config());
  world.begin(world.client);
  std::vector<double> sent;
  std::uint64_t before = 0;
  const base::TimePoint start = world.now();
  world.run_until(
      [&] {
        if (world.datagrams() > before) {
          before = world.datagrams();
          sent.push_back(std::chrono::duration<double>(world.now() - start).count());
        }
        return false;
      },
      seconds(59));
  EXPECT_EQ(before, 5u);  // at 0, 2, 6, 14 and 30 s
}

TEST(Renegotiation, IsBegunByEitherEndAndOnlyWhenDue) {
  config::TlsConfig client = support::client_config(), server = support::server_config();
  client.renegotiation.reneg_seconds = 0;
  server.renegotiation.reneg_seconds = 100;
  ControlWorld world(9, client, server);
  run_handshake(world);
  world.run_for(seconds(89));
  EXPECT_EQ(world.client.told.keys.size(), 1u);
  world.run_for(seconds(12));  // stock's jitter: up to a tenth earlier
  ASSERT_EQ(world.client.told.keys.size(), 2u);
  expect_same_keys(world, 1);
  EXPECT_EQ(world.client.told.keys[1].keys.key_id, 1);
  EXPECT_FALSE(world.client.told.keys[1].first);
}

TEST(Renegotiation, BegunByBothAtOnceIsOne) {
  ControlWorld world(10, support::client_config(), support::server_config());
  run_handshake(world);
  world.client.session->renegotiate(world.now());
  world.server.session->renegotiate(world.now());
  ASSERT_TRUE(world.run_until([&] { return both_have(world, 2); }, seconds(5)));
  world.run_for(seconds(5));
  EXPECT_EQ(world.client.told.keys.size(), 2u);
  expect_same_keys(world, 1);
}

TEST(Renegotiation, KeyIdsGoFromSevenToOne) {
  ControlWorld world(11, support::client_config(), support::server_config());
  run_handshake(world);
  for (std::size_t count = 2; count <= 10; ++count) {
    (count % 2 ? world.client : world.server).session->renegotiate(world.now());
    ASSERT_TRUE(world.run_until([&] { return both_have(world, count); }, seconds(5))) << count;
    expect_same_keys(world, count - 1);
    world.run_for(seconds(1));
  }
  EXPECT_EQ(world.client.told.keys[7].keys.key_id, 7);
  EXPECT_EQ(world.client.told.keys[8].keys.key_id, 1);
  // Those before the last two went when the next was installed. Retired by their number they would
  // be missed by a peer that sends under the old key until it hears of the renegotiation.
  EXPECT_THAT(world.client.told.retired, IsEmpty());
}

TEST(Renegotiation, TheOldKeyDiesAfterTheTransitionWindow) {
  config::TlsConfig client = support::client_config();
  client.renegotiation.transition_window_seconds = 20;
  ControlWorld world(12, client, support::server_config());
  run_handshake(world);
  world.client.session->renegotiate(world.now());
  world.run_for(seconds(19));
  EXPECT_THAT(world.client.told.retired, IsEmpty());
  world.run_for(seconds(2));
  EXPECT_THAT(world.client.told.retired, ElementsAre(0));
  EXPECT_THAT(world.server.told.retired, IsEmpty());
}

// The peer is gone: the old keys serve on, a new session is tried, and in the end it is over.
TEST(Renegotiation, ThatFailsKeepsTheOldKeysAndTriesAnew) {
  config::TlsConfig client = support::client_config();
  client.renegotiation.transition_window_seconds = 200;
  ControlWorld world(13, client, support::server_config());
  run_handshake(world);
  world.server.session.reset();
  world.client.session->renegotiate(world.now());
  world.run_for(seconds(61));
  EXPECT_THAT(world.client.told.failures, IsEmpty());
  EXPECT_THAT(world.client.told.warnings, testing::Contains(HasSubstr("renegotiation failed")));
  world.begin(world.server);
  ASSERT_TRUE(world.run_until([&] { return world.client.told.keys.size() == 2; }, seconds(30)));
  EXPECT_TRUE(world.client.told.keys[1].first);
  EXPECT_EQ(world.client.told.keys[1].keys.key_id, 0);
}

TEST(Renegotiation, ThatNeverComesAboutEndsTheSession) {
  config::TlsConfig client = support::client_config();
  client.renegotiation.transition_window_seconds = 200;
  ControlWorld world(14, client, support::server_config());
  run_handshake(world);
  world.server.session.reset();
  world.client.session->renegotiate(world.now());
  world.run_for(seconds(210));
  ASSERT_EQ(world.client.told.failures.size(), 1u);
  EXPECT_THAT(world.client.told.retired, ElementsAre(0));
}

// The client restarts: the server keeps the old session until the new one is trusted.
TEST(Restart, OfTheClientIsANewFirstKeyForTheServer) {
  ControlWorld world(15, support::client_config(), support::server_config());
  run_handshake(world);
  world.client.told = {};
  world.client.address.port = 40001;  // it comes from another port
  world.begin(world.client);
  ASSERT_TRUE(world.run_until([&] { return world.server.told.keys.size() == 2; }, seconds(5)));
  EXPECT_TRUE(world.server.told.keys[1].first);
  EXPECT_EQ(world.server.told.keys[1].peer, world.client.address);
  world.run_for(seconds(1));
  EXPECT_EQ(world.client.told.keys.size(), 1u);
}

// Without tls-auth a handshake can be begun by anybody, and must not put off ping-restart.
TEST(Restart, BegunBySomebodyElseIsNoSignOfLife) {
  const support::TestPki other("another authority");
  ControlWorld world(24, support::client_config(), support::server_config());
  run_handshake(world);
  world.run_for(seconds(1));
  EXPECT_GT(world.server.signs_of_life, 0);
  const int before = world.server.signs_of_life;
  world.client.session.reset();
  world.client.address.port = 40001;
  world.client.config.certificate.ca = support::text_file("ca.crt", other.ca());
  world.begin(world.client);
  world.recorded.clear();
  world.run_for(seconds(5));
  EXPECT_GT(world.recorded.size(), 4u);
  EXPECT_EQ(world.server.signs_of_life, before);
}

TEST(Restart, IsRefusedWithSingleSession) {
  config::TlsConfig server = support::server_config();
  server.single_session = true;
  ControlWorld world(16, support::client_config(), server);
  run_handshake(world);
  world.begin(world.client);
  world.run_for(seconds(10));
  EXPECT_EQ(world.server.told.keys.size(), 1u);
}

// The client goes on speaking of a session that a killed server does not know: it is called.
TEST(Restart, OfAServerThatKnowsItsPeerEndsTheOldSessionAtOnce) {
  for (const ControlWrap kind :
       {ControlWrap::kNone, ControlWrap::kTlsAuth, ControlWrap::kTlsCrypt}) {
    ControlWorld world(19, wrapped(support::client_config(), kind),
                       wrapped(support::server_config(), kind));
    run_handshake(world);
    world.run_for(seconds(5));
    ++world.wall;
    world.server.told = {};
    world.server.call = world.client.address;
    world.begin(world.server);
    ASSERT_TRUE(world.run_until(
        [&] { return world.client.told.keys.size() == 2 && world.server.told.keys.size() == 1; },
        seconds(2)));
    EXPECT_TRUE(world.client.told.keys[1].first);
    EXPECT_EQ(world.server.told.keys[0].peer, world.client.address);
    EXPECT_EQ(base::to_hex(world.client.told.keys[1].keys.send_cipher.view()),
              base::to_hex(world.server.told.keys[0].keys.receive_cipher.view()));
    world.server.session->renegotiate(world.now());
    EXPECT_TRUE(world.run_until([&] { return world.client.told.keys.size() == 3; }, seconds(5)));
    EXPECT_THAT(world.server.told.warnings, IsEmpty());
    EXPECT_THAT(world.client.told.warnings, IsEmpty());
  }
}

TEST(Handshake, OfTwoThatBothSpeakFirstIsOne) {
  ControlWorld world(20, support::client_config(), support::server_config());
  world.server.call = world.client.address;
  run_handshake(world);
  world.run_for(seconds(70));
  EXPECT_EQ(world.client.told.keys.size(), 1u);
  EXPECT_EQ(world.server.told.keys.size(), 1u);
}

// The hint was wrong: nobody is there, and whoever calls from elsewhere is let in, before and
// after.
TEST(Handshake, WithAServerThatCalledInVainIsAnOrdinaryOne) {
  for (const int wait : {0, 70}) {
    config::TlsConfig server = support::server_config();
    server.single_session = true;
    ControlWorld world(21, support::client_config(), server);
    world.server.call = world.client.address;
    world.server.call->port = 1;
    world.begin(world.server);
    world.run_for(seconds(wait));
    world.begin(world.client);
    ASSERT_TRUE(world.run_until([&] { return both_have(world, 1); }, seconds(5))) << wait;
    expect_same_keys(world, 0);
    world.run_for(seconds(70));
    EXPECT_THAT(world.server.told.failures, IsEmpty());
    EXPECT_THAT(world.server.told.warnings, IsEmpty());
  }
}

// A server that restarted and begins by itself: its packet acknowledges nothing.
TEST(Restart, OfTheServerIsAnsweredByANewSessionBesideTheOldOne) {
  ControlWorld world(18, support::client_config(), support::server_config());
  run_handshake(world);
  world.run_for(seconds(1));
  world.server.session.reset();
  const base::Bytes reset = *base::from_hex(
      "40"
      "1122334455667788"
      "00"
      "00000000");
  world.recorded.clear();
  world.client.session->handle_datagram(world.now(), world.server.address, reset);
  world.run_for(milliseconds(100));
  ASSERT_EQ(world.recorded.size(), 1u);
  const std::string answer = base::to_hex(world.recorded[0]);
  EXPECT_TRUE(answer.starts_with("38")) << answer;
  EXPECT_TRUE(
      answer.ends_with("01"
                       "00000000"
                       "1122334455667788"
                       "00000000"))
      << answer;
  EXPECT_TRUE(world.client.session->exit_agreed()) << "the old session is still there";
  // An answer to our own first packet that comes late begins nothing.
  world.recorded.clear();
  const base::Bytes late = *base::from_hex(
      "40"
      "9922334455667788"
      "01"
      "00000000"
      "0102030405060708"
      "00000000");
  world.run_for(seconds(1));
  world.client.session->handle_datagram(world.now(), world.server.address, late);
  world.run_for(milliseconds(100));
  EXPECT_TRUE(world.recorded.empty());
}

TEST(Hostile, FloodsOfFirstPacketsGetABoundedNumberOfAnswers) {
  ControlWorld world(19, support::client_config(), support::server_config());
  world.begin(world.server);
  int answers = 0;
  std::array<std::uint8_t, 2048> out;
  std::optional<base::Endpoint> to;
  for (std::uint16_t i = 0; i < 2000; ++i) {
    base::Bytes reset = *base::from_hex(
        "38"
        "1122334455660000"
        "00"
        "00000000");
    base::store_be16(reset.data() + 7, i);
    const base::Endpoint from{*base::IpAddress::parse("198.51.100.7"), i};
    world.server.session->handle_datagram(world.now(), from, reset);
    while (world.server.session->next_datagram(world.now(), out, to)) {
      EXPECT_EQ(to, from);
      ++answers;
    }
  }
  EXPECT_EQ(answers, 100);
  EXPECT_FALSE(world.server.session->next_timeout()) << "nothing is kept of them";
}

TEST(Hostile, CookiesOfAnotherAddressBeginNothing) {
  ControlWorld world(20, support::client_config(), support::server_config());
  world.start();
  ASSERT_TRUE(world.run_until([&] { return world.recorded.size() >= 3; }, seconds(1)));
  const base::Bytes third = world.recorded[2];
  ControlWorld other(20, support::client_config(), support::server_config());
  other.start();
  ASSERT_TRUE(other.run_until([&] { return other.recorded.size() >= 2; }, seconds(1)));
  other.client.session.reset();
  const base::Endpoint elsewhere{*base::IpAddress::parse("198.51.100.7"), 7};
  other.server.session->handle_datagram(other.now(), elsewhere, third);
  EXPECT_FALSE(other.server.session->next_timeout());
}

config::TlsConfig hurried_server() {
  config::TlsConfig server = support::server_config();
  server.renegotiation.hand_window_seconds = 20;
  return server;
}

// Over TCP one caller keeps all others out.
TEST(Stream, ACallerWhoSaysNothingIsGivenUpAfterTheHandWindow) {
  ControlWorld world(21, support::client_config(), hurried_server());
  world.server.parts.stream_transport = true;
  world.begin(world.server);
  world.run_for(seconds(19));
  EXPECT_THAT(world.server.told.failures, IsEmpty());
  world.run_for(seconds(2));
  ASSERT_EQ(world.server.told.failures.size(), 1u);
  EXPECT_THAT(world.server.told.failures[0].reason, HasSubstr("hand-window"));
  EXPECT_FALSE(world.server.told.failures[0].lasting);
  EXPECT_FALSE(world.server.session->next_timeout());
}

TEST(Stream, ACallerWhoseHandshakeEndsHalfwayIsLetGo) {
  for (const bool stream : {true, false}) {
    ControlWorld world(22, support::client_config(), hurried_server());
    world.server.parts.stream_transport = stream;
    world.start();
    ASSERT_TRUE(world.run_until([&] { return world.recorded.size() >= 4; }, seconds(1)));
    world.client.session.reset();
    world.run_for(seconds(21));
    EXPECT_EQ(world.server.told.failures.size(), stream ? 1u : 0u);
    EXPECT_THAT(world.server.told.warnings,
                testing::Contains(HasSubstr("a session ended")).Times(stream ? 0 : 1));
  }
}

TEST(Stream, ASessionThatStandsIsKept) {
  ControlWorld world(23, support::client_config(), hurried_server());
  world.client.parts.stream_transport = world.server.parts.stream_transport = true;
  run_handshake(world);
  world.run_for(seconds(100));
  EXPECT_THAT(world.server.told.failures, IsEmpty());
}

TEST(Exit, IsToldWhereItWasAgreedOn) {
  ControlWorld world(17, support::client_config(), support::server_config());
  run_handshake(world);
  world.client.session->send_exit(world.now());
  world.run_for(milliseconds(100));
  EXPECT_EQ(world.server.told.exits.size(), 1u);
}

}  // namespace
