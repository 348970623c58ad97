// SPDX-License-Identifier: Apache-2.0
#include "supervisor/site/site_check.h"

#include <gtest/gtest.h>

#include <string>

namespace site {
namespace {

// A sound site, and each row changes or adds one line of it.
std::string toml_with(const std::string& line) {
  std::string toml = line + "\n";
  const auto add = [&](const std::string& key, const std::string& value) {
    if (line.find(key + " =") == std::string::npos) toml.insert(0, key + " = " + value + "\n");
  };
  if (line.find("mode = \"none\"") == std::string::npos) add("secret", "\"k\"");
  add("remote", "\"10.0.0.1\"");
  add("ifconfig", "[\"10.8.0.1\", \"10.8.0.2\"]");
  add("keepalive", "[10, 60]");
  return toml;
}

CheckResult check(const std::string& toml, int cpus = 4) {
  const auto reading = read_site("site-a", "f", toml);
  if (!reading.site) {
    ADD_FAILURE() << toml << base::to_string(reading.problems.front());
    return {};
  }
  return check_site(*reading.site, cpus);
}

std::string message(const base::Problems& problems) {
  std::string text;
  for (const auto& problem : problems) {
    text += (text.empty() ? "" : " | ") + problem.message + "; " + problem.remedy;
  }
  return text;
}

TEST(SiteCheck, FindsNothingWrongWithASoundSite) {
  const auto result = check(toml_with("port = 2011"));
  EXPECT_EQ(message(result.problems), "");
  EXPECT_EQ(message(result.warnings), "");
}

struct Row {
  const char* line;
  const char* problem;  // begins with
};

// As both engines refuse it.
TEST(SiteCheck, NamesAddressesThatAreInsideAndOutside) {
  const Row rows[] = {
      {"ifconfig = [\"10.9.0.1\", \"10.0.0.1\"]",
       "remote 10.0.0.1 is an address inside of this tunnel too (ifconfig); give the tunnel"},
      {"ifconfig = [\"10.0.0.1\", \"10.9.0.1\"]", "remote 10.0.0.1 is an address inside of"},
      {"local = \"10.8.0.1\"", "local 10.8.0.1 is an address inside of this tunnel too (ifconfig)"},
      {"ifconfig-ipv6 = [\"fd00::1/64\", \"fd00::2\"]\nremote = \"[fd00::2]:2011\"",
       "remote fd00::2 is an address inside of this tunnel too (ifconfig-ipv6)"},
  };
  for (const Row& row : rows) {
    const auto result = check(toml_with(row.line));
    EXPECT_EQ(message(result.problems).rfind(row.problem, 0), 0u)
        << row.line << "\n gives " << message(result.problems);
  }
}

TEST(SiteCheck, NamesWhatCannotRun) {
  const Row rows[] = {
      {"dev = \"a-name-of-sixteen\"", "interface name 'a-name-of-sixteen' is longer than 15"},
      {"dev = \"a b\"", "'a b' is no name for an interface; use letters, digits"},
      {"dev = \"a/b\"", "'a/b' is no name for an interface"},
      {"dev = \"tap0\"", "'tap0' would be a tap interface; a described site is a tun"},
      {"dev = \"tun\"", "\"tun\" would leave the number to the kernel; name one"},
      {"remote = \"10.0.0.1:99999\"", "'10.0.0.1:99999' is no host with an optional port"},
      {"remote = \"10.0.0\"", "'10.0.0' is no host with an optional port"},
      {"remote = \"fd00::1\"\nproto = \"udp4\"", "'fd00::1' is an IPv6 address, but proto is udp4"},
      {"proto = \"udp6\"", "'10.0.0.1' is an IPv4 address, but proto is udp6"},
      {"local = \"fd00::1\"\nproto = \"udp4\"", "'fd00::1' is of the other family than proto udp4"},
      {"local = \"fd00::1\"", "'fd00::1' is of the other family than every remote; write an"},
      {"dev = \"all\"", "'all' has a meaning of its own as an interface; choose another name"},
      {"dev = \"null\"", "'null' has a meaning of its own as an interface"},
      {"dev = \"a%d\"", "'a%d' is no name for an interface"},
      {"local = \"10.0.0\"", "'10.0.0' is no address; write one of this machine's"},
      {"port = 1\nlport = 2", "'port' sets both ports, and 'lport' or 'rport' sets one again"},
      {"nobind = true\nlport = 2", "'nobind' contradicts 'lport' and 'local'"},
      {"nobind = true\nremote = []", "a tunnel that neither binds a port nor has a remote"},
      {"ifconfig = [\"10.8.0.1\"]", "'ifconfig' takes two addresses: this end's and the far"},
      {"ifconfig = [\"10.8.0.1\", \"10.8.0\"]", "'10.8.0' is no address"},
      {"ifconfig = [\"fd00::1\", \"10.8.0.1\"]", "'fd00::1' is an IPv6 address; IPv6 goes into"},
      {"ifconfig = [\"10.8.0.1\", \"10.8.0.1\"]", "both ends have the address 10.8.0.1"},
      {"ifconfig = [\"10.8.0.1\", \"255.255.255.0\"]", "'255.255.255.0' looks like a netmask"},
      {"ifconfig-ipv6 = [\"fd00::1\"]", "'ifconfig-ipv6' takes this end's address with its"},
      {"ifconfig-ipv6 = [\"fd00::1\", \"fd00::2\"]", "'fd00::1' is no IPv6 address with a length"},
      {"ifconfig-ipv6 = [\"fd00::1/64\", \"10.0.0.1\"]", "'10.0.0.1' is no IPv6 address"},
      {"ifconfig-ipv6 = [\"fd00::1/64\", \"fd00::1\"]", "both ends have the address fd00::1"},
      {"route = [\"192.168.40.1/24\"]",
       "'192.168.40.1/24' has bits set behind its length; write \"192.168.40.0/24\""},
      {"route = [\"fd00::/64\"]", "'fd00::/64' is no route"},
      {"route = [\"10.1.0.0/16 nowhere\"]", "'10.1.0.0/16 nowhere' is no route"},
      {"route-ipv6 = [\"10.1.0.0/16\"]", "'10.1.0.0/16' is no route; write \"fd00:40::/64\""},
      {"cipher = \"AES-256-CBX\"", "no cipher is called 'AES-256-CBX'; did you mean AES-256-CBC?"},
      {"cipher = \"AES-256-GCM\"", "AES-256-GCM does not work with a static key; static keys take"},
      {"auth = \"SHA265\"", "no digest is called 'SHA265'; did you mean SHA"},
      {"secret = \"credential:../k\"", "'../k' is no name for a credential; write \"credential:"},
      {"secret = \"credential:\"", "'' is no name for a credential"},
      {"[credentials]\naskpass = \"x\"", "a described tunnel asks nobody for this"},
      {"secret = \"\"", "mode static-key needs a key; write secret = \"site-a.key\" (`tunctl key"},
      {"mode = \"none\"\ncipher = \"AES-256-CBC\"", "'cipher' has no meaning in mode none"},
      {"mode = \"none\"\nremote = []", "mode none without a remote takes packets from anyone"},
      {"cipher = \"none\"\nauth = \"none\"\nremote = []",
       "cipher none and auth none without a remote takes packets from anyone, in clear text"},
      {"mssfix = \"big\"", "'big' is no size; write a number of bytes"},
      {"compress = \"stub\"\ncomp-lzo = \"no\"", "'compress' and 'comp-lzo' are two framings"},
      {"keepalive = [10]", "'keepalive' takes an interval and a limit of at least twice as much"},
      {"keepalive = [10, 15]", "'keepalive' takes an interval and a limit of at least twice"},
      {"[run]\ncpus = \"9-12\"", "no CPU of '9-12' exists; this machine has CPUs 0-3"},
      {"[run]\ncpus = \"a\"", "'a' is no CPU list; write for example \"2-5\" or \"0,3-\", or"},
      {"[run]\nwatchdog = 1", "a watchdog under 3 seconds would kill a busy but sound tunnel"},
      {"[dns]\nuse = \"push\"", "'push' is no address of a name server; write \"pushed\", \"off\""},
      {"[dns]\nuse = [\"off\", \"10.8.0.1\"]", "'off' is no address of a name server"},
      {"[dns]\nuse = []", "'dns.use' is an empty list; write \"off\""},
      {"[far-end]\nremote = [\"a b\"]", "'a b' is no host with an optional port"},
      {"[far-end]\nroute = [\"x\"]", "'x' is no route"},
      {"[far-end]\ndev = \"a b\"", "'a b' is no name for an interface"},
  };
  for (const Row& row : rows) {
    const auto result = check(toml_with(row.line));
    EXPECT_EQ(message(result.problems).rfind(row.problem, 0), 0u)
        << row.line << "\n gives " << message(result.problems);
  }
}

TEST(SiteCheck, WarnsOfWhatRunsButShouldNot) {
  const Row rows[] = {
      {"cipher = \"none\"", "cipher none: everyone on the way can read"},
      {"cipher = \"BF-CBC\"", "BF-CBC has a 64-bit block and leaks long transfers; write"},
      {"auth = \"none\"", "auth none: anyone can put packets into this tunnel"},
      {"mode = \"none\"", "mode none: everyone on the way can read and change"},
      {"keepalive = []", "no 'keepalive': nobody notices when the far end is gone"},
      {"ifconfig = []", "no 'ifconfig': the interface gets no address"},
      {"[run]\ncpus = \"3-5\"", "some CPUs of '3-5' do not exist; this machine has CPUs 0-3"},
      {"[run]\nready-timeout = 5", "'run.ready-timeout' counts only with ready = \"connected\""},
  };
  for (const Row& row : rows) {
    const auto result = check(toml_with(row.line));
    EXPECT_EQ(message(result.problems), "") << row.line;
    EXPECT_EQ(message(result.warnings).rfind(row.problem, 0), 0u)
        << row.line << "\n gives " << message(result.warnings);
  }
}

constexpr const char* kFingerprint =
    "8D:05:F6:0A:5E:12:80:9C:45:1B:2F:63:7A:D0:99:3E:51:C8:E4:07:B3:6F:2D:18:AA:4C:70:95:0E:DB:36:"
    "F1";

std::string by_authority(const std::string& line) {
  std::string toml =
      "mode = \"pki\"\nremote = \"10.0.0.1\"\nifconfig = [\"10.8.0.1\", \"10.8.0.2\"]\n"
      "keepalive = [10, 60]\n";
  for (const char* key : {"ca", "cert", "key"}) {
    if (!line.starts_with(std::string(key) + " "))
      toml += std::string(key) + " = \"" + key + "\"\n";
  }
  return toml + line + "\n";
}

TEST(SiteCheck, OfModePki) {
  const struct {
    const char* line;
    const char* problem;  // begins with; empty: none
  } rows[] = {
      {"", ""},
      {"role = \"server\"\nremote-cert-tls = \"client\"", ""},
      {"verify-x509-name = [\"gw-b\", \"name\"]\ntls-crypt = \"tc.key\"", ""},
      {"tls-auth = \"ta.key\"\nkey-direction = 1", ""},
      {"[credentials]\naskpass = \"p\"", ""},
      {"[credentials]\nauth-user-pass = \"p\"", "a described tunnel asks nobody"},
      {"ca = \"\"", "mode pki needs a 'ca'; write ca = \"ca.crt\", cert ="},
      {"cert = \"\"", "mode pki needs a 'cert'"},
      {"key = \"credential:k\"", "keys out of systemd's credentials are not read"},
      {"tls-crypt = \"credential:k\"", "keys out of systemd's credentials are not read"},
      {"tls-auth = \"a\"\ntls-crypt = \"b\"", "'tls-auth' and 'tls-crypt' are two wraps"},
      {"key-direction = 1", "'key-direction' is about tls-auth, and there is none"},
      {"verify-x509-name = [\"a\", \"b\"]", "'verify-x509-name' takes a name and how"},
      {"verify-x509-name = []", "'verify-x509-name' takes a name and how"},
      {"cipher = \"AES-256-CBC\"", "'cipher' has no meaning in mode pki; write data-ciphers"},
      {"peer-fingerprint = \"x\"",
       "'peer-fingerprint' has no meaning in mode pki; take it out, or write mode = \"finger"},
      {"secret = \"x\"", "'secret' has no meaning in mode pki"},
      {"data-ciphers = \"BF-CBC\"", "'BF-CBC' is not among the ciphers of mode pki"},
  };
  for (const auto& row : rows) {
    const auto result = check(by_authority(row.line));
    const std::string text = message(result.problems);
    EXPECT_TRUE(*row.problem ? text.starts_with(row.problem) : text.empty()) << row.line << text;
  }
  EXPECT_EQ(message(check(by_authority("remote-cert-tls = \"off\"")).warnings),
            "any certificate of this authority passes for the far end's; write verify-x509-name = "
            "[\"NAME\", \"name\"], or take remote-cert-tls out");
}

std::string by_fingerprint(const std::string& line) {
  std::string toml =
      "mode = \"fingerprint\"\nremote = \"10.0.0.1\"\nifconfig = [\"10.8.0.1\", \"10.8.0.2\"]\n"
      "keepalive = [10, 60]\n";
  for (const char* key : {"cert", "key", "peer-fingerprint"}) {
    if (line.find(key + std::string(" =")) != std::string::npos) continue;
    toml += std::string(key) + " = \"" +
            (key == std::string("peer-fingerprint") ? kFingerprint : key) + "\"\n";
  }
  return toml + line + "\n";
}

TEST(SiteCheck, OfModeFingerprintNamesWhatCannotRun) {
  const std::string fingerprint = kFingerprint;
  const auto peer = [](const std::string& text) { return "peer-fingerprint = \"" + text + "\""; };
  const struct {
    std::string line, problem;
  } rows[] = {
      {"", ""},
      {"role = \"server\"", ""},
      {"data-ciphers = [\"aes-128-gcm\", \"CHACHA20-POLY1305\"]", ""},
      {peer("sha256 Fingerprint=" + fingerprint), ""},
      {"peer-fingerprint = []", ""},
      {peer(fingerprint.substr(3)), "'" + fingerprint.substr(3) + "' is no fingerprint: it has 62"},
      {peer("G" + fingerprint.substr(1)),
       "'G" + fingerprint.substr(1) + "' is no fingerprint: it holds more than hex digits"},
      {peer(fingerprint.substr(0, 59)),
       "'" + fingerprint.substr(0, 59) + "' is no fingerprint: it is one of SHA-1, not of"},
      {peer("D" + fingerprint.substr(2)),
       "'D" + fingerprint.substr(2) + "' is no fingerprint: its digits do not stand in pairs"},
      {"cert = \"\"", "mode fingerprint needs a 'cert'; write cert = \"tls.crt\" and key"},
      {"key = \"\"", "mode fingerprint needs a 'key'"},
      {"key = \"credential:x\"", "keys out of systemd's credentials are not read"},
      {"data-ciphers = \"AES-256-CBC\"", "'AES-256-CBC' is not among the ciphers of mode fing"},
      {"data-ciphers = \"AES-256-GMC\"",
       "no cipher is called 'AES-256-GMC'; did you mean AES-256-GCM?"},
      {"cipher = \"AES-256-GCM\"",
       "'cipher' has no meaning in mode fingerprint; write data-ciphers"},
      {"secret = \"k\"",
       "'secret' has no meaning in mode fingerprint; take it out, or write mode = \"static-key\""},
  };
  for (const auto& row : rows) {
    const auto result = check(by_fingerprint(row.line));
    const std::string found = message(result.problems);
    EXPECT_EQ(found.substr(0, row.problem.empty() ? std::string::npos : row.problem.size()),
              row.problem)
        << row.line;
    EXPECT_EQ(message(result.warnings), "") << row.line;
  }
  EXPECT_EQ(message(check(toml_with("role = \"server\"")).problems),
            "'role' has no meaning in mode static-key; take it out, or write mode = "
            "\"fingerprint\"");
}

TEST(SiteCheck, WhoWaitsIsTheServerOfTls) {
  const auto server = [](const std::string& lines) {
    return is_tls_server(*read_site("a", "f", "mode = \"fingerprint\"\n" + lines).site->described);
  };
  EXPECT_TRUE(server(""));
  EXPECT_FALSE(server("remote = \"a\"\n"));
  EXPECT_TRUE(server("remote = \"a\"\nrole = \"server\"\n"));
  EXPECT_FALSE(server("role = \"client\"\n"));
}

TEST(SiteCheck, PointsAtTheKey) {
  const auto result = check("secret = \"k\"\nport = 1\nlport = 2\n");
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_EQ(base::to_string(result.problems[0].place), "f:2:1");
}

TEST(SiteCheck, AcknowledgedCleartextMayListen) {
  for (const char* lines :
       {"mode = \"none\"\n", "secret = \"k\"\ncipher = \"none\"\nauth = \"none\"\n"}) {
    EXPECT_NE(message(check(lines).problems), "") << lines;
    const auto result = check(std::string("acknowledge-cleartext = true\n") + lines);
    EXPECT_EQ(message(result.problems), "") << lines;
  }
}

TEST(SiteCheck, AConfigMustBeNamed) {
  const auto result = check("config = \"\"\n");
  EXPECT_EQ(message(result.problems),
            "'config' names no file; write config = \"/etc/tunctl/ovpn/site-a.conf\"");
}

TEST(SiteCheck, OptionsAreLinesOfAKeptConfig) {
  const auto found = [](const std::string& lines) { return message(check(lines).problems); };
  EXPECT_EQ(found("config = \"f\"\noptions = [\"nobind\", \"route 10.0.0.0 255.0.0.0\"]\n"), "");
  for (const char* text : {"<ca>", "config g", "# nothing", "up \\\"x"}) {
    const std::string problem = found("config = \"f\"\noptions = \"" + std::string(text) + "\"\n");
    EXPECT_NE(problem.find("is no line of an OpenVPN config"), std::string::npos) << problem;
  }
  EXPECT_EQ(found(toml_with("options = \"nobind\"\n[run]\nscripts = \"off\"")),
            "'options' is about a config that is kept; take it out | "
            "'run.scripts' is about a config that is kept; take it out");
}

TEST(SiteCheck, CpusMayBeAWord) {
  for (const char* word : {"auto", "big", "little", "not-irq", "all", "0-1"}) {
    const auto result = check(toml_with("[run]\ncpus = \"" + std::string(word) + "\""));
    EXPECT_EQ(message(result.problems), "") << word;
  }
  const auto result = check(toml_with("[run]\ncpus = \"atuo\""));
  EXPECT_EQ(message(result.problems),
            "'atuo' is no CPU list; write for example \"2-5\" or \"0,3-\", or \"auto\", \"big\", "
            "\"little\", \"not-irq\", \"all\"");
}

TEST(SiteCheck, OneCpuIsNotCalledARange) {
  const auto result = check(toml_with("[run]\ncpus = \"1\""), 1);
  EXPECT_EQ(message(result.problems), "no CPU of '1' exists; this machine has only CPU 0");
}

}  // namespace
}  // namespace site
