// SPDX-License-Identifier: Apache-2.0
// tunctl(8) names every verb and every option of the table that parsing, --help and completion
// follow, in the same words, and none that is not there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "supervisor/cli/complete.h"
#include "supervisor/cli/verb.h"
#include "tests/pages/mdoc.h"

namespace {

using Lines = std::vector<std::string>;

const pages::Lines& command_page() {
  static const pages::Lines lines = pages::page("tunctl.8");
  return lines;
}

// What shells ask for; not for people, and so not in the page.
bool is_secret(const cli::Verb& verb) { return verb.name.starts_with("__"); }

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// "import FILE" as the page heads it: ".It Ic import Ar FILE".
std::string verb_head(const cli::Verb& verb) {
  std::string text = "Ic " + std::string(verb.name);
  if (verb.operands.name.empty()) return text;
  text += (verb.operands.min == 0 ? " Op Ar " : " Ar ") + std::string(verb.operands.name);
  return text + (verb.operands.max < 0 ? " ..." : "");
}

// "-q,--quiet" -> "Fl q , -quiet"; "--color WHEN" of auto|always|never -> "Fl -color Cm auto | …".
std::string option_head(const cli::OptionRow& row) {
  Lines names;
  for (const std::string_view name : base::split(row.name, ',')) names.emplace_back(name.substr(1));
  std::string text = "Fl " + names.front();
  if (names.size() > 1) text += " , " + names.back();
  if (!row.words.empty()) return text + " Cm " + replaced(std::string(row.words), "|", " | ");
  return row.value.empty() ? text : text + " Ar " + std::string(row.value);
}

// Verb -> the heads of the options below it, as the page has them.
std::map<std::string, Lines> verbs_on_page() {
  std::map<std::string, Lines> found;
  std::string verb;
  for (const std::string& line : pages::section(command_page(), ".Sh VERBS")) {
    if (line.starts_with(".It Ic ")) {
      verb = line.substr(4);
      EXPECT_FALSE(found.contains(verb)) << verb << " stands twice";
      found[verb];
    }
    if (line.starts_with(".It Fl ")) found[verb].push_back(line.substr(4));
  }
  return found;
}

TEST(CommandPage, HasEveryVerbWithItsOptions) {
  std::map<std::string, Lines> wanted;
  for (const cli::Verb& verb : cli::verbs()) {
    if (is_secret(verb)) continue;
    auto& options = wanted[verb_head(verb)];
    for (const cli::OptionRow& row : verb.options) options.push_back(option_head(row));
  }
  const auto written = verbs_on_page();
  for (const auto& [verb, options] : wanted) {
    const auto found = written.find(verb);
    if (found == written.end()) {
      ADD_FAILURE() << "the page lacks .It " << verb;
    } else {
      EXPECT_EQ(found->second, options) << verb;
    }
  }
  for (const auto& [verb, options] : written) {
    EXPECT_TRUE(wanted.contains(verb)) << "no such verb: .It " << verb;
  }
}

TEST(CommandPage, HasEveryGlobalOption) {
  Lines wanted{"Fl h , -help", "Fl -version"};
  for (const cli::OptionRow& row : cli::global_options()) wanted.push_back(option_head(row));
  Lines written;
  for (const std::string& line : pages::section(command_page(), ".Sh OPTIONS")) {
    if (line.starts_with(".It Fl ")) written.push_back(line.substr(4));
  }
  EXPECT_THAT(written, testing::UnorderedElementsAreArray(wanted));
}

TEST(CommandPage, HiddenVerbsStandApart) {
  const auto lines = pages::section(command_page(), ".Ss Verbs for the units");
  Lines written;
  for (const auto& group : pages::groups_of(lines, "Ic")) {
    if (group.first.starts_with("Ic ")) written.push_back(group.first);
  }
  Lines wanted;
  for (const cli::Verb& verb : cli::verbs()) {
    if (verb.hidden && !is_secret(verb)) wanted.push_back(verb_head(verb));
  }
  EXPECT_THAT(written, testing::UnorderedElementsAreArray(wanted));
}

Lines suggestions(const Lines& words) {
  Lines found;
  for (const cli::Suggestion& suggestion : cli::complete(words, {{"site-a"}, {}})) {
    found.push_back(suggestion.word);
  }
  return found;
}

TEST(Completion, OffersEveryVerbAndItsOptions) {
  for (const cli::Verb& verb : cli::verbs()) {
    if (verb.hidden) continue;
    Lines words;
    for (const std::string_view word : base::split_words(verb.name)) {
      words.emplace_back();
      EXPECT_THAT(suggestions(words), testing::Contains(std::string(word))) << verb.name;
      words.back() = word;
    }
    words.emplace_back("--");
    const Lines offered = suggestions(words);
    for (const cli::OptionRow& row : verb.options) {
      const auto names = base::split(row.name, ',');
      EXPECT_THAT(offered, testing::Contains(std::string(names.back()))) << verb.name;
    }
  }
}

}  // namespace
