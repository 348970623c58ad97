// SPDX-License-Identifier: Apache-2.0
// What two ends say when one does not trust the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ovpn/static_key.h"
#include "tests/support/control_world.h"

namespace {

using std::chrono::seconds;
using support::ControlWorld;
using testing::Contains;
using testing::HasSubstr;

// Whoever refuses says so before it forgets the session.
TEST(Handshake, ThatIsRefusedIsToldToThePeer) {
  const std::string nobody(95, '0');
  for (const bool by_server : {true, false}) {
    config::TlsConfig client = support::client_config(), server = support::server_config();
    (by_server ? server : client).certificate.fingerprints = {nobody};
    ControlWorld world(22, client, server);
    world.start();
    world.run_for(seconds(3));
    const auto& here = by_server ? world.server.told : world.client.told;
    const auto& there = by_server ? world.client.told : world.server.told;
    const auto said = [](const support::Told& told) {
      std::string text;
      for (const auto& failure : told.failures) text += failure.reason + "\n";
      for (const auto& warning : told.warnings) text += warning + "\n";
      return text;
    };
    EXPECT_THAT(said(here), HasSubstr("is not in peer-fingerprint"));
    EXPECT_THAT(said(there), HasSubstr("the peer refused our certificate"));
  }
}

// A server goes on listening, and what it logs a person must find in its status as well.
TEST(Handshake, ThatFailsIsTheServersReason) {
  const std::string nobody(95, '0');
  for (const bool by_server : {true, false}) {
    config::TlsConfig client = support::client_config(), server = support::server_config();
    (by_server ? server : client).certificate.fingerprints = {nobody};
    ControlWorld world(23, client, server);
    world.start();
    world.run_for(seconds(3));
    const char* why = by_server ? "is not in peer-fingerprint" : "the peer refused our certificate";
    ASSERT_FALSE(world.server.told.reasons.empty());
    for (const std::string& reason : world.server.told.reasons) EXPECT_THAT(reason, HasSubstr(why));
  }
}

// Whoever has a cookie only could make a person look for lost packets.
TEST(Handshake, OfSomebodyWithoutAKeyIsNoReasonUnlessItIsHisCertificate) {
  ControlWorld world(24, support::client_config(), support::server_config());
  world.start();
  // Until a session is there, and then never again a packet of the client's.
  ASSERT_TRUE(world.run_until(
      [&] { return world.server.session->stage() == control::SessionStage::kHandshake; },
      seconds(5)));
  world.client.session.reset();
  world.run_for(seconds(90));
  EXPECT_THAT(world.server.told.warnings, Contains(HasSubstr("a session ended: ")));
  EXPECT_THAT(world.server.told.reasons, testing::IsEmpty());
}

struct SameRole {
  const char* name;
  config::ControlWrap wrap;
};

class BothEnds : public testing::TestWithParam<SameRole> {};

void wrap(config::TlsConfig& config, config::ControlWrap kind) {
  static const std::string kKey = ovpn::format_static_key(ovpn::generate_static_key());
  config.wrap.kind = kind;
  config.wrap.key = support::text_file("ta.key", kKey);
  config.wrap.digest = "SHA256";
}

TEST_P(BothEnds, OfOneRoleAreToldSo) {
  for (const bool servers : {false, true}) {
    config::TlsConfig config = servers ? support::server_config() : support::client_config();
    if (GetParam().wrap != config::ControlWrap::kNone) wrap(config, GetParam().wrap);
    ControlWorld world(25, config, config);
    if (servers) world.client.call = world.server.address;
    if (servers) world.server.call = world.client.address;
    world.start();
    world.run_for(seconds(30));
    const char* text = servers ? "the far end is a TLS server too: one end must be tls-client"
                               : "the far end is a TLS client too: one end must be tls-server";
    for (const support::Told* told : {&world.client.told, &world.server.told}) {
      EXPECT_THAT(told->reasons, testing::ElementsAre(HasSubstr(text))) << servers;
      EXPECT_THAT(told->warnings,
                  testing::Not(Contains(HasSubstr("control packets were dropped"))));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Wraps, BothEnds,
                         testing::Values(SameRole{"none", config::ControlWrap::kNone},
                                         SameRole{"tls_auth", config::ControlWrap::kTlsAuth},
                                         SameRole{"tls_crypt", config::ControlWrap::kTlsCrypt}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
