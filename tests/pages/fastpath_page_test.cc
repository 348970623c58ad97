// SPDX-License-Identifier: Apache-2.0
// tunctl-fastpath(8) says of every directive, cipher, digest and drop what the tables say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "fastpath/packet/drop_reason.h"
#include "ovpn/cipher_name.h"
#include "ovpn/directive_table.h"
#include "tests/pages/mdoc.h"

namespace {

using Names = std::set<std::string>;

const pages::Lines& fastpath_page() {
  static const pages::Lines lines = pages::page("tunctl-fastpath.8");
  return lines;
}

Names as_set(const std::vector<std::string>& words) { return {words.begin(), words.end()}; }

// Note -> names, as the table has them.
std::map<std::string, Names> by_note(ovpn::NativeUse use) {
  std::map<std::string, Names> groups;
  for (const ovpn::DirectiveRow& row : ovpn::directive_table()) {
    const std::string note(row.note.empty() ? "Without effect here" : row.note);
    if (row.native == use) groups[note].insert(std::string(row.name));
  }
  return groups;
}

// Heading -> names, as the page has them. A name that stands twice is a failure.
std::map<std::string, Names> on_page(std::string_view title) {
  std::map<std::string, Names> groups;
  for (const auto& [head, words] : pages::groups_of(pages::section(fastpath_page(), title), "Cm")) {
    EXPECT_EQ(as_set(words).size(), words.size()) << title << ", " << head;
    groups[head].insert(words.begin(), words.end());
  }
  return groups;
}

// What to write into the page if it is wrong, ready to be copied.
std::string as_mdoc(const std::map<std::string, Names>& groups) {
  std::string text;
  for (const auto& [head, names] : groups) {
    text += ".It " + head + "\n.Cm";
    for (const std::string& name : names) text += (text.ends_with(".Cm") ? " " : " , ") + name;
    text += "\n";
  }
  return text;
}

TEST(FastpathPage, ListsEveryHonouredDirective) {
  Names listed;
  for (const auto& [head, names] : on_page(".Ss Honoured directives")) {
    for (const std::string& name : names) {
      EXPECT_TRUE(listed.insert(name).second) << name << " is listed twice";
    }
  }
  Names wanted;
  for (const auto& [note, names] : by_note(ovpn::NativeUse::kHonoured)) {
    wanted.insert(names.begin(), names.end());
  }
  EXPECT_THAT(listed, testing::ContainerEq(wanted));
}

TEST(FastpathPage, ListsTheOthersByTheirNote) {
  const std::pair<const char*, ovpn::NativeUse> sections[] = {
      {".Ss Harmless directives", ovpn::NativeUse::kHarmless},
      {".Ss Directives of TLS mode", ovpn::NativeUse::kTls},
      {".Ss Refused directives", ovpn::NativeUse::kRefused},
      {".Ss Removed directives", ovpn::NativeUse::kRemoved},
  };
  for (const auto& [title, use] : sections) {
    EXPECT_EQ(on_page(title), by_note(use)) << title << " should list:\n" << as_mdoc(by_note(use));
  }
}

TEST(FastpathPage, ListsCiphersAndDigests) {
  Names wanted;
  for (const ovpn::CipherName& row : ovpn::cipher_table()) {
    const bool native = row.is_none() || row.mode == ovpn::CipherMode::kCbc;
    if (native) wanted.insert(std::string(row.name));
  }
  for (const ovpn::DigestName& row : ovpn::digest_table()) wanted.insert(std::string(row.name));
  const auto lines = pages::section(fastpath_page(), ".Ss Ciphers and digests");
  EXPECT_THAT(as_set(pages::words_of(lines, "Li")), testing::ContainerEq(wanted));
}

TEST(FastpathPage, ExplainsEveryDrop) {
  std::vector<std::string> wanted;
  for (std::size_t i = 1; i < packet::kDropReasons; ++i) {
    wanted.push_back("Li " + std::string(to_string(static_cast<packet::DropReason>(i))));
  }
  std::vector<std::string> listed;
  for (const auto& group :
       pages::groups_of(pages::section(fastpath_page(), ".Ss Dropped packets"), "Li")) {
    listed.push_back(group.first);
  }
  EXPECT_THAT(listed, testing::UnorderedElementsAreArray(wanted));
}

}  // namespace
