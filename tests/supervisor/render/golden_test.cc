// SPDX-License-Identifier: Apache-2.0
// Each folder of golden/ is a site; beside it lies what is rendered from it, byte for byte, for
// each end and each OpenVPN. UPDATE_GOLDEN=1 writes the files anew: read the difference then.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/file.h"
#include "ovpn/directive_table.h"
#include "ovpn/lexer.h"
#include "ovpn/native_support.h"
#include "supervisor/render/drop_in.h"
#include "supervisor/render/render.h"

namespace render {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(TUNCTL_SOURCE_DIR) / "tests/supervisor/render/golden";

std::string read(const std::filesystem::path& path) {
  auto bytes = base::read_file(path.string());
  return bytes ? std::move(bytes).value() : std::string();
}

// golden/tls.crt's, as openssl(1) prints it.
constexpr std::string_view kOwnFingerprint =
    "95:24:3B:DE:D6:22:2C:42:A9:23:2E:6B:48:3F:F4:5C:ED:AE:9D:3D:C9:FD:99:76:22:8F:BC:8D:47:88:6E:"
    "12";

void compare(const std::filesystem::path& path, const std::string& text) {
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  EXPECT_EQ(text, read(path)) << path;
}

class Golden : public testing::TestWithParam<std::string> {
 protected:
  Golden() {
    const auto folder = kFolder / GetParam();
    const std::string file = "/etc/tunctl/sites/" + GetParam() + ".toml";
    auto reading = site::read_site(GetParam(), file, read(folder / "site.toml"));
    if (!reading.site) throw std::runtime_error(base::to_string(reading.problems.front()));
    site_ = *reading.site;
    if (!site_.described) config_ = read(folder / "kept.conf");
    for (const auto& need : needed_files(site_, config_, site::Paths())) {
      files_[need.written] = read(kFolder / site::file_name_of(need.written));
    }
  }

  RenderInput input(End end, ForVersion version) const {
    return {.site = site_,
            .config_bytes = config_,
            .files = files_,
            .end = end,
            .version = version,
            .inline_key = true,
            .own_fingerprint = by_fingerprint() ? std::string(kOwnFingerprint) : ""};
  }

  bool by_fingerprint() const {
    return site_.described && site_.described->mode == site::Mode::kFingerprint;
  }

  bool is_client() const { return site_.described && site::is_client(*site_.described); }

  // Rendered text is a config that our own lexer and table take, and the native engine runs.
  static void expect_sound(const Rendered& rendered) {
    const auto lexed = ovpn::lex_config("rendered", rendered.artifacts.front().bytes);
    EXPECT_TRUE(lexed.problems.empty());
    EXPECT_EQ(lexed.profile.directives.size(), rendered.profile.directives.size());
    EXPECT_TRUE(ovpn::check_directives(lexed.profile).problems.empty());
    EXPECT_TRUE(ovpn::config_errors(lexed.profile).empty());
    for (const auto& gap : ovpn::native_gaps(lexed.profile)) {
      EXPECT_TRUE(gap.message.empty()) << base::to_string(gap);
    }
  }

  void expect_golden(End end, ForVersion version, const std::string& name) {
    const auto rendered = render::render(input(end, version));
    ASSERT_TRUE(rendered) << base::to_string(rendered.error().front());
    compare(kFolder / GetParam() / name, rendered->artifacts.front().bytes);
    if (end == End::kFar || site_.described) expect_sound(*rendered);
  }

  site::Site site_;
  std::string config_;
  std::map<std::string, std::string> files_;
};

TEST_P(Golden, BothEndsForEveryVersion) {
  expect_golden(End::kNear, ForVersion::kAny, "near.conf");
  if (is_client()) {
    const auto far = render::render(input(End::kFar, ForVersion::kAny));
    ASSERT_FALSE(far);
    EXPECT_TRUE(far.error().front().message.starts_with("the far end of a client is a server"));
    return;
  }
  expect_golden(End::kFar, ForVersion::kAny, "far.conf");
  if (!by_fingerprint()) expect_golden(End::kFar, ForVersion::k25, "far-2.5.conf");
  expect_golden(End::kFar, ForVersion::k26, "far-2.6.conf");
  expect_golden(End::kFar, ForVersion::k27, "far-2.7.conf");
}

TEST_P(Golden, InItsUnit) {
  RenderInput unit = input(End::kNear, ForVersion::kAny);
  unit.inline_key = false;
  unit.for_unit = true;
  unit.folder = "/run/tunctl/" + GetParam();
  unit.state_folder = "/var/lib/tunctl/" + GetParam();
  const auto rendered = render::render(unit);
  ASSERT_TRUE(rendered) << base::to_string(rendered.error().front());
  std::string text = rendered->artifacts.front().bytes;
  for (const auto& note : rendered->notes) text += "## note: " + note + "\n";
  for (const auto& file : rendered->artifacts) text += "## file: " + file.path + "\n";
  text += "## drop-in:\n";
  text += render_drop_in({site_, rendered->profile, {2, 3}, 254, rendered->nice});
  compare(kFolder / GetParam() / "unit.txt", text);
  const auto opt = [](const ovpn::Directive& line) {
    return line.name == "setenv" && !line.args.empty() && line.args[0] == "opt";
  };
  EXPECT_TRUE(!site_.described || std::none_of(rendered->profile.directives.begin(),
                                               rendered->profile.directives.end(), opt))
      << "a stock OpenVPN that does not know it would complain at every start";
  expect_sound(*rendered);
}

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.is_directory()) names.push_back(entry.path().filename());
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Sites, Golden, testing::ValuesIn(cases()), [](const auto& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace render
