// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "supervisor/site/site_check.h"

namespace site {
namespace {

using testing::StartsWith;

constexpr const char* kFingerprint =
    "8D:05:F6:0A:5E:12:80:9C:45:1B:2F:63:7A:D0:99:3E:51:C8:E4:07:B3:6F:2D:18:AA:4C:70:95:0E:DB:36:"
    "F1";

// A sound client with `line` in place of, or beside, what it says.
std::string client(const std::string& line) {
  std::string toml = "type = \"client\"\n";
  for (const char* said :
       {"remote = \"vpn.example\"", "ca = \"ca.crt\"", "cert = \"tls.crt\"", "key = \"tls.key\""}) {
    const std::string text(said);
    const std::string key = text.substr(0, text.find(' ') + 1);
    if (line.find(key + "=") == std::string::npos) toml += text + "\n";
  }
  return toml + line + "\n";
}

std::string first_problem(const std::string& toml) {
  const auto reading = read_site("office", "office.toml", toml);
  if (!reading.site) return base::to_string(reading.problems.front());
  const auto problems = check_site(*reading.site, 4).problems;
  if (problems.empty()) return "";
  return problems.front().message + "; " + problems.front().remedy;
}

TEST(ClientCheck, TakesWhatServersWant) {
  for (const std::string& line :
       {std::string(), std::string("auth-user-pass = true"),
        std::string("cert = \"\"\nkey = \"\"\nauth-user-pass = true"),
        std::string("proto = \"tcp\""),
        std::string("remote = [\"a:443 tcp\", \"b\", \"10.0.0.1 udp4\"]"),
        std::string("tls-auth = \"ta.key\"\nkey-direction = 1\nauth = \"SHA512\""),
        std::string("tls-crypt-v2 = \"tc2.key\""), std::string("data-ciphers = [\"AES-256-CBC\"]"),
        std::string("redirect-gateway = [\"def1\", \"ipv6\"]"), std::string("route-nopull = true"),
        std::string("pull-filter = [\"ignore dhcp-option DNS\", \"accept route\"]"),
        std::string("[credentials]\naskpass = \"pass\""),
        std::string("auth-user-pass = true\n[credentials]\nauth-user-pass = \"credential:vpn\"")}) {
    EXPECT_EQ(first_problem(client(line)), "") << line;
  }
  EXPECT_EQ(
      first_problem("type = \"client\"\nremote = \"a\"\nauth-user-pass = true\ntls-crypt = \"t\"\n"
                    "peer-fingerprint = \"" +
                    std::string(kFingerprint) + "\"\n"),
      "");
}

TEST(ClientCheck, NamesWhatCannotRun) {
  const struct {
    const char* line;
    const char* problem;  // begins with
  } rows[] = {
      {"remote = []", "a client needs a server to call; write remote = [\"office.example\"]"},
      {"ca = \"\"", "a client needs to know who signed its server's certificate; write ca ="},
      {"cert = \"\"", "'cert' and 'key' go together; write cert = \"tls.crt\" and key ="},
      {"cert = \"\"\nkey = \"\"", "nothing says to the server who this client is; write cert ="},
      {"role = \"client\"", "'role' is what the server says to its clients; take it out, or write"},
      {"ifconfig = [\"10.8.0.1\", \"10.8.0.2\"]", "'ifconfig' is what the server says to its"},
      {"mode = \"static-key\"", "a server and its clients speak TLS: a client has mode pki or"},
      {"mode = \"none\"", "a server and its clients speak TLS"},
      {"secret = \"x\"", "'secret' has no meaning in mode pki; take it out"},
      {"cipher = \"AES-256-CBC\"", "'cipher' has no meaning in mode pki; write data-ciphers"},
      {"auth = \"SHA513\"", "no digest is called 'SHA513'; did you mean SHA512?"},
      {"tls-crypt = \"a\"\ntls-crypt-v2 = \"b\"", "'tls-crypt' and 'tls-crypt-v2' are two wraps"},
      {"tls-crypt-v2 = \"credential:k\"", "keys out of systemd's credentials are not read"},
      {"key-direction = 1", "'key-direction' is about tls-auth, and there is none"},
      {"data-ciphers = [\"none\"]", "'none' is not among the ciphers of mode pki"},
      {"pull-filter = [\"ignore\"]", "'ignore' does not say what becomes of which options; write"},
      {"pull-filter = [\"drop route\"]", "'drop route' does not say what becomes of which"},
      {"redirect-gateway = []", "'redirect-gateway' is an empty list; write redirect-gateway ="},
      {"remote = [\"a:443 tcp-client\"]",
       "'a:443 tcp-client' is no host with an optional port; write"},
      {"remote = [\"10.0.0.1 tcp6\"]",
       "'10.0.0.1 tcp6' is an IPv4 address, but proto is tcp6; write"},
      {"proto = \"tcp4\"\nremote = [\"fd00::1\"]",
       "'fd00::1' is an IPv6 address, but proto is tcp4"},
      {"proto = \"tcp6\"\nlocal = \"10.0.0.2\"",
       "'10.0.0.2' is of the other family than proto tcp6"},
      {"[far-end]\nremote = [\"gw\"]", "the far end of a client is a server, whose config nobody"},
      {"[credentials]\nauth-user-pass = \"p\"", "this client asks nobody for a user name and a"},
      {"[credentials]\nsocks-proxy = \"p\"",
       "a described tunnel asks nobody for this; take it out"},
  };
  for (const auto& row : rows) {
    EXPECT_THAT(first_problem(client(row.line)), StartsWith(row.problem)) << row.line;
  }
}

TEST(ClientCheck, KeepsItsKeysToItself) {
  const std::string p2p =
      "mode = \"pki\"\nremote = \"10.0.0.1\"\nifconfig = [\"10.8.0.1\", \"10.8.0.2\"]\n"
      "ca = \"a\"\ncert = \"b\"\nkey = \"c\"\nkeepalive = [10, 60]\n";
  const struct {
    const char* line;
    const char* problem;  // begins with
  } rows[] = {
      {"auth-user-pass = true", "'auth-user-pass' is of a client, which joins a server; take it"},
      {"tls-crypt-v2 = \"x\"", "'tls-crypt-v2' is of a client"},
      {"redirect-gateway = [\"def1\"]", "'redirect-gateway' is of a client"},
      {"route-nopull = true", "'route-nopull' is of a client"},
      {"pull-filter = [\"ignore route\"]", "'pull-filter' is of a client"},
      {"proto = \"tcp\"", "a tunnel of type p2p goes over UDP; write proto = \"udp\""},
      {"auth = \"SHA256\"", "'auth' has no meaning in mode pki"},
      {"data-ciphers = [\"AES-256-CBC\"]", "'AES-256-CBC' is not among the ciphers of mode pki"},
      {"[far-end]\nremote = [\"gw:443 tcp\"]", "'gw:443 tcp' names a protocol, as a client's"},
  };
  for (const auto& row : rows) {
    EXPECT_THAT(first_problem(p2p + row.line + "\n"), StartsWith(row.problem)) << row.line;
  }
}

TEST(ClientCheck, ModeFollowsFromWhatTheServerIsKnownBy) {
  const auto mode = [](const std::string& line) {
    const auto reading = read_site("a", "a.toml", "type = \"client\"\n" + line + "\n");
    return reading.site ? std::optional(reading.site->described->mode) : std::nullopt;
  };
  EXPECT_EQ(mode("ca = \"x\""), Mode::kPki);
  EXPECT_EQ(mode(""), Mode::kPki);
  EXPECT_EQ(mode("peer-fingerprint = []"), Mode::kFingerprint);
  EXPECT_EQ(mode("ca = \"x\"\npeer-fingerprint = []"), Mode::kPki);
  EXPECT_EQ(mode("mode = \"fingerprint\"\nca = \"x\""), Mode::kFingerprint);
}

TEST(ClientCheck, WarnsOfAServerThatAnybodyMayBe) {
  const auto reading = read_site("a", "a.toml", client("remote-cert-tls = \"off\""));
  ASSERT_TRUE(reading.site);
  const auto warnings = check_site(*reading.site, 4).warnings;
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0].message, StartsWith("any certificate of this authority passes"));
}

}  // namespace
}  // namespace site
