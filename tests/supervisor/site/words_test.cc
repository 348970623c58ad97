// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "supervisor/site/address_words.h"
#include "supervisor/site/paths.h"

namespace site {
namespace {

TEST(AddressWords, TakesRemotesApart) {
  const struct {
    const char* text;
    const char* host;
    int port;  // 0: none, -1: no remote at all
    const char* proto = "";
  } rows[] = {
      {"gw.example", "gw.example", 0},
      {"gw.example:1194", "gw.example", 1194},
      {"10.0.0.1", "10.0.0.1", 0},
      {"10.0.0.1:2011", "10.0.0.1", 2011},
      {"fd00::1", "fd00::1", 0},
      {"[fd00::1]", "fd00::1", 0},
      {"[fd00::1]:7", "fd00::1", 7},
      {"gw.example:443 tcp", "gw.example", 443, "tcp"},
      {"fd00::1 udp6", "fd00::1", 0, "udp6"},
      {"gw.example 443 tcp", "", -1},
      {"gw.example tcp-client", "", -1},
      {"gw.example: tcp", "", -1},
      {"", "", -1},
      {"10.0.0", "", -1},
      {"10.0.0.1.5", "", -1},
      {"host:", "", -1},
      {"host:0", "", -1},
      {"host:65536", "", -1},
      {"ho st", "", -1},
      {"[10.0.0.1]:7", "", -1},
      {"[fd00::1]7", "", -1},
      {"-x", "", -1},
      {"fd00::1:99999", "", -1},
  };
  for (const auto& row : rows) {
    const auto remote = parse_remote(row.text);
    ASSERT_EQ(remote.has_value(), row.port >= 0) << row.text;
    if (!remote) continue;
    EXPECT_EQ(remote->host, row.host);
    EXPECT_EQ(remote->port.value_or(0), row.port);
    EXPECT_EQ(remote->proto, row.proto);
  }
}

TEST(AddressWords, TakesRoutesApart) {
  const auto route = parse_route("10.1.0.0/16 vpn_gateway 5", base::IpFamily::kIpv4);
  ASSERT_TRUE(route);
  EXPECT_EQ(route->network.to_string(), "10.1.0.0/16");
  EXPECT_EQ(route->gateway, "vpn_gateway");
  EXPECT_EQ(route->metric, 5);
  EXPECT_FALSE(parse_route("10.1.0.0/16 1.2.3.4 x", base::IpFamily::kIpv4));
  EXPECT_FALSE(parse_route("", base::IpFamily::kIpv4));
  EXPECT_TRUE(parse_route("fd00::/8", base::IpFamily::kIpv6));
}

TEST(AddressWords, KnowsTheNetworkOfAPrefix) {
  EXPECT_EQ(network_of(*base::Prefix::parse("192.168.41.7/23")).to_string(), "192.168.40.0/23");
  EXPECT_EQ(network_of(*base::Prefix::parse("fd00:1:2:3::7/36")).to_string(), "fd00:1::/36");
  EXPECT_FALSE(has_host_bits(*base::Prefix::parse("0.0.0.0/0")));
}

TEST(Paths, PutTheRootInFront) {
  const Paths here("/");
  EXPECT_EQ(here.site_file("a"), "/etc/tunctl/sites/a.toml");
  EXPECT_EQ(here.drop_in("a"), "/etc/systemd/system/tunctl@a.service.d/10-tunctl.conf");
  const Paths there("/tmp/x/");
  EXPECT_EQ(there.keys_folder("a"), "/tmp/x/etc/tunctl/keys/a");
  EXPECT_EQ(there.runtime_folder("a"), "/tmp/x/run/tunctl/a");
  EXPECT_EQ(there.as_written("/tmp/x/etc/a"), "/etc/a");
  EXPECT_EQ(there.as_written("/tmp/xy/etc/a"), "/tmp/xy/etc/a");
  EXPECT_EQ(name_of_unit(unit_of("site-a")), "site-a");
  EXPECT_EQ(name_of_unit("ssh.service"), "");
}

TEST(Paths, TakePathsApart) {
  EXPECT_EQ(folder_of("/a/b.conf"), "/a");
  EXPECT_EQ(folder_of("/b"), "/");
  EXPECT_EQ(folder_of("b"), ".");
  EXPECT_EQ(stem_of("/a/b.c.conf"), "b.c");
  EXPECT_EQ(stem_of(".hidden"), ".hidden");
}

}  // namespace
}  // namespace site
