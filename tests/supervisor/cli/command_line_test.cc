// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "supervisor/cli/complete.h"
#include "supervisor/cli/table.h"
#include "supervisor/cli/verb.h"
#include "tests/supervisor/cli/bench.h"

namespace cli {
namespace {

TEST(CommandLine, TellsWrongUsage) {
  const struct {
    std::vector<std::string> words;
    const char* complaint;
  } rows[] = {
      {{"rendr", "x"}, "tunctl: no verb is called 'rendr'; did you mean render?; see `tunctl"},
      {{"--root", "/x", "frobnicate"}, "tunctl: no verb is called 'frobnicate'; see `tunctl"},
      {{"render"}, "tunctl: NAME is required; see `tunctl render --help`"},
      {{"key"},
       "tunctl: this verb wants a second word: gen or fingerprint or trust or migrate; see `tunctl "
       "key --help`"},
      {{"check", "--frob"}, "--frob"},
      {{"--color", "blue", "list"}, "--color"},
      {{"--root", "x", "list"}, "--root takes an absolute path"},
      {{"--timeout", "soon", "list"}, "--timeout takes a number of seconds"},
      {{"site-a", "enable"},
       "tunctl: no verb is called 'site-a'; did you mean: tunctl enable site-a; see `tunctl "
       "--help`"},
      {{"-v", "site-a", "key", "gen"}, "did you mean: tunctl key site-a"},
      {{"render", "a", "b"}, "tunctl: render takes 1 NAME, not 2; see `tunctl render --help`"},
      {{"key", "gen", "a", "b"}, "tunctl: key gen takes 1 NAME, not 2; see"},
      {{"completion", "csh"}, "completion knows bash, zsh and fish, not 'csh'"},
  };
  for (const auto& row : rows) {
    Bench bench;
    EXPECT_EQ(bench.run(row.words), kUsage) << row.complaint;
    EXPECT_NE(bench.err.find(row.complaint), std::string::npos) << bench.err;
    EXPECT_EQ(bench.out, "");
  }
}

TEST(CommandLine, WhatCanBeNoSitesNameIsWrongUsageOfEveryVerb) {
  constexpr const char* kRule =
      "tunctl: '*' is no name for a site; a name is 1 to 15 of a-z, 0-9, _ and -, and begins with "
      "a letter or digit\n";
  int verbs_with_names = 0;
  for (const Verb& verb : verbs()) {
    if (verb.hidden || verb.operands.kind != WordKind::kSite) continue;
    std::vector<std::string> words;
    for (const auto word : base::split(verb.name, ' ')) words.emplace_back(word);
    words.emplace_back("*");
    if (verb.name == "key trust") words.emplace_back("AA:BB");
    Bench bench;
    EXPECT_EQ(bench.run(words), kUsage) << verb.name;
    EXPECT_EQ(bench.err, kRule) << verb.name;
    EXPECT_TRUE(bench.services.calls.empty()) << verb.name;
    ++verbs_with_names;
  }
  EXPECT_GE(verbs_with_names, 15);
  Bench bench;
  EXPECT_EQ(bench.run({"adopt", "--undo", "*"}), kUsage);
  EXPECT_EQ(bench.err, kRule);
}

TEST(CommandLine, ANameThatIsGivenTwiceIsOne) {
  for (const Verb& verb : verbs()) {
    if (verb.hidden || verb.operands.max >= 0) continue;
    std::vector<std::string> words;
    for (const auto word : base::split(verb.name, ' ')) words.emplace_back(word);
    for (const char* name : {"r", "s", "r"}) words.emplace_back(name);
    Bench bench;
    EXPECT_EQ(bench.run(words), kUsage) << verb.name;
    EXPECT_EQ(bench.err,
              "tunctl: r is given twice; see `tunctl " + std::string(verb.name) + " --help`\n");
  }
}

TEST(CommandLine, AnOptionThatIsGivenNothingIsNotLeftOut) {
  for (const Verb& verb : verbs()) {
    if (verb.hidden) continue;
    for (const OptionRow& row : verb.options) {
      if (row.value.empty() || !row.words.empty()) continue;
      std::vector<std::string> words;
      for (const auto word : base::split(verb.name, ' ')) words.emplace_back(word);
      for (int i = 0; i < verb.operands.min; ++i) words.emplace_back("a");
      words.emplace_back(base::split(row.name, ',').back());
      for (std::size_t i = 0; i < base::split(row.value, ' ').size(); ++i) words.emplace_back("");
      Bench bench;
      EXPECT_EQ(bench.run(words), kUsage) << verb.name << row.name;
      EXPECT_NE(bench.err.find(std::string(row.name) + " is given nothing; write "),
                std::string::npos)
          << verb.name << bench.err;
      EXPECT_EQ(bench.files.changes, 0);
    }
  }
}

TEST(CommandLine, TwoDashesEndTheOptions) {
  Bench bench;
  ASSERT_EQ(bench.make_site("a"), kOk);
  for (const char* verb : {"check", "list", "remove"}) {
    EXPECT_EQ(bench.run({verb, "--", "a"}), kOk) << verb << bench.err;
  }
  EXPECT_EQ(bench.run({"new", "--", "-x"}), kUsage);
  EXPECT_NE(bench.err.find("'-x' is no name for a site"), std::string::npos) << bench.err;
}

TEST(CommandLine, SendsUsersOfTheOtherTunctlToIpTuntap) {
  for (const char* option : {"-t", "-d", "-u", "-b", "-n", "-ttap0"}) {
    Bench bench;
    EXPECT_EQ(bench.run({option, "tap0"}), kUsage);
    EXPECT_EQ(bench.err.rfind("tunctl: that was uml-utilities; use ip tuntap", 0), 0u) << option;
  }
}

TEST(CommandLine, UmlUtilitiesBehindAnOptionOfOurs) {
  Bench bench;
  EXPECT_EQ(bench.run({"-v", "-t", "tap0"}), kUsage);
  EXPECT_NE(bench.err.find("that was uml-utilities"), std::string::npos) << bench.err;
}

TEST(CommandLine, WaitOnlineKnowsWhatIsNoSite) {
  Bench bench;
  EXPECT_EQ(bench.run({"wait-online", "../x"}), kNoSuchSite);
  EXPECT_EQ(
      bench.err,
      "tunctl: '../x' is no name for a site; a name is 1 to 15 of a-z, 0-9, _ and -, and begins "
      "with a letter or digit\n");
  EXPECT_EQ(bench.run({"wait-online", "nobody"}), kNoSuchSite);
}

TEST(CommandLine, HelpExplainsEveryOperand) {
  for (const Verb& verb : verbs()) {
    if (verb.hidden || verb.operands.name.empty()) continue;
    const auto names = base::split_words(verb.operands.name);
    EXPECT_EQ(base::split(verb.operands.help, '|').size(), names.size()) << verb.name;
    EXPECT_FALSE(verb.operands.help.empty()) << verb.name;
    std::vector<std::string> words;
    for (const auto word : base::split(verb.name, ' ')) words.emplace_back(word);
    words.emplace_back("--help");
    Bench bench;
    EXPECT_EQ(bench.run(words), kOk);
    const std::string begin(verb.operands.help.substr(0, verb.operands.help.find_first_of("|,")));
    EXPECT_NE(bench.out.find(begin), std::string::npos) << bench.out;
  }
}

TEST(CommandLine, HelpNamesEveryVerbAndOption) {
  Bench bench;
  EXPECT_EQ(bench.run({"--help"}), kOk);
  const std::string help = bench.out;
  for (const Verb& verb : verbs()) {
    const auto parts = base::split(verb.name, ' ');
    const std::string first(parts.front());
    EXPECT_EQ(help.find("\n  " + first + " ") != std::string::npos, !verb.hidden) << verb.name;
    if (verb.hidden) continue;
    std::vector<std::string> words(parts.begin(), parts.end());
    words.push_back("--help");
    EXPECT_EQ(bench.run(words), kOk);
    for (const OptionRow& option : verb.options) {
      EXPECT_NE(bench.out.find(std::string(option.name)), std::string::npos) << option.name;
    }
  }
}

TEST(CommandLine, TheWordHelpIsTheOption) {
  Bench bench, option;
  EXPECT_EQ(bench.run({"help"}), kOk);
  EXPECT_EQ(option.run({"--help"}), kOk);
  EXPECT_EQ(bench.out, option.out);
  EXPECT_EQ(bench.run({"help", "render"}), kOk);
  EXPECT_NE(bench.out.find("--far-end"), std::string::npos) << bench.out;
}

TEST(CommandLine, NoVerbLists) {
  Bench bench;
  ASSERT_EQ(bench.make_site("a"), kOk);
  bench.run({});
  EXPECT_NE(bench.out.find("a"), std::string::npos);
}

TEST(CommandLine, RootGoesInFrontOfEveryPath) {
  Bench bench;
  EXPECT_EQ(bench.run({"--root", "/mnt", "new", "a", "--mode", "static-key", "--remote", "h"}), kOk)
      << bench.err;
  EXPECT_NE(bench.files.text("/mnt/etc/tunctl/sites/a.toml"), "(absent)");
  EXPECT_EQ(bench.run({"check", "a", "--root", "/mnt"}), kOk);
  EXPECT_EQ(bench.run({"check", "a"}), kNoSuchSite);
  EXPECT_NE(bench.err.find("no site is called a (no /etc/tunctl/sites/a.toml)"), std::string::npos);
}

TEST(Complete, OffersWhatComesNext) {
  const Names names{{"site-a", "work"}, {"openvpn@home", "openvpn-client@office"}};
  const auto words = [&names](std::vector<std::string> typed) {
    std::string text;
    for (const Suggestion& found : complete(typed, names)) text += found.word + " ";
    return text;
  };
  EXPECT_EQ(words({"rend"}), "render ");
  EXPECT_EQ(words({"key", ""}), "gen fingerprint trust migrate ");
  EXPECT_EQ(words({"check", ""}), "site-a work ");
  EXPECT_EQ(words({"check", "site-a", ""}), "work ");
  EXPECT_EQ(words({"render", "site-a", ""}), "");
  EXPECT_EQ(words({"render", "site-a", "--for", ""}), "2.5 2.6 2.7 ");
  EXPECT_EQ(words({"render", "--far"}), "--far-end ");
  EXPECT_EQ(words({"--color", "al"}), "always ");
  EXPECT_EQ(words({"--root", "/x", "check", "w"}), "work ");
  EXPECT_EQ(words({"import", ""}), ":files ");
  EXPECT_EQ(words({"render", "site-a", "--to", ""}), ":folders ");
  EXPECT_EQ(words({"completion", "z"}), "zsh ");
  EXPECT_EQ(words({"new", "a", "--ifconfig", "1", ""}), "");
  EXPECT_EQ(words({"new", "a", "--type", ""}), "p2p client ");
  EXPECT_EQ(words({"adopt", ""}), "openvpn@home openvpn-client@office ");
  EXPECT_EQ(words({"adopt", "openvpn-client@o"}), "openvpn-client@office ");
  EXPECT_EQ(words({"adopt", "openvpn@home", ""}), "");
  EXPECT_EQ(words({"adopt", "--undo", ""}), "site-a work ");
  EXPECT_EQ(words({"nonsense", "x", ""}), "");
}

TEST(Complete, KnowsTheUnitsThatHaveAConfig) {
  Bench bench;
  for (const char* file :
       {"home.conf", "client/office.conf", "server/site-a.conf", "client/x.ovpn"}) {
    bench.files.put(std::string("/etc/openvpn/") + file, "");
  }
  EXPECT_EQ(bench.run({"__complete", "adopt", "openvpn"}), kOk);
  EXPECT_EQ(bench.out, "openvpn@home\nopenvpn-client@office\nopenvpn-server@site-a\n");
}

TEST(Complete, KnowsEveryVerb) {
  const auto offered = complete(std::vector<std::string>{""}, {});
  for (const Verb& verb : verbs()) {
    const std::string first(verb.name.substr(0, verb.name.find(' ')));
    const bool found = std::any_of(offered.begin(), offered.end(), [&](const Suggestion& one) {
      return one.word == first && !one.help.empty();
    });
    EXPECT_EQ(found, !verb.hidden) << verb.name;
  }
}

TEST(Table, AlignsColumnsByCharacters) {
  EXPECT_EQ(format_table({{"SITE", "STATE"}, {"\033[32m●\033[0m a", "up"}, {"longer", ""}}),
            "SITE    STATE\n\033[32m●\033[0m a     up\nlonger\n");
}

}  // namespace
}  // namespace cli
