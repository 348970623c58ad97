// SPDX-License-Identifier: Apache-2.0
// The sample sites of etc/examples are sound, and the two ends among them fit together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "ovpn/lexer.h"
#include "supervisor/render/described_profile.h"
#include "supervisor/render/far_end.h"
#include "supervisor/site/site_check.h"

namespace {

constexpr int kCpus = 8;

std::string folder() { return std::string(TUNCTL_SOURCE_DIR) + "/etc/examples/"; }

site::Site example(const std::string& name) {
  const auto bytes = base::read_file(folder() + name + ".toml");
  EXPECT_TRUE(bytes.ok()) << name;
  auto reading = site::read_site("site-a", name + ".toml", bytes.ok() ? *bytes : "");
  for (const auto& problem : reading.problems) ADD_FAILURE() << base::to_string(problem);
  return reading.site.value_or(site::Site{});
}

TEST(Examples, AreSoundSites) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    const auto checked = site::check_site(example(entry.path().stem()), kCpus);
    for (const auto& problem : checked.problems) ADD_FAILURE() << base::to_string(problem);
    ++count;
  }
  EXPECT_GE(count, 4);
}

// A key that is commented out must be one all the same: whoever takes the sign off wants no error.
TEST(Examples, CommentedKeysAreKeys) {
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    const auto bytes = base::read_file(entry.path());
    ASSERT_TRUE(bytes.ok());
    std::string text = *bytes;
    for (std::size_t at = 0; (at = text.find("\n# ", at)) != std::string::npos; ++at) {
      const std::string line = text.substr(at + 3, text.find('\n', at + 3) - at - 3);
      const bool is_key = line.find(" = ") != std::string::npos && line.find('`') == line.npos;
      if (is_key && line.find(' ') == line.find(" = ")) text.erase(at + 1, 2);
    }
    const auto reading = site::read_site("site-a", entry.path().filename().string(), text);
    for (const auto& problem : reading.problems) ADD_FAILURE() << base::to_string(problem);
  }
}

TEST(Examples, CallingEndIsTheWaitingEndsFarEnd) {
  const site::Site waiting = example("waiting-end");
  const auto derived = render::far_end_of(render::described_profile(waiting), waiting.far_end, {});
  ASSERT_TRUE(derived.ok());
  std::vector<std::string> wanted, written;
  for (const auto& line : derived->profile.directives) {
    wanted.push_back(ovpn::format_directive(line));
  }
  for (const auto& line : render::described_profile(example("calling-end")).directives) {
    if (line.name != "explicit-exit-notify") written.push_back(ovpn::format_directive(line));
  }
  EXPECT_THAT(written, testing::UnorderedElementsAreArray(wanted));
}

}  // namespace
