// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "supervisor/site/site.h"
#include "supervisor/site/site_keys.h"

namespace site {
namespace {

struct Row {
  const char* what;
  const char* toml;
  const char* problem;  // the first one, as printed
};

std::string first_problem(std::string_view name, const char* toml) {
  const auto reading = read_site(name, "site-a.toml", toml);
  return reading.problems.empty() ? "" : base::to_string(reading.problems.front());
}

TEST(SiteToml, AnOpenListAndAKeyInTheLastTableAreToldWhatToWrite) {
  const Row rows[] = {
      {"a list without an end", "remote = [\"10.0.0.1\"\nport = 1\n",
       "site-a.toml:2:1: not TOML: Error while parsing array: expected comma or closing ']', saw "
       "'p'; "
       "write a list as [\"a\", \"b\"]: texts in quotes, a comma between two, and ] at its end"},
      {"a list that the file ends in", "port = 1\nremote = [\"10.0.0.1\",\n",
       "site-a.toml:2:23: not TOML: Error while parsing array: encountered end-of-file; "
       "write a list as [\"a\", \"b\"]: texts in quotes, a comma between two, and ] at its end"},
      {"a list of bare words", "remote = [gw-b]\n",
       "site-a.toml:1:11: not TOML: Error while parsing value: could not determine value type; "
       "text values need quotes; see tunctl.site(5)"},
      {"a table's name without an end", "port = 1\n[run\ncpus = \"0\"\n",
       "site-a.toml:2:5: not TOML: Error while parsing table header: expected ']', saw '\\n'; "
       "write "
       "the table's name as [run], on a line of its own"},
      {"a key in the last table, of another one", "port = 1\n[far-end]\nengine = \"auto\"\n",
       "site-a.toml:3:1: 'far-end.engine' stands in the wrong table; 'engine' belongs to [run]: "
       "move it there"},
      {"a key in the last table, of none", "port = 1\n[run]\nkeepalive = [10, 60]\n",
       "site-a.toml:3:1: 'run.keepalive' stands in the wrong table; 'keepalive' belongs to the top "
       "of the file, before the first table: move it there"},
      {"a key in the last table, of several", "port = 1\n[run]\nremote = \"gw-b\"\n",
       "site-a.toml:3:1: 'run.remote' stands in the wrong table; 'remote' belongs to the top of "
       "the file, before the first table or [far-end]: move it there"},
  };
  for (const Row& row : rows) EXPECT_EQ(first_problem("site-a", row.toml), row.problem) << row.what;
}

TEST(SiteToml, NamesEveryProblemWithItsPlaceAndRemedy) {
  const Row rows[] = {
      {"a syntax error", "port = \n",
       "site-a.toml:1:8: not TOML: Error while parsing key-value pair: expected value, saw '\\n'; "
       "text values need quotes; see tunctl.site(5)"},
      {"a key written twice", "port = 1\nport = 2\n",
       "site-a.toml:2:8: not TOML: Error while parsing key-value pair: cannot redefine existing "
       "integer 'port'; write it once"},
      {"another encoding", "description = \"\xe4\"\n",
       "site-a.toml:1:15: not TOML: Encountered invalid utf-8 sequence; save the file as UTF-8 "
       "text"},
      {"UTF-16", "\xff\xfep",
       "site-a.toml:1:1: the text is UTF-16, not UTF-8; save it as UTF-8 "
       "(iconv -f UTF-16 -t UTF-8)"},
      {"a merge that was not finished", "port = 1\n<<<<<<< HEAD\n",
       "site-a.toml:2:1: not TOML: Error while parsing root table: expected keys, tables, "
       "whitespace or comments, saw '<'; settle the git conflict and remove the marker lines"},
      {"a misspelt key", "remot = \"10.0.0.1\"\n",
       "site-a.toml:1:1: unknown key 'remot'; did you mean remote?"},
      {"a key like no other", "port = 1\nfrobnicator_setting = 1\n",
       "site-a.toml:2:1: unknown key 'frobnicator_setting'; see tunctl.site(5) for all keys"},
      {"a misspelt key in a table", "port = 1\n[run]\ncpu = \"0\"\n",
       "site-a.toml:3:1: unknown key 'run.cpu'; did you mean cpus?"},
      {"interrupts that shall be moved", "port = 1\n[run]\nirq = \"steer\"\n",
       "site-a.toml:3:1: 'run.irq' takes \"leave\"; write irq = \"leave\" below [run]"},
      {"services that shall have their CPUs", "port = 1\n[run]\nreserve = [\"unbound\"]\n",
       "site-a.toml:3:1: unknown key 'run.reserve'; did you mean resume?"},
      {"a misspelt table", "port = 1\n[rn]\ncpus = \"0\"\n",
       "site-a.toml:2:2: unknown table [rn]; did you mean [run]?"},
      {"a key in the wrong table", "port = 1\ncpus = \"0\"\n",
       "site-a.toml:2:1: 'cpus' stands in the wrong table; write it below [run]"},
      {"a number that is a text", "port = \"2011\"\n",
       "site-a.toml:1:1: 'port' takes a number from 1 to 65535; write port = 1194"},
      {"a number out of range", "port = 70000\n",
       "site-a.toml:1:1: 'port' takes a number from 1 to 65535; write port = 1194"},
      {"a switch that is a text", "float = \"yes\"\n",
       "site-a.toml:1:1: 'float' takes true or false; write float = true"},
      {"a word that is none", "mode = \"tls\"\n",
       "site-a.toml:1:1: 'mode' takes \"fingerprint\" or \"pki\" or \"static-key\" or \"none\"; "
       "write mode = "
       "\"fingerprint\""},
      {"a list of the wrong things", "ifconfig = [true]\n",
       "site-a.toml:1:1: 'ifconfig' takes a list of texts; write ifconfig = [\"10.8.0.1\", "
       "\"10.8.0.2\"]"},
      {"numbers out of range", "keepalive = [0, 60]\n",
       "site-a.toml:1:1: 'keepalive' takes a list of numbers, each from 1 to 86400; write "
       "keepalive = [10, 60]"},
      {"a table key of the wrong kind", "port = 1\n[run]\nwatchdog = \"no\"\n",
       "site-a.toml:3:1: 'run.watchdog' takes a number from 0 to 3600; write watchdog = 10 below "
       "[run]"},
      {"no threads at all", "port = 1\n[run]\nthreads = 0\n",
       "site-a.toml:3:1: 'run.threads' takes \"auto\" or \"1\" or \"2\" or \"3\" or \"4\" or \"5\" "
       "or \"6\" or \"7\" or \"8\" or \"9\" or \"10\" or \"11\" or \"12\" or \"13\" or \"14\" or "
       "\"15\" or \"16\"; write threads = \"auto\" below [run]"},
      {"a line break that would become a directive", "dev = \"tun3\\nup /bin/sh\"\n",
       "site-a.toml:1:1: 'dev' takes text in quotes; write dev = \"tun3\""},
      {"both forms at once", "config = \"a.conf\"\nport = 1\n",
       "site-a.toml:2:1: 'port' describes a tunnel, but this site keeps an OpenVPN config; change "
       "it in the file that config names, or take config out"},
      {"nothing at all", "# empty\n",
       "site-a.toml: this site says nothing about its tunnel; write config = \"FILE\", or describe "
       "it (`tunctl new` writes an example)"},
  };
  for (const Row& row : rows) EXPECT_EQ(first_problem("site-a", row.toml), row.problem) << row.what;
}

TEST(SiteToml, TellsAllProblemsInTheOrderOfTheFile) {
  const auto reading = read_site("site-a", "f", "verb = 99\nport = 0\nnope = 1\n");
  ASSERT_EQ(reading.problems.size(), 3u);
  EXPECT_EQ(reading.problems[0].place.line, 1u);
  EXPECT_EQ(reading.problems[1].place.line, 2u);
  EXPECT_EQ(reading.problems[2].place.line, 3u);
  EXPECT_FALSE(reading.site);
}

TEST(SiteToml, RefusesNamesThatAreNoInterfaceOrInstance) {
  for (const char* name : {"", "A", "-a", "_a", "a/b", "a.b", "sixteen-letters-", "ä"}) {
    EXPECT_FALSE(is_site_name(name)) << name;
    EXPECT_NE(first_problem(name, "port = 1\n").find("is no name for a site"), std::string::npos);
  }
  for (const char* name : {"a", "0", "site-a", "a_b", "fifteen-letters"}) {
    EXPECT_TRUE(is_site_name(name)) << name;
  }
}

TEST(SiteToml, ReadsADescribedSite) {
  const auto reading = read_site("site-a", "f", R"(
description = "Home - workshop"
type = "p2p"
mode = "static-key"
proto = "udp4"
port = 2011
remote = "10.0.0.1"
ifconfig = ["10.8.0.2", "10.8.0.1"]
secret = "site-a.key"
key-direction = 1
keepalive = [10, 60]
mssfix = 1400
float = true
[run]
engine = "fastpath"
cpus = 3
threads = 4
ready = "connected"
ready-timeout = 20
watchdog = 0
clock-wait = 0
resume = false
[dns]
use = "off"
[far-end]
remote = ["gw-a.example"]
)");
  ASSERT_TRUE(reading.site) << base::to_string(reading.problems.front());
  const Site& site = *reading.site;
  ASSERT_TRUE(site.described);
  EXPECT_EQ(site.description, "Home - workshop");
  EXPECT_EQ(site.described->proto, "udp4");
  EXPECT_EQ(site.described->port, 2011);
  EXPECT_EQ(site.described->remote, std::vector<std::string>{"10.0.0.1"});
  EXPECT_EQ(site.described->ifconfig, (std::vector<std::string>{"10.8.0.2", "10.8.0.1"}));
  EXPECT_EQ(site.described->key_direction, 1);
  EXPECT_EQ(site.described->keepalive, (std::vector<int>{10, 60}));
  EXPECT_EQ(site.described->mssfix, "1400");
  EXPECT_TRUE(site.described->floating);
  EXPECT_EQ(site.run.engine, EngineChoice::kFastpath);
  EXPECT_EQ(site.run.cpus, "3");
  EXPECT_EQ(site.run.threads, 4);
  EXPECT_EQ(site.run.clock_wait_seconds, 0);
  EXPECT_FALSE(site.run.resume);
  EXPECT_EQ(site.run.ready, Ready::kConnected);
  EXPECT_EQ(site.run.ready_timeout_seconds, 20);
  EXPECT_EQ(site.run.watchdog_seconds, 0);
  EXPECT_EQ(site.dns.use, std::vector<std::string>{"off"});
  EXPECT_EQ(site.far_end.remote, std::vector<std::string>{"gw-a.example"});
  EXPECT_EQ(site.place_of("run.cpus"), (base::Place{"f", 16, 1}));
  EXPECT_EQ(site.place_of("verb"), (base::Place{"f", 0, 0}));
}

TEST(SiteToml, ReadsASiteThatKeepsItsConfig) {
  const auto reading = read_site("nl", "f",
                                 "config = \"/etc/tunctl/ovpn/nl.conf\"\n"
                                 "acknowledge-cleartext = true\noptions = \"nobind\"\n"
                                 "[run]\ncpus = \"all\"\nscripts = \"off\"\n");
  ASSERT_TRUE(reading.site);
  EXPECT_EQ(reading.site->options, std::vector<std::string>{"nobind"});
  EXPECT_FALSE(reading.site->run.scripts);
  EXPECT_FALSE(reading.site->described);
  EXPECT_EQ(reading.site->config, "/etc/tunctl/ovpn/nl.conf");
  EXPECT_TRUE(reading.site->acknowledge_cleartext);
  EXPECT_EQ(reading.site->run.cpus, "all");
}

// The examples of the table are what remedies tell people to write: each must be accepted, and must
// change the site (a row whose field does not fit its kind would be dropped in silence).
TEST(SiteToml, TakesTheExampleOfEveryRow) {
  for (const SiteKey& key : site_keys()) {
    std::string toml = key.form == KeyForm::kConfig ? "config = \"f\"\n" : "port = 1\n";
    if (key.path == "config" || key.path == "port") toml.clear();
    const auto dot = key.path.find('.');
    if (dot != std::string_view::npos) toml += "[" + std::string(key.path.substr(0, dot)) + "]\n";
    toml += std::string(key.path.substr(dot == std::string_view::npos ? 0 : dot + 1)) + " = " +
            std::string(key.example) + "\n";
    const auto reading = read_site("site-a", "f", toml);
    ASSERT_TRUE(reading.site) << toml << base::to_string(reading.problems.front());
    EXPECT_TRUE(reading.site->places.contains(key.path)) << key.path;
    std::visit(
        [&](const auto& field) {
          using F = std::decay_t<decltype(field)>;
          const Site& site = *reading.site;
          if constexpr (std::is_same_v<F, std::string Site::*> ||
                        std::is_same_v<F, std::vector<std::string> Site::*>) {
            EXPECT_FALSE((site.*field).empty()) << key.path;
          } else if constexpr (std::is_same_v<F, bool Site::*>) {
            EXPECT_TRUE(site.*field) << key.path;
          } else if constexpr (std::is_same_v<F, bool Described::*>) {
            EXPECT_TRUE((*site.described).*field) << key.path;
          } else if constexpr (std::is_same_v<F, std::optional<int> Described::*>) {
            EXPECT_TRUE(((*site.described).*field).has_value()) << key.path;
          } else if constexpr (std::is_same_v<F, std::vector<std::string> FarEnd::*> ||
                               std::is_same_v<F, std::string FarEnd::*>) {
            EXPECT_FALSE((site.far_end.*field).empty()) << key.path;
          } else if constexpr (std::is_same_v<F, std::string Described::*> ||
                               std::is_same_v<F, std::vector<int> Described::*> ||
                               std::is_same_v<F, std::vector<std::string> Described::*>) {
            EXPECT_FALSE(((*site.described).*field).empty()) << key.path;
          } else if constexpr (std::is_same_v<F, int RunOptions::*>) {
            EXPECT_NE(site.run.*field, 0) << key.path;
          }
        },
        key.field);
  }
}

}  // namespace
}  // namespace site
