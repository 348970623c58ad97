// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/host_scripts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "supervisor/render/kept_config.h"
#include "supervisor/render/render.h"

namespace render {
namespace {

ovpn::Directive line(std::string name, std::vector<std::string> args) {
  return {std::move(name), std::move(args), std::nullopt, {}};
}

TEST(HostScripts, KnowsWhoseScriptItIs) {
  struct Row {
    ovpn::Directive line;
    bool host, name_servers;
  };
  const Row rows[] = {
      {line("up", {"/etc/openvpn/update-resolv-conf"}), true, true},
      {line("down", {"/etc/openvpn/update-systemd-resolved.sh -x"}), true, true},
      {line("setenv", {"opt", "up", "/usr/bin/openvpn-update-resolv-conf"}), true, true},
      {line("plugin", {"/usr/lib/openvpn/openvpn-plugin-down-root.so",
                       "/etc/openvpn/update-resolv-conf down"}),
       true, true},
      {line("plugin", {"/usr/lib/openvpn/openvpn-plugin-down-root.so", "/usr/bin/x"}), true, false},
      {line("route-up", {"/usr/bin/nat"}), true, false},
      {line("plugin", {"/usr/lib/openvpn/openvpn-plugin-auth-pam.so", "login"}), false, false},
      {line("tls-verify", {"/etc/openvpn/update-resolv-conf"}), false, false},
      {line("up", {}), false, false},
      {line("up-restart", {}), false, false},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(changes_host(row.line), row.host) << row.line.name;
    EXPECT_EQ(sets_name_servers(row.line), row.name_servers) << row.line.name;
  }
}

std::string rendered(const site::Site& site) {
  const auto done = render({.site = site,
                            .config_bytes = "dev tun3\nup /a/update-resolv-conf\ndown /b/nat\n",
                            .folder = "/run/tunctl/a",
                            .for_unit = true});
  return done ? done->artifacts.front().bytes : base::to_string(done.error().front());
}

TEST(HostScripts, AreLeftOutWhereTheSiteSaysSo) {
  site::Site site;
  site.name = "a";
  site.config = "/etc/openvpn/a.conf";
  EXPECT_EQ(rendered(site), "dev tun3\nup /a/update-resolv-conf\ndown /b/nat\n");
  site.dns.use = {"pushed"};
  EXPECT_EQ(rendered(site),
            "dev tun3\n# tunctl leaves out: up /a/update-resolv-conf\ndown /b/nat\n");
  site.dns.use = {};
  site.run.scripts = false;
  EXPECT_EQ(rendered(site),
            "dev tun3\n# tunctl leaves out: up /a/update-resolv-conf\n"
            "# tunctl leaves out: down /b/nat\n");
}

TEST(Options, StandAtTheConfigsEnd) {
  EXPECT_EQ(with_options("dev tun", {}), "dev tun");
  EXPECT_EQ(with_options("dev tun", {"nobind", "verb 4"}),
            "dev tun\n# options of the site file:\nnobind\nverb 4\n");
}

}  // namespace
}  // namespace render
