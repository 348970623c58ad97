// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ovpn/lexer.h"
#include "supervisor/render/drop_in.h"
#include "supervisor/render/far_end.h"
#include "supervisor/render/far_end_steps.h"
#include "supervisor/render/file_directives.h"
#include "supervisor/render/kept_config.h"
#include "supervisor/render/render.h"

namespace render {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ovpn::Profile profile_of(const std::string& text) { return ovpn::lex_config("c", text).profile; }

site::Site kept_site(const std::string& config = "/etc/tunctl/ovpn/a.conf") {
  site::Site site;
  site.name = "a";
  site.file = "/etc/tunctl/sites/a.toml";
  site.config = config;
  return site;
}

TEST(NeededFiles, LooksForRelativeNamesBelowTheKeysFirst) {
  const auto needs = needed_files(kept_site(), "secret keys/s.key 1\nca /etc/ssl/ca.pem\ncd sub\n",
                                  site::Paths("/mnt"));
  ASSERT_EQ(needs.size(), 2u);
  EXPECT_EQ(needs[0].path, "/mnt/etc/tunctl/keys/a/s.key");
  EXPECT_EQ(needs[0].otherwise, "/mnt/etc/tunctl/ovpn/sub/keys/s.key");
  EXPECT_EQ(needs[0].written, "keys/s.key");
  EXPECT_TRUE(needs[0].secret);
  EXPECT_EQ(needs[1].path, "/mnt/etc/ssl/ca.pem");
  EXPECT_EQ(needs[1].otherwise, "");
  EXPECT_FALSE(needs[1].secret);
}

TEST(NeededFiles, PassesOverWhatNamesNoFile) {
  EXPECT_TRUE(needed_files(kept_site(),
                           "dh none\ncrl-verify crls dir\nhttp-proxy p 1\n<ca>\nx\n</ca>\n"
                           "<auth-user-pass>\nu\np\n</auth-user-pass>\n",
                           site::Paths())
                  .empty());
}

TEST(NeededFiles, WhatAPersonKnowsComesLastAndHasAPlaceOfItsOwn) {
  const auto needs =
      needed_files(kept_site(), "auth-user-pass\nsocks-proxy p 1080 sub/s.txt\nkey k.pem\nca c\n",
                   site::Paths());
  ASSERT_EQ(needs.size(), 5u);
  EXPECT_EQ(needs[2].login, "auth-user-pass");
  EXPECT_EQ(needs[2].stored, "/etc/tunctl/keys/a/auth-user-pass");
  EXPECT_EQ(needs[2].path + needs[2].otherwise + needs[2].written, "");
  EXPECT_FALSE(needs[2].optional);
  EXPECT_EQ(needs[3].login, "askpass");
  EXPECT_TRUE(needs[3].optional) << "the key may be encrypted";
  EXPECT_EQ(needs[4].login, "socks-proxy");
  EXPECT_EQ(needs[4].path, "/etc/tunctl/keys/a/s.txt");
  EXPECT_EQ(needs[4].otherwise, "/etc/tunctl/ovpn/sub/s.txt");
  EXPECT_TRUE(needs[4].secret);
}

// An engine is given files, whatever the config asks a person for.
TEST(KeptRender, LoginsBecomeFilesInAUnit) {
  const site::Site site = kept_site();
  const struct {
    const char* line;
    std::map<std::string, std::string> logins;
    const char* rendered;
  } rows[] = {
      {"auth-user-pass", {{"auth-user-pass", "u\np\n"}}, "auth-user-pass /r/auth-user-pass"},
      {"auth-user-pass", {}, "auth-user-pass /r/auth-user-pass"},
      {"auth-user-pass stdin", {}, "auth-user-pass /r/auth-user-pass"},
      {"auth-user-pass /x/y", {{"auth-user-pass", "1"}}, "auth-user-pass /r/auth-user-pass"},
      {"auth-user-pass username-only", {}, "auth-user-pass /r/auth-user-pass"},
      {"askpass", {{"askpass", "1"}}, "askpass /r/askpass"},
      {"http-proxy p 1 stdin basic", {}, "http-proxy p 1 /r/http-proxy-user-pass basic"},
      {"http-proxy p 1 auto", {}, "http-proxy p 1 auto"},
      {"http-proxy p 1 auto",
       {{"http-proxy-user-pass", "1"}},
       "http-proxy p 1 auto\nhttp-proxy-user-pass /r/http-proxy-user-pass"},
      {"socks-proxy p 1 stdin", {}, "socks-proxy p 1 /r/socks-proxy"},
      {"socks-proxy p 1", {}, "socks-proxy p 1"},
      {"key /k", {}, "key /k"},
      {"key /k", {{"askpass", "1"}}, "key /k\n# tunctl adds:\naskpass /r/askpass"},
  };
  for (const auto& row : rows) {
    const auto rendered = render({.site = site,
                                  .config_bytes = std::string(row.line) + "\n",
                                  .logins = row.logins,
                                  .folder = "/r",
                                  .for_unit = true});
    ASSERT_TRUE(rendered) << row.line;
    std::string text = rendered->artifacts[0].bytes;
    const std::string replaced = std::string("# tunctl, in place of: ") + row.line + "\n";
    if (text.starts_with(replaced)) text.erase(0, replaced.size());
    EXPECT_EQ(text, std::string(row.rendered) + "\n");
    ASSERT_EQ(rendered->artifacts.size(), 1 + row.logins.size()) << row.line;
    if (row.logins.empty()) continue;
    EXPECT_EQ(rendered->artifacts[1].path, row.logins.begin()->first);
    EXPECT_TRUE(rendered->artifacts[1].secret);
    EXPECT_EQ(rendered->artifacts[1].mode, 0600u);
  }
}

TEST(ChooseEngine, NobodyCanBeAskedThroughStock) {
  const std::string lines =
      "client\ndev tun\nremote x\nca c\nauth-user-pass f\nstatic-challenge Code 1\n";
  site::Site site = kept_site();
  EXPECT_TRUE(choose_engine(site, profile_of(lines))->fastpath);
  site.run.engine = site::EngineChoice::kOpenvpn;
  const auto stock = choose_engine(site, profile_of(lines));
  ASSERT_FALSE(stock);
  EXPECT_EQ(stock.error()[0].place.line, 6u);
  EXPECT_THAT(stock.error()[0].message, HasSubstr("static-challenge needs the native engine, and"));
}

TEST(FileDirectives, AreSortedAndFound) {
  const auto rows = file_directives();
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
  for (const auto& row : rows) EXPECT_EQ(find_file_directive(row.name), &row);
  EXPECT_EQ(find_file_directive("port"), nullptr);
}

TEST(KeptConfig, WithoutEditsIsTheSameBytes) {
  const std::string bytes = "dev tun3\r\n\r\n# x\nsecret k\n<ca>\n1\n</ca>";
  EXPECT_EQ(apply_edits(bytes, {}, {}), bytes);
}

TEST(KeptConfig, ChangesTheEditedLineOnly) {
  const std::string bytes = "dev tun3\r\nuser nobody\r\n<ca>\nuser x\n</ca>\nport 1";
  const auto profile = profile_of(bytes);
  const auto added = ovpn::Directive{"verb", {"1"}, std::nullopt, {}};
  EXPECT_EQ(apply_edits(bytes, {{&profile.directives[1], {}}}, {added}),
            "dev tun3\r\n# tunctl leaves out: user nobody\n<ca>\nuser x\n</ca>\nport 1\n"
            "# tunctl adds:\nverb 1\n");
}

TEST(KeptRender, ForNoFolderIsByteForByte) {
  const site::Site site = kept_site();
  const std::string bytes = "dev tun\r\n#\nsecret k\nuser nobody\n";
  const auto rendered = render({.site = site, .config_bytes = bytes, .files = {{"k", "x"}}});
  ASSERT_TRUE(rendered);
  EXPECT_EQ(rendered->artifacts.front().bytes, bytes);
  EXPECT_EQ(rendered->artifacts.size(), 1u);
}

// Under `tunctl run` the engine begins as root; in a unit it never is.
TEST(KeptRender, UserAndGroupStayWhereTheEngineBeginsAsRoot) {
  const site::Site site = kept_site();
  for (const bool root : {false, true}) {
    const auto rendered = render({.site = site,
                                  .config_bytes = "dev tun3\nuser nobody\ngroup nogroup\n",
                                  .folder = "/run/tunctl/x",
                                  .for_unit = true,
                                  .starts_as_root = root});
    ASSERT_TRUE(rendered);
    EXPECT_EQ(rendered->profile.has("user"), root);
    EXPECT_EQ(rendered->profile.has("group"), root);
    EXPECT_EQ(rendered->notes.size(), root ? 0u : 2u);
  }
}

// A program is this machine's wherever the config lies; what a relative path means depends on it.
TEST(KeptRender, ProgramsStayOutsideOfTheRoot) {
  const site::Site site = kept_site();
  const auto rendered = render({.site = site,
                                .config_bytes = "dev tun3\nup /bin/true\ndown ./x\n",
                                .paths = site::Paths("/mnt"),
                                .folder = "/mnt/run/tunctl/x",
                                .for_unit = true});
  ASSERT_TRUE(rendered);
  EXPECT_EQ(rendered->profile.arg("up"), "/bin/true");
  EXPECT_TRUE(rendered->profile.arg("down").value_or("").starts_with("/mnt/"));
}

TEST(KeptRender, ResolvesPathsFromWhereTheyWereWritten) {
  const site::Site site = kept_site("/etc/openvpn/x.conf");
  const auto rendered = render({.site = site,
                                .config_bytes = "dev tun3\nca sub/ca.pem\ncert other/ca.pem\n"
                                                "up ./up.sh\ncapath certs\nstatus s.log 10\n"
                                                "crl-verify crls dir\n",
                                .files = {{"sub/ca.pem", "1"}, {"other/ca.pem", "2"}},
                                .folder = "/run/tunctl/a",
                                .state_folder = "/var/lib/tunctl/a",
                                .for_unit = true});
  ASSERT_TRUE(rendered);
  const auto& profile = rendered->profile;
  EXPECT_EQ(profile.arg("ca"), "/run/tunctl/a/ca.pem");
  EXPECT_EQ(profile.arg("cert"), "/run/tunctl/a/other-ca.pem");
  EXPECT_EQ(profile.arg("up"), "/etc/openvpn/./up.sh");
  EXPECT_EQ(profile.arg("capath"), "/etc/openvpn/certs");
  EXPECT_EQ(profile.arg("crl-verify"), "/etc/openvpn/crls");
  EXPECT_EQ(profile.arg("status"), "/var/lib/tunctl/a/s.log");
  ASSERT_EQ(rendered->artifacts.size(), 3u);
  EXPECT_EQ(rendered->artifacts[2].bytes, "2");
}

TEST(KeptRender, RefusesWhatItCannotKeep) {
  const site::Site site = kept_site();
  const auto include = render({.site = site, .config_bytes = "dev tun\nconfig other\n"});
  ASSERT_FALSE(include);
  EXPECT_EQ(include.error()[0].place.line, 2u);
  EXPECT_FALSE(render({.site = site, .config_bytes = "dev \"tun\n"}));
}

TEST(FarEnd, RefusesWhatHasNoSecondHalf) {
  const struct {
    const char* near;
    std::vector<std::string> remote;
    const char* message;
  } rows[] = {
      {"client\nremote x\n", {"y"}, "the far end of a TLS config cannot be derived from this one"},
      {"secret k\n", {}, "neither end would call the other"},
      {"secret k\nremote x\nnobind\n", {"y"}, "this end has no fixed port (nobind)"},
      {"secret k\n", {"a b"}, "'a b' is no host with an optional port"},
  };
  for (const auto& row : rows) {
    const auto far = far_end_of(profile_of(row.near), {}, row.remote);
    ASSERT_FALSE(far) << row.near;
    EXPECT_THAT(far.error()[0].message, HasSubstr(row.message));
  }
}

TEST(FarEnd, BindsThePortThatIsCalledFirst) {
  const auto far = far_end_of(profile_of("secret k\nlport 1\nremote a 5\nremote b 6\n"), {}, {"c"});
  ASSERT_TRUE(far);
  EXPECT_EQ(far->profile.arg("lport"), "5");
  EXPECT_EQ(far->profile.arg("rport"), "1");
}

TEST(FarEnd, SwapsTheRolesOfTcp) {
  const auto far = far_end_of(profile_of("secret k 0\nproto tcp-client\nremote x 443\n"), {}, {});
  ASSERT_TRUE(far);
  EXPECT_EQ(far->profile.arg("proto"), "tcp-server");
  EXPECT_EQ(far->profile.arg("lport"), "443");
  EXPECT_EQ(far->profile.arg("secret", 1), "1");
}

TEST(FarEnd, AnswersByTheProtocolOfTheRemoteLine) {
  for (const char* proto : {"", "proto udp\n", "proto tcp-client\n"}) {
    const auto far = far_end_of(
        profile_of(std::string("secret k\n") + proto + "remote x 443 tcp-client\n"), {}, {});
    ASSERT_TRUE(far);
    EXPECT_EQ(far->profile.arg("proto"), "tcp-server") << proto;
  }
}

TEST(FarEnd, OfAFingerprintTrustsThisOneWithAKeyOfItsOwn) {
  const FarIdentity identity{"a", "95:24"};
  const auto far = far_end_of(
      profile_of("tls-client\ncert t.crt\nkey t.key\npeer-fingerprint 11\npeer-fingerprint 22\n"
                 "data-ciphers AES-256-GCM\nremote x\n"),
      {}, {}, identity);
  ASSERT_TRUE(far) << base::to_string(far.error().front());
  std::string text;
  for (const auto& line : far->profile.directives) text += ovpn::format_directive(line);
  EXPECT_EQ(text,
            "data-ciphers AES-256-GCM\ntls-server\ndh none\ncert a.crt\nkey a.key\n"
            "peer-fingerprint 95:24\nlport 1194\n");
  EXPECT_TRUE(far->notes.empty());
  EXPECT_FALSE(far_end_of(profile_of("tls-client\nca c\nremote x\n"), {}, {}, identity));
}

TEST(FarCommand, TurnsEverythingRound) {
  const auto command = [](const std::string& lines) {
    const auto reading = site::read_site(
        "a", "f",
        "mode = \"fingerprint\"\nkeepalive = [10, 60]\nifconfig = [\"10.8.0.1\", \"10.8.0.2\"]\n" +
            lines);
    EXPECT_TRUE(reading.site) << lines;
    return reading.site ? far_end_command(*reading.site, "F") : "";
  };
  const std::string tail = " --ifconfig 10.8.0.2 10.8.0.1";
  const struct {
    const char* lines;
    std::string command;
  } rows[] = {
      {"port = 2011\n[far-end]\nremote = \"gw\"\n",
       "tunctl new a --role client --remote gw --port 2011" + tail + " --peer-fingerprint F"},
      {"remote = \"b\"\n",
       "tunctl new a --role server --far-remote b --port 1194" + tail + " --peer-fingerprint F"},
      {"remote = \"b:2012\"\nport = 2011\nrole = \"server\"\n[far-end]\nremote = \"fd00::1\"\n",
       "tunctl new a --role client --remote '[fd00::1]:2011' --far-remote b --port 2012" + tail +
           " --peer-fingerprint F"},
      {"", "tunctl new a --role client --remote THIS-HOST --port 1194" + tail +
               " --peer-fingerprint F"},
      {"dev = \"tun3\"\nroute = [\"10.2.0.0/16\", \"10.3.0.0/16 10.8.0.2\"]\n"
       "data-ciphers = \"AES-128-GCM\"\n[far-end]\nremote = \"gw\"\nroute = \"10.4.0.0/16\"\n",
       "tunctl new a --role client --remote gw --port 1194" + tail +
           " --dev tun3 --route 10.4.0.0/16 --far-route 10.2.0.0/16 --far-route "
           "'10.3.0.0/16 10.8.0.2' --cipher AES-128-GCM --peer-fingerprint F"},
      {"float = true\n", ""},
      {"lport = 5\n", ""},
  };
  for (const auto& row : rows) EXPECT_EQ(command(row.lines), row.command);
}

// Twice the far end is the near end again, but for what is a machine's own.
TEST(FarEnd, IsItsOwnInverse) {
  const std::string near =
      "dev tun3\nifconfig 10.8.0.1 10.8.0.2\nsecret k 0\ncipher AES-256-CBC\nlport 1\nrport 2\n"
      "remote b\n";
  const auto far = far_end_of(profile_of(near), {}, {"a"});
  ASSERT_TRUE(far);
  const auto again = far_end_of(far->profile, {}, {"b"});
  ASSERT_TRUE(again);
  std::string text;
  for (const auto& line : again->profile.directives) text += ovpn::format_directive(line);
  EXPECT_EQ(text, near);
}

TEST(ChooseEngine, AsksTheNativeEngineFirst) {
  site::Site site = kept_site();
  const auto native = profile_of("dev tun3\nsecret k\n");
  const auto bridge = profile_of("client\ndev tap\nremote x\nca c\nauth-user-pass\n");
  EXPECT_TRUE(choose_engine(site, native)->fastpath);
  const auto stock = choose_engine(site, bridge);
  ASSERT_TRUE(stock);
  EXPECT_FALSE(stock->fastpath);
  EXPECT_THAT(stock->reason, HasSubstr("c:2:1: dev"));
  site.run.engine = site::EngineChoice::kOpenvpn;
  EXPECT_EQ(choose_engine(site, native)->reason, "engine = \"openvpn\"");
  site.run.engine = site::EngineChoice::kFastpath;
  EXPECT_TRUE(choose_engine(site, native)->fastpath);
  const auto refused = choose_engine(site, bridge);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error()[0].message, HasSubstr("engine = \"fastpath\" cannot run this: "));
}

TEST(ChooseEngine, StockCannotDoWhatIsAskedOfNameServers) {
  site::Site site = kept_site();
  const auto bridge = profile_of("client\ndev tap\nremote x\nca c\nauth-user-pass\n");
  site.dns.use = {"off"};
  EXPECT_TRUE(choose_engine(site, bridge));
  for (const char* word : {"pushed", "10.8.0.1"}) {
    site.dns.use = {word};
    EXPECT_TRUE(choose_engine(site, profile_of("dev tun3\nsecret k\n")));
    const auto refused = choose_engine(site, bridge);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error()[0].message, HasSubstr("'dns.use' needs the native engine"));
  }
}

TEST(ChooseEngine, RefusesWhatNoEngineTakes) {
  const site::Site site = kept_site();
  EXPECT_FALSE(choose_engine(site, profile_of("dev tun\nfrobnicate\nsecret k\n")));
  EXPECT_FALSE(choose_engine(site, profile_of("dev tun3\ncipher AES-256-CBC\n")));
}

TEST(StockArguments, AddWhatThatVersionNeeds) {
  const auto old = profile_of("secret k\n");
  EXPECT_THAT(stock_arguments(old, ForVersion::k25), ElementsAre());
  EXPECT_THAT(stock_arguments(old, ForVersion::k26),
              ElementsAre("--providers", "legacy", "default"));
  EXPECT_THAT(
      stock_arguments(old, ForVersion::k27),
      ElementsAre("--providers", "legacy", "default", "--allow-deprecated-insecure-static-crypto"));
  EXPECT_THAT(stock_arguments(profile_of("secret k\ncipher AES-256-CBC\n"), ForVersion::k27),
              ElementsAre("--allow-deprecated-insecure-static-crypto"));
  EXPECT_THAT(stock_arguments(profile_of("client\n"), ForVersion::k27), ElementsAre());
  const auto has = profile_of("secret k\nproviders legacy default\n");
  EXPECT_THAT(stock_arguments(has, ForVersion::k26), ElementsAre());
}

TEST(DropIn, SaysWhatTheSiteAsksFor) {
  site::Site site = kept_site();
  const auto profile = profile_of("port 443\n");
  EXPECT_EQ(render_drop_in({site, profile, {}, 252}),
            "# Written by `tunctl enable a` from its site file.\n[Service]\nWatchdogSec=10\n"
            "AmbientCapabilities=CAP_NET_BIND_SERVICE\n"
            "CapabilityBoundingSet=CAP_NET_BIND_SERVICE\n");
  site.description = "100 % up";
  site.run.watchdog_seconds = 0;
  site.run.ready = site::Ready::kConnected;
  site.run.ready_timeout_seconds = 20;
  EXPECT_EQ(render_drop_in({site, profile_of("nobind\n"), {0, 2, 3}, 254}),
            "# Written by `tunctl enable a` from its site file.\n"
            "[Unit]\nDescription=tunctl a: 100 %% up\n"
            "[Service]\nCPUAffinity=0,2-3\nWatchdogSec=0\nTimeoutStartSec=30\n"
            "RestartSteps=6\nRestartMaxDelaySec=60\n");
}

TEST(DropIn, TakesOverWhatOnlySystemdCanGive) {
  const site::Site site = kept_site();
  EXPECT_EQ(render_drop_in({site, profile_of("dev tun3\nmlock\nnobind\n"), {}, 252, -5}),
            "# Written by `tunctl enable a` from its site file.\n[Service]\nWatchdogSec=10\n"
            "Nice=-5\nLimitMEMLOCK=infinity\n");
}

Rendered rendered_for_unit(const std::string& config, const std::string& file) {
  const site::Site site = kept_site();
  auto rendered = render({.site = site,
                          .config_bytes = config,
                          .files = {{file, "key"}},
                          .folder = "/run/tunctl/a",
                          .for_unit = true});
  EXPECT_TRUE(rendered);
  return std::move(rendered).value();
}

TEST(KeptConfig, NiceGoesToTheUnit) {
  const auto rendered = rendered_for_unit("dev tun3\nnice -5\nsecret k\n", "k");
  EXPECT_EQ(rendered.nice, -5);
  EXPECT_FALSE(rendered.profile.has("nice"));
}

TEST(KeptConfig, NoKeyTakesThePlaceOfOurOwnFiles) {
  for (const char* name : {"launch.json", "failure", "management.sock", "a.conf"}) {
    const auto rendered = rendered_for_unit(std::string("dev tun3\nsecret ") + name + "\n", name);
    ASSERT_EQ(rendered.artifacts.size(), 2u);
    EXPECT_EQ(rendered.artifacts[1].path, std::string("other-") + name);
    EXPECT_EQ(rendered.profile.arg("secret"), std::string("/run/tunctl/a/other-") + name);
  }
}

TEST(KeptConfig, AFileThatManyLinesNameIsReadOnce) {
  std::string config;
  for (int line = 0; line < 1000; ++line) config += "ca x\n";
  EXPECT_EQ(needed_files(kept_site(), config, site::Paths()).size(), 1u);
}

// Whoever keeps a config gets the same warning as whoever describes mode none.
TEST(WeakPoints, TellClearTextInAKeptConfig) {
  const struct {
    const char* config;
    const char* told;
  } rows[] = {
      {"dev tun3\nremote h\ncipher none\nauth none\n", "no key: everyone on the way can read and"},
      {"dev tun3\nremote h\n", "no key: everyone on the way can read and change"},
      {"secret k\ncipher none\nauth none\n", "cipher none and auth none: everyone on the way"},
      {"secret k\ncipher none\n", "cipher none: everyone on the way can read"},
      {"secret k\ncipher AES-256-CBC\nauth none\n", "auth none: anyone can put packets"},
      {"client\ndata-ciphers AES-256-GCM:none\n", "data-ciphers allows none: with a far end"},
  };
  for (const auto& row : rows) {
    std::string text;
    for (const auto& point : weak_points(profile_of(row.config))) {
      text += base::to_string(point) + "\n";
    }
    EXPECT_NE(text.find(row.told), std::string::npos) << row.config << text;
  }
}

TEST(WeakPoints, TheDefaultCipherOfAStaticKey) {
  EXPECT_EQ(weak_points(profile_of("dev tun3\nsecret k\n")).size(), 1u);
  EXPECT_TRUE(weak_points(profile_of("secret k\ncipher AES-256-CBC\n")).empty());
  EXPECT_TRUE(weak_points(profile_of("client\n")).empty());
}

TEST(WeakPoints, WhatIsStaleOrReadOtherwiseThanItLooks) {
  const struct {
    const char* lines;
    const char* message;  // nullptr: nothing to be told
  } rows[] = {
      {"ping-restart 0\n", "x:2:1: ping-restart 0: a far end that went away is not noticed; leave"},
      {"setenv opt ping-restart 0\n", "x:2:1: ping-restart 0: "},
      {"ping-restart 60\n", nullptr},
      {"reneg-sec 0\n", "x:2:1: reneg-sec 0: as far as this end goes, the keys are never made"},
      {"reneg-sec 0 0\n", "x:2:1: reneg-sec 0: "},
      {"reneg-sec 600\n", nullptr},
      {"static-challenge pin 1\n",
       "x:2:1: static-challenge: a password for one time is asked for "
       "again with new keys, every 3600 seconds"},
      {"static-challenge pin 1\nreneg-sec 0\n", "x:3:1: reneg-sec 0: "},
      {"auth SHA512\n", "x:2:1: auth SHA512: no cipher of this config uses it, AEAD needs none"},
      {"auth SHA512\ncipher AES-256-GCM\n", "x:2:1: auth SHA512: "},
      {"auth SHA512\ndata-ciphers AES-256-GCM:?AES-128-CBC\n", nullptr},
      {"auth SHA512\ntls-auth k 1\n", nullptr},
      {"auth SHA512\ncipher AES-256-CBC\n", "x:3:1: cipher AES-256-CBC is read as OpenVPN 2.5 did"},
      {"cipher AES-256-GCM\n", nullptr},
      {"cipher BF-CBC\ndata-ciphers AES-256-GCM:BF-CBC\n", nullptr},
  };
  for (const auto& row : rows) {
    const auto lexed = ovpn::lex_config("x", "client\n" + std::string(row.lines));
    const base::Problems found = weak_points(lexed.profile);
    EXPECT_EQ(found.size(), row.message == nullptr ? 0u : 1u) << row.lines;
    if (row.message == nullptr || found.empty()) continue;
    EXPECT_TRUE(base::to_string(found[0]).starts_with(row.message)) << base::to_string(found[0]);
  }
}

}  // namespace
}  // namespace render
