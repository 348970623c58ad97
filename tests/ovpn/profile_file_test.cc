// SPDX-License-Identifier: Apache-2.0
#include "ovpn/profile_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "ovpn/remote_list.h"
#include "ovpn/tunnel_kind.h"

namespace ovpn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Files {
 public:
  using Map = std::map<std::string, std::string>;
  explicit Files(Map files) : files_(std::move(files)) {}
  LexResult read(const std::string& path) {
    return read_profile(path, [this](const std::string& wanted) -> base::Result<std::string> {
      ++reads_;
      const auto file = files_.find(wanted);
      if (file == files_.end()) return base::Problem{{}, "cannot read " + wanted, "create it"};
      return file->second;
    });
  }
  int reads() const { return reads_; }

 private:
  Map files_;
  int reads_ = 0;
};

std::vector<std::string> names(const Profile& profile) {
  std::vector<std::string> result;
  for (const Directive& directive : profile.directives) result.push_back(directive.name);
  return result;
}

TEST(ReadProfile, ExpandsIncludesInPlace) {
  Files files(Files::Map{
      {"a", "dev tun\nconfig b\nverb 3\n"}, {"b", "port 1\nconfig c\n"}, {"c", "mute 2"}});
  const LexResult result = files.read("a");
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_THAT(names(result.profile), ElementsAre("dev", "port", "mute", "verb"));
  EXPECT_EQ(result.profile.directives[2].place, (base::Place{"c", 1, 1}));
}

TEST(ReadProfile, FollowsEachCdFromWhereTheLastOneLed) {
  const auto folder = [](const char* text, const char* start = "/srv") {
    return folder_after_cd(lex_config("a", text).profile, start);
  };
  EXPECT_EQ(folder("verb 3\n"), "/srv");
  EXPECT_EQ(folder("cd sub\n"), "/srv/sub");
  EXPECT_EQ(folder("cd /etc\nverb 3\ncd openvpn\n"), "/etc/openvpn");
  EXPECT_EQ(folder("cd x\ncd /\ncd y\n"), "/y");
  EXPECT_EQ(folder("cd x\n", ""), "x");
}

TEST(ReadProfile, LooksUpFromTheWorkingDirectory) {
  Files files({{"etc/a", "cd /srv\nconfig b\ncd x\nconfig c\nconfig /d\nconfig stdin\n"},
               {"/srv/b", "port 1"},
               {"/srv/x/c", "mute 1"},
               {"/d", "verb 1"},
               {"stdin", "nobind"}});
  const LexResult result = files.read("etc/a");
  EXPECT_THAT(result.problems, IsEmpty());
  EXPECT_THAT(names(result.profile), ElementsAre("cd", "port", "cd", "mute", "verb", "nobind"));
}

TEST(ReadProfile, PointsAtTheLineThatAsked) {
  Files files(Files::Map{{"a", "dev tun\n config gone\n"}});
  const LexResult result = files.read("a");
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_EQ(base::to_string(result.problems[0]), "a:2:2: cannot read gone; create it");
  EXPECT_EQ(base::to_string(files.read("none").problems.at(0)), "cannot read none; create it");
}

TEST(ReadProfile, StopsAtSelfInclusion) {
  Files once(Files::Map{{"a", "config a\n"}});
  EXPECT_THAT(once.read("a").problems.at(0).message, HasSubstr("more than 10 deep"));
  Files twice(Files::Map{{"a", "config a\nconfig a\nconfig a\n"}});
  const LexResult result = twice.read("a");
  EXPECT_FALSE(result.problems.empty());
  EXPECT_LE(twice.reads(), static_cast<int>(kIncludedFilesMax));
}

TEST(EffectiveProfile, ObeysConditionalLines) {
  const Profile profile =
      lex_config("t",
                 "setenv opt ping 5\nsetenv opt nonsense\nsetenv opt block-outside-dns\n"
                 "ignore-unknown-option foo keysize\nfoo\nkeysize 128\nbar\nsetenv A b\n"
                 "setenv FORWARD_COMPATIBLE 1\nnonsense\nverb 3\n")
          .profile;
  EXPECT_THAT(names(effective_profile(profile)),
              ElementsAre("ping", "ignore-unknown-option", "bar", "setenv", "setenv", "verb"));
  EXPECT_EQ(effective_profile(profile).arg("ping"), "5");
}

TEST(RemoteList, FollowsPortsAndBlocks) {
  const auto remotes = [](const std::string& text) {
    std::vector<std::string> result;
    for (const Remote& remote : remote_list(lex_config("t", text).profile)) {
      result.push_back(remote.host + " " + remote.port + " " + remote.proto);
    }
    return result;
  };
  EXPECT_THAT(remotes("remote a\nport 2011\n"), ElementsAre("a 2011 udp"));
  EXPECT_THAT(remotes("remote a\nremote b 5 udp6\nrport 7\nproto udp4\n"),
              ElementsAre("a 7 udp4", "b 5 udp6"));
  EXPECT_THAT(remotes("remote a\n"), ElementsAre("a 1194 udp"));
  EXPECT_THAT(remotes("dev tun\n"), IsEmpty());
  EXPECT_THAT(remotes("remote a\n<connection>\nremote b\nrport 9\n</connection>\n"
                      "<connection>\nproto udp6\n</connection>\n"),
              ElementsAre("b 9 udp"));
  EXPECT_EQ(local_port(lex_config("t", "port 5\nlport 6\n").profile), "6");
  EXPECT_EQ(local_port(lex_config("t", "lport 6\nport 5\n").profile), "5");
  EXPECT_EQ(local_port({}), "1194");
}

TEST(TunnelKind, IsReadFromTheConfig) {
  const auto profile = [](const std::string& text) { return lex_config("t", text).profile; };
  EXPECT_EQ(tunnel_mode(profile("secret k\n")), TunnelMode::kStaticKey);
  EXPECT_EQ(tunnel_mode(profile("client\n")), TunnelMode::kTls);
  EXPECT_EQ(tunnel_mode(profile("cipher none\n")), TunnelMode::kNull);
  EXPECT_EQ(key_direction(profile("secret k\n")), KeyDirection::kBidirectional);
  EXPECT_EQ(key_direction(profile("secret k 0\n")), KeyDirection::kNormal);
  EXPECT_EQ(key_direction(profile("secret [inline] 1\n<secret>\nx\n</secret>\n")),
            KeyDirection::kInverse);
  EXPECT_EQ(key_direction(profile("key-direction 1\n<secret>\nx\n</secret>\n")),
            KeyDirection::kInverse);
  EXPECT_EQ(configured_cipher({})->name, "BF-CBC");
  EXPECT_EQ(configured_digest(profile("auth sha512\n"))->name, "SHA512");
  EXPECT_EQ(device_type(profile("dev tun3\n")), DeviceType::kTun);
  EXPECT_EQ(device_type(profile("dev null\n")), DeviceType::kNull);
  EXPECT_EQ(device_type(profile("dev site-a\ndev-type tun\n")), DeviceType::kTun);
  EXPECT_EQ(device_type(profile("dev site-a\n")), DeviceType::kUnknown);
}

}  // namespace
}  // namespace ovpn
