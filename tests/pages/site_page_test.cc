// SPDX-License-Identifier: Apache-2.0
// tunctl.site(5) is the contract "site key - directive": held against the table that reading
// follows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "ovpn/directive_table.h"
#include "supervisor/render/unit_overlay.h"
#include "supervisor/site/site_check.h"
#include "supervisor/site/site_keys.h"
#include "tests/pages/mdoc.h"

namespace {

const pages::Lines& site_page() {
  static const pages::Lines lines = pages::page("tunctl.site.5");
  return lines;
}

std::string range(const site::SiteKey& key) {
  return std::to_string(key.min) + " to " + std::to_string(key.max);
}

// "udp|udp4|udp6" -> "udp, udp4 or udp6"
std::string listed(std::string_view words) {
  const auto parts = base::split(words, '|');
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " or " : ", ";
    text += parts[i];
  }
  return text;
}

std::string takes(const site::SiteKey& key) {
  switch (key.kind) {
    case site::KeyKind::kText:
      return "text";
    case site::KeyKind::kWord:
      return listed(key.words);
    case site::KeyKind::kNumber:
      return range(key);
    case site::KeyKind::kSwitch:
      return "true or false";
    case site::KeyKind::kTexts:
      return "list of texts";
    case site::KeyKind::kNumbers:
      break;
  }
  return "list of " + range(key);
}

TEST(SitePage, TableIsTheKeyTable) {
  std::vector<std::string> wanted;
  for (const site::SiteKey& key : site::site_keys()) {
    const std::string directive =
        key.directive.empty() ? "\\-" : "Cm " + std::string(key.directive);
    wanted.push_back(".It Ic " + std::string(key.path) + " Ta " + directive + " Ta " + takes(key));
  }
  std::vector<std::string> rows;
  for (const std::string& line : pages::section(site_page(), ".Sh KEYS AND DIRECTIVES")) {
    if (line.starts_with(".It Ic ")) rows.push_back(line);
  }
  EXPECT_THAT(rows, testing::ElementsAreArray(wanted));
}

TEST(SitePage, ExplainsEveryKeyOnce) {
  std::vector<std::string> wanted;
  for (const site::SiteKey& key : site::site_keys()) {
    wanted.push_back("Ic " + std::string(key.path));
  }
  std::vector<std::string> explained;
  for (const auto& group : pages::groups_of(pages::section(site_page(), ".Sh KEYS"), "Ic")) {
    explained.push_back(group.first);
  }
  EXPECT_THAT(explained, testing::UnorderedElementsAreArray(wanted));
}

TEST(SitePage, ExamplesAreSites) {
  const auto examples = pages::displays(site_page());
  EXPECT_GE(examples.size(), 5U);
  for (const std::string& text : examples) {
    const auto reading = site::read_site("site-a", "the page", text);
    for (const auto& problem : reading.problems) {
      ADD_FAILURE() << base::to_string(problem) << " in\n" << text;
    }
    if (!reading.site) continue;
    for (const auto& problem : site::check_site(*reading.site, 8).problems) {
      ADD_FAILURE() << base::to_string(problem) << " in\n" << text;
    }
  }
}

TEST(SitePage, NamesWhatAUnitTakesOver) {
  std::vector<std::string> wanted;
  for (const ovpn::DirectiveRow& row : ovpn::directive_table()) {
    const bool dropped = render::dropped_in_unit(row.name).has_value();
    if (dropped && !row.name.starts_with("management")) wanted.emplace_back(row.name);
  }
  const auto lines = pages::section(site_page(), ".Sh WHAT A UNIT CHANGES IN A KEPT CONFIG");
  const auto words = pages::words_of(lines, "Cm");
  for (const std::string& name : wanted) EXPECT_THAT(words, testing::Contains(name));
  for (const std::string& word : words) {
    EXPECT_NE(ovpn::find_row(word), nullptr) << word << " is no directive";
  }
}

}  // namespace
