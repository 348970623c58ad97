// SPDX-License-Identifier: Apache-2.0
// The supervisor tells an admin "ok, native fast path" by what the shared room says. What it lets
// pass the engine must be able to read: a refusal there comes too late, in a unit's log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fastpath/config/tunnel_config.h"
#include "ovpn/directive_table.h"
#include "ovpn/lexer.h"
#include "ovpn/native_support.h"
#include "ovpn/profile_file.h"

namespace {

using testing::HasSubstr;

// Right for one directive and wrong for the next: numbers at their limits, addresses with a fault,
// words that only some take.
const std::vector<std::string> kValues{"",
                                       "0",
                                       "1",
                                       "-1",
                                       "99",
                                       "65535",
                                       "99999",
                                       "2147483648",
                                       "0x",
                                       "0x1f",
                                       "0xfffffffff",
                                       "abc",
                                       "default",
                                       "infinite",
                                       "unlimited",
                                       "none",
                                       "SHA0",
                                       "AES-256-CBC",
                                       "tun7",
                                       "tun%d",
                                       "null",
                                       "a:b",
                                       "averyveryverylongname",
                                       "[inline]",
                                       "subnet",
                                       "udp",
                                       "udp6",
                                       "tcp-client",
                                       "mtu",
                                       "stub-v2",
                                       "SIGHUP",
                                       "10.8.0.2",
                                       "10.20.0.256",
                                       "255.255.255.0",
                                       "255.255.0.255",
                                       "fd00::1",
                                       "fd00::1/64",
                                       "fd00::/129",
                                       "vpn_gateway",
                                       "host.example",
                                       "def1",
                                       "!ipv4",
                                       "bogus",
                                       "a..b/c",
                                       "ignore",
                                       "yes",
                                       "DoT",
                                       "10.8.0.1:53",
                                       "[fd00::1]:0"};

// Lines that make a directive mean something else, each a config of its own.
const std::vector<std::string> kBases{
    "dev tun3\nsecret static.key\n",
    "dev tun3\ncipher none\nauth none\nproto udp4\nremote 10.0.0.1\n",
    "dev tun3\nsecret static.key\ntopology subnet\nifconfig 10.8.0.1 255.255.255.0\n",
    "dev null\nsecret static.key\nlocal fd00::5\nproto udp6\n",
    "dev tun3\nclient\nremote 10.0.0.1\nca ca.crt\ncert c.crt\nkey c.key\n",
};

// First words that change what the rest of a line means, by directive.
const std::vector<std::vector<std::string>> kFronts{{"dns", "server", "0", "address"},
                                                    {"dns", "server", "0", "dnssec"},
                                                    {"dns", "server", "0", "transport"},
                                                    {"dns", "server", "0", "sni"},
                                                    {"dns", "server", "0", "resolve-domains"},
                                                    {"dns", "server", "0"},
                                                    {"dns", "server"},
                                                    {"dns", "search-domains"},
                                                    {"dhcp-option", "DNS"},
                                                    {"dhcp-option", "DOMAIN"},
                                                    {"redirect-gateway", "def1"},
                                                    {"redirect-private", "def1"},
                                                    {"pull-filter", "ignore"},
                                                    {"reneg-sec", "60"},
                                                    {"static-challenge", "Code"},
                                                    {"static-challenge", "Code", "1"},
                                                    {"tls-version-min", "1.2"},
                                                    {"verify-x509-name", "server"}};

bool let_pass(const ovpn::Profile& profile) {
  return ovpn::check_directives(profile).problems.empty() && ovpn::native_gaps(profile).empty() &&
         ovpn::config_errors(profile).empty();
}

std::size_t passed = 0;

void expect_agreement(const std::string& text) {
  const auto lexed = ovpn::lex_config("t.conf", text);
  if (!lexed.problems.empty() || !let_pass(lexed.profile)) return;
  ++passed;
  const auto config = config::make_tunnel_config(ovpn::effective_profile(lexed.profile));
  if (config) return;
  ADD_FAILURE() << "the checks pass it, the engine says " << to_string(config.error().front())
                << "\n"
                << text;
}

std::string line_of(std::string_view name, const std::vector<std::string>& words) {
  return ovpn::format_directive({std::string(name), words, std::nullopt, {}});
}

// The word at `place` varies over all values while those before it stay.
void vary(const std::string& base, const ovpn::DirectiveRow& row,
          const std::vector<std::string>& front) {
  for (const std::string& value : kValues) {
    auto words = front;
    words.push_back(value);
    expect_agreement(base + line_of(row.name, words));
    if (&base != &kBases.front() || front.size() > 1) continue;
    std::vector<std::string> wrapped{"opt", std::string(row.name)};
    wrapped.insert(wrapped.end(), words.begin(), words.end());
    expect_agreement(base + line_of("setenv", wrapped));
    if (row.name != "remote" && row.name != "proto" && row.name != "rport") continue;
    expect_agreement(base + "<connection>\nremote a.example\n" + line_of(row.name, words) +
                     "</connection>\n");
  }
}

TEST(Agreement, WhatTheChecksLetPassTheEngineReads) {
  passed = 0;
  for (const ovpn::DirectiveRow& row : ovpn::directive_table()) {
    if (row.native != ovpn::NativeUse::kHonoured && row.native != ovpn::NativeUse::kTls) continue;
    for (const std::string& base : kBases) {
      expect_agreement(base + line_of(row.name, {}));
      vary(base, row, {});
      for (const auto& front : kFronts) {
        if (front[0] == row.name) vary(base, row, {front.begin() + 1, front.end()});
      }
      if (row.args_max < 2) continue;
      for (const char* first : {"10", "10.8.0.1", "fd00::/64", "fd00::1/64", "a.example"}) {
        vary(base, row, {first});
        if (row.args_max < 3) continue;
        for (const char* second : {"1194", "255.255.255.0", "default"}) {
          vary(base, row, {first, second});
          if (row.args_max > 3) vary(base, row, {first, second, "default"});
        }
      }
    }
  }
  EXPECT_GT(passed, 1000u);
}

// What an admin wrote is answered at `check`, at the admin's own line.
TEST(Agreement, TheChecksNameWhatTheEngineWouldRefuse) {
  const std::vector<std::pair<const char*, const char*>> rows{
      {"lport 99999", "lport: '99999' is no port; write a number from 1 to 65535"},
      {"remote 198.51.100.7 99999", "remote: '99999' is no port"},
      {"route 192.168.77.0 255.255.0.255", "route: '255.255.0.255' is no netmask"},
      {"mark 0xzz", "'mark' cannot be '0xzz'"},
      {"dev averyveryverylongname\ndev-type tun", "is no interface name"},
      {"proto udp4\nbind ipv6only", "'bind ipv6only' and 'proto udp4' exclude each other"},
      {"dev tun:1", "'tun:1' is no interface name"},
      {"ifconfig 10.8.0.1 255.255.255.0", "'255.255.255.0' is a netmask"},
      {"proto udp6\nremote 10.0.0.1", "not an address of the family that 'proto udp6' asks for"},
      {"local fd00::1\nremote 10.0.0.1", "not an address of the family of 'local'"},
      {"setenv opt lport 99999", "lport: '99999' is no port"},
      {"mssfix 1400 often", "'mssfix' cannot be 'often'"},
      {"secret \"\"", "'secret' names no file"},
      {"secret [inline]", "without a <secret> block"},
      {"redirect-gateway def1 bogus", "redirect-gateway: 'bogus' is no flag of it; write some of:"},
      {"dns server 0 dnssec perhaps", "dns: 'perhaps' is none of yes no optional"},
      {"dns resolver 10.8.0.1", "dns: 'resolver' is nothing it knows"},
      {"remote h 1194 udp5", "the protocol of 'remote' cannot be 'udp5'"},
  };
  for (const auto& [line, message] : rows) {
    const std::string text = "dev tun3\nsecret static.key\n" + std::string(line) + "\n";
    const auto errors = ovpn::config_errors(ovpn::lex_config("t.conf", text).profile);
    ASSERT_FALSE(errors.empty()) << line;
    EXPECT_THAT(to_string(errors.front()), HasSubstr(message)) << line;
    EXPECT_GE(errors.front().place.line, 3u) << line;
  }
}

}  // namespace
