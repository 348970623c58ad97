// SPDX-License-Identifier: Apache-2.0
// What two ends say when one does not trust the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/control_world.h"

namespace {

using std::chrono::seconds;
using support::ControlWorld;
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

}  // namespace
