// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/make_plan.h"

#include <gmock/gmock.h>

#include "ovpn/lexer.h"

namespace launch {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

ovpn::Profile profile(const std::string& text) { return ovpn::lex_config("a.conf", text).profile; }

LaunchPlan plan_of(const site::Site& site, const std::string& config, bool fastpath) {
  const auto lexed = profile(config);
  const render::EngineDecision engine{fastpath, fastpath ? "" : "because"};
  return make_plan({site,
                    lexed,
                    engine,
                    {{2, 3}, {}, {}},
                    "/sbin/fast",
                    "/sbin/openvpn",
                    "/run/tunctl/a",
                    "/var/lib/tunctl/a"});
}

site::Site site_a() {
  site::Site site;
  site.name = "a";
  return site;
}

TEST(MakePlan, TheFastPathGetsItsOwnOptions) {
  site::Site site = site_a();
  site.acknowledge_cleartext = true;
  site.run.threads = 1;
  site.run.ready = site::Ready::kConnected;
  site.run.watchdog_seconds = 7;
  site.run.clock_wait_seconds = 0;
  site.run.resume = false;
  site.dns.use = {"10.8.0.1", "fd00:8::1"};
  const LaunchPlan plan = plan_of(site, "dev tun3\nsecret k\nremote x\n", true);
  EXPECT_EQ(plan.program, "/sbin/fast");
  EXPECT_THAT(plan.argv, ElementsAre("--config", "/run/tunctl/a/a.conf", "--state-dir",
                                     "/var/lib/tunctl/a", "--ready", "connected", "90", "--threads",
                                     "1", "--clock-wait", "off", "--resume", "off", "--dns",
                                     "10.8.0.1", "fd00:8::1", "--acknowledge-cleartext"));
  EXPECT_TRUE(plan.ready_connected);
  EXPECT_EQ(plan.watchdog_seconds, 7);
  EXPECT_EQ(plan.interface, "tun3");
  EXPECT_EQ(plan.dry_after_seconds, 0);
  EXPECT_EQ(plan.reason, "");
}

TEST(MakePlan, WhereAPersonMayBeAskedTheCommandIsTold) {
  const LaunchPlan plan = plan_of(site_a(), "client\nauth-user-pass f\n", true);
  EXPECT_THAT(plan.argv, ElementsAre("--config", "/run/tunctl/a/a.conf", "--state-dir",
                                     "/var/lib/tunctl/a", "--ready", "started", "--ask",
                                     "/run/tunctl/a/ask", "tunctl credentials a"));
}

TEST(MakePlan, StockGetsWhatItsVersionNeeds) {
  const LaunchPlan plan = plan_of(site_a(), "dev tun3\nsecret k\nremote x\n", false);
  EXPECT_EQ(plan.program, "/sbin/openvpn");
  EXPECT_EQ(plan.reason, "because");
  EXPECT_THAT(plan.stock_26, ElementsAre("--providers", "legacy", "default"));
  EXPECT_THAT(plan.stock_27, Contains("--allow-deprecated-insecure-static-crypto"));
}

// (config, runs dry)
TEST(MakePlan, KnowsWhichLinksRunDry) {
  const std::pair<const char*, bool> rows[] = {
      {"dev tun3\nsecret k\nremote x\n", true},
      {"dev tun3\nremote x\ncipher none\nauth none\n", true},
      {"dev tun3\nsecret k\nremote x\nping 10\n", true},  // says something, but never asks
      {"dev tun3\nsecret k\n", false},                    // waits to be called
      {"dev tun3\nsecret k\nremote x\nkeepalive 10 60\n", false},
      {"dev tun3\nsecret k\nremote x\nping-restart 60\n", false},
      {"dev tun3\nsecret k\nremote x\ndisable-occ\n", false},
      {"dev tun3\nsecret k\nremote x\nproto tcp-client\n", false},
      {"dev tun3\nclient\nremote x\n", false},
  };
  for (const auto& [config, dry] : rows) {
    const LaunchPlan plan = plan_of(site_a(), config, false);
    EXPECT_EQ(plan.dry_after_seconds > 0, dry) << config;
    if (dry) {
      EXPECT_THAT(plan.argv, Contains("--persist-tun")) << config;
    } else {
      EXPECT_THAT(plan.argv, Not(Contains("--persist-tun"))) << config;
    }
  }
}

// (config, port, local, interface)
TEST(FootingOf, SaysWhatIsTaken) {
  struct Row {
    const char* config;
    int port;
    const char *local, *interface;
  };
  const Row rows[] = {
      {"dev tun3\nport 2011\n", 2011, "", "tun3"},
      {"dev tun3\nport 2011\nlport 2012\nlocal 10.0.0.1\n", 2012, "10.0.0.1", "tun3"},
      {"dev tun\n", 1194, "", ""},
      {"dev null\nnobind\nport 2011\n", 0, "", ""},
      {"dev vpn\ndev-type tun\nproto tcp-server\n", 0, "", "vpn"},
      // A client binds nothing that nobody named; a remote's own protocol counts before `proto`.
      {"client\ndev tun\nremote a\n", 0, "", ""},
      {"client\ndev tun\nremote a\nlport 2012\n", 2012, "", ""},
      {"dev tun3\nremote a 1194 tcp-client\n", 0, "", "tun3"},
      {"dev tun3\nproto tcp-client\nremote a 1194 udp\n", 1194, "", "tun3"},
  };
  for (const Row& row : rows) {
    const Footing footing = footing_of(profile(row.config));
    EXPECT_EQ(footing.port, row.port) << row.config;
    EXPECT_EQ(footing.local, row.local) << row.config;
    EXPECT_EQ(footing.interface, row.interface) << row.config;
  }
}

}  // namespace
}  // namespace launch
