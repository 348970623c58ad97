// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>

#include "ovpn/static_key.h"
#include "tests/supervisor/cli/bench.h"
#include "tests/support/test_pki.h"

namespace cli {
namespace {

constexpr const char* kConfig =
    "dev tun3\r\n# a comment\nifconfig 10.8.0.1 10.8.0.2\nsecret static.key\nport 2011\nproto "
    "udp\n";
constexpr const char* kClear = "dev tun\ncipher none\nauth none\n";

std::string key_text() { return ovpn::format_static_key(ovpn::generate_static_key()); }

TEST(Import, KeepsTheConfigByteForByteAndCopiesItsKey) {
  Bench bench;
  const std::string key = key_text();
  bench.files.put("/srv/admin/server.conf", kConfig);
  bench.files.put("/srv/admin/static.key", key, 0600);
  EXPECT_EQ(bench.run({"import", "server.conf"}), kOk) << bench.err;
  EXPECT_EQ(bench.out,
            "server: imported; runs on the native fast path\nnext: tunctl enable --now server\n");
  EXPECT_NE(bench.err.find("server.conf:4:1: warning: no cipher line: the default is BF-CBC"),
            std::string::npos)
      << bench.err;
  EXPECT_EQ(bench.files.text("/etc/tunctl/ovpn/server.conf"), kConfig);
  EXPECT_EQ(bench.files.mode("/etc/tunctl/ovpn/server.conf"), 0600u);
  EXPECT_EQ(bench.files.text("/etc/tunctl/keys/server/static.key"), key);
  EXPECT_EQ(bench.files.mode("/etc/tunctl/keys/server/static.key"), 0600u);
  EXPECT_EQ(bench.files.mode("/etc/tunctl/keys/server"), 0700u);
  EXPECT_EQ(bench.run({"check", "server"}), kOk) << bench.err;
}

TEST(Import, AKeyThatMayNotBeReadIsAMatterOfRights) {
  Bench bench;
  bench.files.put("/srv/admin/server.conf", kConfig);
  bench.files.put("/srv/admin/static.key", key_text(), 0600);
  bench.files.forbidden.insert("/srv/admin/static.key");
  EXPECT_EQ(bench.run({"import", "server.conf"}), kNotPermitted);
  EXPECT_NE(bench.err.find("run this as root"), std::string::npos) << bench.err;
}

// Once each of these took minutes: a search for each wrong line, or for each line of an edit. The
// processor's time is counted, which a busy machine does not stretch.
TEST(Import, AFileOfManyLinesIsNoMoreThanItsLines) {
  for (const char* line : {"0123456789abcdef\n", "remote-xyz\n", "ca x\n", "secret x\n"}) {
    Bench bench;
    std::string text = "dev tun3\ncipher none\nauth none\n";
    while (text.size() < 300'000) text += line;
    bench.files.put("/srv/admin/static.key", text);
    const std::clock_t begin = std::clock();
    bench.run({"import", "static.key"});
    EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, 60) << line;
    EXPECT_LT(bench.err.size(), 10'000u) << line;
  }
}

TEST(Import, DerivesAShortFreeName) {
  const struct {
    const char* file;
    const char* name;
  } rows[] = {{"Home Office (2).ovpn", "home-office-2"},
              {"a-very-long-provider-name.ovpn", "a-very-long-pro"},
              {"___.conf", "site"},
              {"server.conf", "server-2"}};
  Bench bench;
  bench.files.put("/etc/tunctl/sites/server.toml", "port = 1\n");
  for (const auto& row : rows) {
    bench.files.put(std::string("/srv/admin/") + row.file, kClear + ("# " + std::string(row.file)));
    EXPECT_EQ(bench.run({"import", row.file}), kOk) << bench.err;
    EXPECT_NE(bench.files.text(std::string("/etc/tunctl/sites/") + row.name + ".toml"), "(absent)")
        << row.file << bench.out;
  }
}

TEST(Import, AConfigThatASiteHasAlreadyIsToldNotDoubled) {
  Bench bench;
  bench.files.put("/srv/admin/one.conf", kClear);
  bench.files.put("/srv/admin/two.conf", kClear);
  EXPECT_EQ(bench.run({"import", "one.conf"}), kOk) << bench.err;
  const int changes = bench.files.changes;
  EXPECT_EQ(bench.run({"import", "two.conf"}), kFailed);
  EXPECT_EQ(bench.err,
            "tunctl: site one has this config already; `tunctl remove one` it, or make another "
            "site of it with --as NAME\n");
  EXPECT_EQ(bench.files.changes, changes);
  EXPECT_EQ(bench.run({"import", "two.conf", "--as", "two"}), kOk) << bench.err;
}

// Once only the start said so.
TEST(Import, TellsThatTheStockOpenvpnItNeedsIsNotThere) {
  constexpr const char* kWords = "warning: this site needs stock OpenVPN, which is not installed (";
  constexpr const char* kRemedy = "); apt-get install openvpn\n";
  Bench bench;
  bench.files.put("/srv/admin/a.conf", "dev tap3\nremote h\ncipher none\nauth none\nmultihome\n");
  bench.services.units["tunctl@a.service"].loaded = true;
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"import", "a.conf"}, {"check", "a"}, {"enable", "a"}}) {
    EXPECT_EQ(bench.run(words), kOk) << bench.err;
    EXPECT_NE(bench.err.find(kWords), std::string::npos) << words[0] << bench.err << bench.out;
    EXPECT_NE(bench.err.find(kRemedy), std::string::npos) << words[0] << bench.err;
  }
  bench.files.put("/usr/sbin/openvpn", "", 0755);
  EXPECT_EQ(bench.run({"check", "a"}), kOk);
  EXPECT_EQ(bench.err.find("not installed"), std::string::npos) << bench.err;
}

// Its key is the far end's: a new one would fit nobody.
TEST(Import, OfAWrongKeySaysWhereTheRightOneComesFrom) {
  const std::string far = "; it has to be the same file as at the far end; copy it from there\n";
  Bench bench;
  bench.files.put("/srv/admin/a.conf", "dev tun3\nremote h\nsecret a.key\n");
  bench.files.put("/srv/admin/a.key", "rubbish\n", 0600);
  EXPECT_EQ(bench.run({"import", "a.conf"}), kInvalid);
  EXPECT_EQ(bench.err,
            "tunctl: /srv/admin/a.key:1: there is no line -----BEGIN OpenVPN Static key "
            "V1-----" +
                far);
  bench.files.put("/srv/admin/a.conf", "dev tun3\nremote h\n<secret>\nrubbish\n</secret>\n");
  EXPECT_EQ(bench.run({"import", "a.conf"}), kInvalid);
  EXPECT_NE(bench.err.find("a.conf:4: "), std::string::npos) << bench.err;
  EXPECT_NE(bench.err.find(far), std::string::npos) << bench.err;
}

TEST(Import, AcknowledgesAClearTextListenerAndSaysSo) {
  Bench bench;
  bench.files.put("/srv/admin/s.conf", "dev tun3\ncipher none\nauth none\nport 2011\n");
  EXPECT_EQ(bench.run({"import", "s.conf"}), kOk) << bench.err;
  EXPECT_NE(bench.files.text("/etc/tunctl/sites/s.toml").find("acknowledge-cleartext = true"),
            std::string::npos);
  EXPECT_NE(bench.err.find("clear text from whoever sends first"), std::string::npos) << bench.err;
}

// A key that neither cipher nor auth uses makes no difference; nor does who wrote the site file.
TEST(Import, AKeyThatIsNotUsedListensInClearTextToo) {
  Bench bench;
  const std::string config = "dev tun3\nport 2011\ncipher none\nauth none\n<secret>\n" +
                             ovpn::format_static_key(ovpn::generate_static_key()) + "</secret>\n";
  bench.files.put("/srv/admin/s.conf", config);
  EXPECT_EQ(bench.run({"import", "s.conf"}), kOk) << bench.err;
  EXPECT_NE(bench.files.text("/etc/tunctl/sites/s.toml").find("acknowledge-cleartext = true"),
            std::string::npos);
  EXPECT_EQ(bench.run({"check", "s"}), kOk) << bench.err;
  bench.files.put("/etc/tunctl/sites/s.toml", "config = \"s.conf\"\n");
  EXPECT_EQ(bench.run({"check", "s"}), kInvalid);
  EXPECT_NE(bench.err.find("without a remote this takes packets from anyone, in clear text"),
            std::string::npos)
      << bench.err;
  bench.files.put("/etc/tunctl/ovpn/s.conf", config + "remote 10.0.0.1\n");
  EXPECT_EQ(bench.run({"check", "s"}), kOk) << bench.err;
}

TEST(Import, TellsWhatRunsOnStockAndWhy) {
  Bench bench;
  bench.files.put("/srv/admin/nl.ovpn",
                  "client\ndev tap\nremote vpn.example 1194\nauth-user-pass\n<ca>\n" +
                      support::shared_pki().pki.ca() + "</ca>\n");
  EXPECT_EQ(bench.run({"import", "nl.ovpn"}), kOk) << bench.err;
  EXPECT_EQ(bench.out.rfind("nl: imported; runs on stock OpenVPN (nl.ovpn:2:1: ", 0), 0u)
      << bench.out;
}

TEST(Import, RefusesWhatIsNoConfigAndLeavesNothing) {
  const struct {
    const char* bytes;
    const char* complaint;
  } rows[] = {
      {"", "x.conf: there is no directive in it"},
      {"hello world\n", "x.conf:1:1: unknown directive 'hello'"},
      {"dev tun\nsecret k\n", "x.conf:2:1: cannot read /srv/admin/k: No such file"},
      {"dev tun\nsecret bad\n", "/srv/admin/bad"},
      {"dev tun\nconfig other\n", "x.conf:2:1: a site's config cannot include another file"},
      {"dev tun\ncipher none\nauth none\nup ./up.sh\nscript-security 2\n",
       "x.conf:4:1: up ./up.sh would not be found after the import; write its absolute path"},
  };
  for (const auto& row : rows) {
    Bench bench;
    bench.files.put("/srv/admin/x.conf", row.bytes);
    bench.files.put("/srv/admin/bad", "no key", 0600);
    EXPECT_EQ(bench.run({"import", "x.conf", "--allow-scripts"}), kInvalid) << row.bytes;
    EXPECT_NE(bench.err.find(row.complaint), std::string::npos) << bench.err;
    EXPECT_EQ(bench.files.changes, 0) << row.bytes;
  }
  Bench bench;
  bench.files.put("/srv/admin/x.conf", std::string("dev\0tun", 7));
  EXPECT_EQ(bench.run({"import", "x.conf"}), kInvalid);
  EXPECT_EQ(bench.err,
            "tunctl: x.conf:1: the text holds a NUL byte; give a plain text file in UTF-8\n");
}

TEST(Import, TakesOneInlineFileFromAPipe) {
  Bench near, far;
  ASSERT_EQ(near.make_site("site-a"), kOk) << near.err;
  ASSERT_EQ(near.run({"render", "site-a", "--far-end", "--stdout"}), kOk) << near.err;
  far.input = near.out;
  EXPECT_EQ(far.run({"import", "-", "--as", "site-a"}), kOk) << far.err;
  EXPECT_EQ(far.files.mode("/etc/tunctl/ovpn/site-a.conf"), 0600u);
  ASSERT_EQ(near.run({"key", "fingerprint", "site-a"}), kOk);
  const std::string fingerprint = near.out;
  ASSERT_EQ(far.run({"key", "fingerprint", "site-a"}), kOk) << far.err;
  EXPECT_EQ(far.out, fingerprint);
  EXPECT_EQ(far.out.rfind("site-a SHA256:", 0), 0u);
}

TEST(Import, WantsANameAndWholeKeysFromAPipe) {
  Bench bench;
  bench.input = kConfig;
  EXPECT_EQ(bench.run({"import", "-"}), kUsage);
  EXPECT_EQ(bench.run({"import", "-", "--as", "a"}), kInvalid);
  EXPECT_NE(bench.err.find("(standard input):4:1: the file static.key did not come along"),
            std::string::npos)
      << bench.err;
  EXPECT_EQ(bench.run({"import", "-", "--as", "a/b"}), kUsage);
  bench.input = "";
  EXPECT_EQ(bench.run({"import", "-", "--as", "a"}), kInvalid);
  EXPECT_NE(bench.err.find("did the command before the pipe fail?"), std::string::npos);
}

TEST(Import, OverwritesNothing) {
  Bench bench;
  bench.files.put("/srv/admin/a.conf", kClear);
  bench.files.put("/etc/tunctl/ovpn/a.conf", "somebody's\n");
  EXPECT_EQ(bench.run({"import", "a.conf"}), kFailed);
  EXPECT_EQ(bench.files.text("/etc/tunctl/ovpn/a.conf"), "somebody's\n");
  EXPECT_EQ(bench.run({"import", "a.conf", "--as", "b"}), kOk);
  EXPECT_EQ(bench.run({"import", "a.conf", "--as", "b"}), kFailed);
  EXPECT_NE(bench.err.find("there is a site b already"), std::string::npos);
}

TEST(Import, WarnsOfAKeyThatAllCanRead) {
  Bench bench;
  bench.files.put("/srv/admin/a.conf", kConfig);
  bench.files.put("/srv/admin/static.key", key_text(), 0644);
  EXPECT_EQ(bench.run({"import", "a.conf"}), kOk);
  EXPECT_NE(bench.err.find("warning: everyone on this machine can read this key"),
            std::string::npos);
  EXPECT_EQ(bench.files.mode("/etc/tunctl/keys/a/static.key"), 0600u);
}

TEST(Import, WarnsOfABlockOfAKeyThatAllCanRead) {
  Bench bench;
  const std::string config = "dev tun3\n<secret>\n" + key_text() + "</secret>\n";
  bench.files.put("/srv/admin/a.conf", config, 0644);
  EXPECT_EQ(bench.run({"import", "a.conf"}), kOk) << bench.err;
  EXPECT_NE(bench.err.find("/srv/admin/a.conf: warning: everyone on this machine can read"),
            std::string::npos)
      << bench.err;
  bench.files.put("/srv/admin/b.conf", "# another\n" + config, 0600);
  EXPECT_EQ(bench.run({"import", "b.conf"}), kOk) << bench.err;
  EXPECT_EQ(bench.err.find("can read"), std::string::npos) << bench.err;
}

TEST(Import, NamesEveryProgramThatTheConfigRuns) {
  Bench bench;
  bench.files.put("/srv/admin/a.conf", std::string(kClear) +
                                           "script-security 2\nup \"/bin/up one\"\n"
                                           "route-up /bin/r\nplugin /lib/p.so\n");
  EXPECT_EQ(bench.run({"import", "a.conf", "--allow-scripts"}), kOk) << bench.err;
  EXPECT_EQ(bench.files.text("/etc/tunctl/sites/a.toml").find("scripts"), std::string::npos);
  for (const char* line : {"a.conf:5:1: warning: the tunnel runs a program: up /bin/up one",
                           "a.conf:6:1: warning: the tunnel runs a program: route-up /bin/r",
                           "a.conf:7:1: warning: the tunnel runs a program: plugin /lib/p.so"}) {
    EXPECT_NE(bench.err.find(line), std::string::npos) << line << bench.err;
  }
}

TEST(Import, ScriptsAreListedAndOff) {
  Bench bench;
  bench.files.put("/srv/admin/a.conf", std::string(kClear) +
                                           "script-security 2\nup \"./up.sh one\"\n"
                                           "down /etc/openvpn/update-resolv-conf\n");
  EXPECT_EQ(bench.run({"import", "a.conf"}), kOk) << bench.err;
  EXPECT_NE(bench.err.find("a.conf:5:1: warning: up \"./up.sh one\": does not run; --allow-scripts "
                           "has it run, as the unit's user\n"),
            std::string::npos)
      << bench.err;
  EXPECT_NE(bench.err.find("down /etc/openvpn/update-resolv-conf: left out, name servers are"),
            std::string::npos)
      << bench.err;
  EXPECT_EQ(bench.err.find("runs a program"), std::string::npos) << bench.err;
  const std::string site = bench.files.text("/etc/tunctl/sites/a.toml");
  EXPECT_NE(site.find("\nscripts = \"off\""), std::string::npos) << site;
  EXPECT_EQ(site.find("[dns]"), std::string::npos) << site;
  EXPECT_EQ(bench.run({"check", "a"}), kOk) << bench.err;
}

TEST(Import, WhatAScriptOfNameServersDoesIsDoneByItself) {
  Bench bench;
  bench.files.put("/srv/admin/a.conf",
                  std::string(kClear) + "script-security 2\nup /etc/openvpn/update-resolv-conf\n");
  EXPECT_EQ(bench.run({"import", "a.conf", "--allow-scripts"}), kOk) << bench.err;
  const std::string site = bench.files.text("/etc/tunctl/sites/a.toml");
  EXPECT_NE(site.find("[dns]\nuse = \"pushed\"\n"), std::string::npos) << site;
  EXPECT_EQ(site.find("scripts"), std::string::npos) << site;
  EXPECT_EQ(bench.run({"check", "a"}), kOk) << bench.err;
}

TEST(Import, AScriptThatJudgesIsRefusedUnlessItIsAllowed) {
  for (const char* line : {"tls-verify /usr/bin/judge", "plugin /lib/p.so", "iproute /tmp/ip"}) {
    Bench bench;
    bench.files.put("/srv/admin/a.conf", std::string(kClear) + line + "\n");
    EXPECT_EQ(bench.run({"import", "a.conf"}), kInvalid) << bench.err;
    EXPECT_NE(bench.err.find("a.conf:4:1: " + std::string(line) + ": left out "), std::string::npos)
        << bench.err;
    EXPECT_NE(bench.err.find("; --allow-scripts has it run, as the unit's user"),
              std::string::npos);
    EXPECT_EQ(bench.files.changes, 0);
  }
}

// Code comes in by other lines than up and plugin as well.
TEST(Import, NamesWhateverBringsCodeAlong) {
  const struct {
    const char* line;
    const char* warning;
  } rows[] = {
      {"engine /tmp/evil", "the tunnel loads a library: engine /tmp/evil"},
      {"pkcs11-providers /tmp/a.so b", "the tunnel loads a library: pkcs11-providers /tmp/a.so b"},
      {"providers default /tmp/evil", "the tunnel loads a library: providers default /tmp/evil"},
      {"iproute /tmp/ip", "the tunnel runs a program: iproute /tmp/ip"},
      {"client-crresponse /tmp/x", "the tunnel runs a program: client-crresponse /tmp/x"},
      {"dns-updown /tmp/x", "the tunnel runs a program: dns-updown /tmp/x"},
      {"setenv LD_PRELOAD /tmp/x.so",
       "the tunnel's scripts get a variable that changes what they run: "
       "setenv LD_PRELOAD /tmp/x.so"},
      {"setenv opt up /tmp/x", "the tunnel runs a program: up /tmp/x"},
  };
  for (const auto& row : rows) {
    Bench bench;
    bench.files.put("/srv/admin/a.conf", std::string(kClear) + row.line + "\n");
    bench.run({"import", "a.conf", "--allow-scripts"});
    EXPECT_NE(bench.err.find("a.conf:4:1: warning: " + std::string(row.warning) +
                             "; read it first if this config is somebody else's"),
              std::string::npos)
        << row.line << bench.err;
  }
  for (const char* line :
       {"providers legacy default", "engine", "setenv UV_ID a", "dns-updown disable"}) {
    Bench bench;
    bench.files.put("/srv/admin/a.conf", std::string(kClear) + line + "\n");
    bench.run({"import", "a.conf"});
    EXPECT_EQ(bench.err.find("the tunnel"), std::string::npos) << line << bench.err;
  }
}

TEST(Import, RefusesEachTextThatIsNoConfigWithItsLine) {
  const struct {
    std::string bytes;
    const char* complaint;
  } rows[] = {
      {"../far/site.conf", "x.conf:1:1: the text is only the name of another file"},
      {"dev tun\n<<<<<<< HEAD\n", "x.conf:2:1: this is a git conflict marker"},
      {"dev tun\n<ca>\n=======\n</ca>\n", "x.conf:3:1: git conflict marker inside <ca>"},
      {std::string("\xff\xfe"
                   "d\0e\0",
                   6),
       "x.conf:1:1: the text is UTF-16"},
      {std::string("d\0e\0v\0", 6), "x.conf:1:1: the text is UTF-16"},
      {std::string("\0d\0e\0v", 6), "x.conf:1:1: the text is UTF-16"},
      {"dev tun\nremote {{ server_name }} 1194\n", "x.conf:2:1: "},
      {"dev tun\n<ca>\nx\n", "x.conf:2:1: the block <ca> is never closed"},
      {"dev tun\nremote \"h\n", "x.conf:2:8: no closing quote (\") for this word"},
      {"dev tun\n# " + std::string(300, 'x') + "\n", "x.conf:2:1: the line is 303 bytes long"},
      {"<!DOCTYPE html>\n", "x.conf:1:1: the text is a web page"},
      {"client\ndev tun\nremote h\nca C:\\vpn\\ca.crt\n", "x.conf:4:6: a single backslash"},
      {"client\ndev tun\nremote h\nauth-user-pass\nca 'C:\\vpn\\ca.crt'\n",
       "x.conf:5:1: 'C:\\vpn\\ca.crt' is a path of Windows, and no such file is here; put the file "
       "beside the config and write ca.crt in place of the path"},
      {"client\ndev tun\nremote h\nauth-user-pass\nca C:/vpn/ca.crt\n",
       "x.conf:5:1: 'C:/vpn/ca.crt' is a path of Windows"},
  };
  for (const auto& row : rows) {
    Bench bench;
    bench.files.put("/srv/admin/x.conf", row.bytes);
    EXPECT_EQ(bench.run({"import", "x.conf"}), kInvalid) << row.complaint;
    EXPECT_NE(bench.err.find(row.complaint), std::string::npos) << row.complaint << bench.err;
    EXPECT_EQ(bench.files.changes, 0) << row.complaint;
  }
}

// Sequences that would wipe the line before on a terminal.
TEST(Import, AHostileFileCannotHideAWarning) {
  Bench bench;
  bench.files.put("/srv/admin/a.conf", std::string(kClear) + "up \"/tmp/x \x1b[2K\x1b[1A\"\n");
  bench.run({"import", "a.conf"});
  EXPECT_NE(bench.err.find("up \"/tmp/x \\x1b[2K\\x1b[1A\": does not run"), std::string::npos)
      << bench.err;
  bench.run({"import", "a.conf", "--as", "a2", "--allow-scripts"});
  EXPECT_NE(bench.err.find("the tunnel runs a program: up /tmp/x \\x1b[2K\\x1b[1A;"),
            std::string::npos)
      << bench.err;
  bench.files.put("/srv/admin/b.conf",
                  "\x1b[8m\xc2\x9b"
                  "2J x\n");
  EXPECT_EQ(bench.run({"import", "b.conf"}), kInvalid);
  EXPECT_EQ((bench.out + bench.err).find('\x1b'), std::string::npos) << bench.err;
  EXPECT_EQ((bench.out + bench.err).find("\xc2\x9b"), std::string::npos) << bench.err;
}

TEST(Import, WarnsOfASiteThatHasThePlaceAlready) {
  Bench bench;
  bench.files.put("/srv/admin/a.conf", kConfig);
  bench.files.put("/srv/admin/static.key", key_text(), 0600);
  EXPECT_EQ(bench.run({"import", "a.conf"}), kOk) << bench.err;
  EXPECT_EQ(bench.err.find("is also site"), std::string::npos) << bench.err;
  EXPECT_EQ(bench.run({"import", "a.conf", "--as", "b"}), kOk) << bench.err;
  EXPECT_NE(bench.err.find("a.conf:1:1: warning: interface tun3 is also site a's"),
            std::string::npos)
      << bench.err;
}

// "native fast path" or "stock OpenVPN (…)" must be the same at both.
TEST(Import, SaysOfTheEngineWhatCheckSays) {
  for (const char* line :
       {"", "management 127.0.0.1 7505\n", "management-hold\n", "user nobody\ngroup nogroup\n",
        "fragment 1300\n", "chroot /var/empty\n", "log x.log\nwritepid x.pid\n", "multihome\n",
        "setenv opt management 127.0.0.1 7505\n", "proto tcp-client\nremote h\n", "nice 5\n"}) {
    Bench bench;
    bench.files.put("/srv/admin/a.conf", std::string(kConfig) + line);
    bench.files.put("/srv/admin/static.key", key_text(), 0600);
    ASSERT_EQ(bench.run({"import", "a.conf"}), kOk) << line << bench.err;
    const bool native = bench.out.find("native fast path") != std::string::npos;
    ASSERT_EQ(bench.run({"check", "a"}), kOk) << line << bench.err;
    EXPECT_EQ(bench.out.find("native fast path") != std::string::npos, native) << line << bench.out;
  }
}

// What the engine would refuse for good is told before anything is started, at the admin's line.
TEST(Import, AndCheckRefuseWhatTheEngineWould) {
  for (const char* line : {"lport 99999", "remote 198.51.100.7 99999", "auth SHA0", "cipher FOO",
                           "route 192.168.77.0 255.255.0.255", "route 10.20.0.256"}) {
    Bench bench;
    bench.files.put("/srv/admin/a.conf", std::string(kConfig) + line + "\n");
    bench.files.put("/srv/admin/static.key", key_text(), 0600);
    EXPECT_EQ(bench.run({"import", "a.conf"}), kInvalid) << line;
    EXPECT_NE(bench.err.find("a.conf:7:1: "), std::string::npos) << bench.err;
    bench.files.put("/etc/tunctl/ovpn/a.conf", std::string(kConfig) + line + "\n");
    bench.files.put("/etc/tunctl/keys/a/static.key", key_text(), 0600);
    bench.files.put("/etc/tunctl/sites/a.toml", "config = \"/etc/tunctl/ovpn/a.conf\"\n");
    EXPECT_EQ(bench.run({"check", "a"}), kInvalid) << line;
    EXPECT_NE(bench.err.find("/etc/tunctl/ovpn/a.conf:7:1: "), std::string::npos) << bench.err;
  }
}

// At every step the disk may fill up, or the process be killed.
TEST(Import, IsAllOrNothing) {
  for (const bool killed : {false, true}) {
    int step = 0;
    for (; step < 20; ++step) {
      Bench bench;
      bench.files.put("/srv/admin/a.conf", kConfig);
      bench.files.put("/srv/admin/static.key", key_text(), 0600);
      bench.files.fail_from = step;
      bench.files.dead = killed;
      if (bench.run({"import", "a.conf"}) == kOk) break;
      EXPECT_NE(bench.err.find("No space left on device"), std::string::npos) << bench.err;
      EXPECT_EQ(bench.files.text("/etc/tunctl/sites/a.toml"), "(absent)");
      if (!killed) {
        EXPECT_EQ(bench.files.text("/etc/tunctl/keys/a/static.key"), "(absent)");
      }
      bench.files.fail_from.reset();
      EXPECT_EQ(bench.run({"import", "a.conf"}), kOk) << "after step " << step << bench.err;
    }
    EXPECT_EQ(step, 7) << "four folders and three files";
  }
}

TEST(Import, DryRunOnlyTells) {
  Bench bench;
  bench.files.put("/srv/admin/a.conf", kClear);
  EXPECT_EQ(bench.run({"import", "a.conf", "--dry-run"}), kOk);
  EXPECT_EQ(bench.files.changes, 0);
  EXPECT_NE(bench.out.find("would write /etc/tunctl/sites/a.toml (0644, "), std::string::npos)
      << bench.out;
}

TEST(Import, AFileCalledAsAnInterfaceOfItsOwnMeaningGetsAnotherName) {
  Bench bench;
  bench.files.put("/srv/admin/all.ovpn", "dev tun3\ncipher none\nauth none\nremote 192.0.2.1\n");
  EXPECT_EQ(bench.run({"import", "all.ovpn"}), kOk) << bench.err;
  EXPECT_NE(bench.files.text("/etc/tunctl/sites/all-1.toml"), "(absent)");
  EXPECT_THAT(bench.err,
              testing::HasSubstr("tunctl: the site is called all-1: 'all' means something else as "
                                 "an interface's name; --as gives it another one\n"));
  bench.files.put("/srv/admin/all.ovpn", "dev tun4\ncipher none\nauth none\nremote 192.0.2.2\n");
  EXPECT_EQ(bench.run({"import", "all.ovpn"}), kOk) << bench.err;
  EXPECT_NE(bench.files.text("/etc/tunctl/sites/all-1-2.toml"), "(absent)");
  EXPECT_EQ(bench.run({"import", "all.ovpn", "--as", "tun"}), kUsage);
  EXPECT_THAT(bench.err,
              testing::HasSubstr("'tun' is no name for a site; the interface is called as"));
}

}  // namespace
}  // namespace cli
