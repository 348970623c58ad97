// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/supervisor/cli/bench.h"

namespace cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// Wrong types, unknown keys, wrong values and a missing file, each on a line of its own.
TEST(Check, TellsAllInOneGoInTheOrderOfTheFile) {
  Bench bench;
  bench.files.put("/etc/tunctl/sites/a.toml",
                  "prot = \"udp\"\n"
                  "port = \"2011\"\n"
                  "ifconfig = [\"10.8.0.1\"]\n"
                  "mode = \"static-key\"\n"
                  "secret = \"a.key\"\n"
                  "cipher = \"AES-256-GCM\"\n"
                  "route = [\"10.20.0.256/24\"]\n"
                  "mssfix = \"big\"\n"
                  "keepalive = [10, 11]\n"
                  "[run]\n"
                  "cpus = \"77\"\n"
                  "watchdog = 1\n"
                  "[far-end]\n"
                  "dev = \"a/b\"\n");
  EXPECT_EQ(bench.run({"check", "a"}), kInvalid);
  std::size_t at = 0;
  for (const int line : {1, 2, 3, 5, 6, 7, 8, 9, 11, 12, 14}) {
    const std::string place = "/etc/tunctl/sites/a.toml:" + std::to_string(line) + ":";
    const auto found = bench.err.find(place, at);
    ASSERT_NE(found, std::string::npos) << place << " is not told, or not in order\n" << bench.err;
    at = found;
  }
}

TEST(Check, SaysThatAFileIsNoSiteForItsName) {
  Bench bench;
  ASSERT_EQ(bench.make_site("a"), kOk);
  bench.files.put("/etc/tunctl/sites/Bad.Name.toml", "port = 1\n");
  bench.files.put("/etc/tunctl/sites/.a.toml.swp", "");
  EXPECT_EQ(bench.run({"check"}), kInvalid);
  EXPECT_THAT(bench.err, HasSubstr("sites/Bad.Name.toml: 'Bad.Name.toml' is no name for a site's"));
  EXPECT_THAT(bench.err, Not(HasSubstr(".swp")));
  EXPECT_THAT(bench.out, HasSubstr("a: ok"));
  EXPECT_EQ(bench.run({"check", "a"}), kOk) << "what was asked for is sound";
  EXPECT_EQ(bench.run({"list"}), kOk);
  EXPECT_THAT(bench.err, HasSubstr("warning: 'Bad.Name.toml'"));
}

// What only lies there is in nobody's way; what runs is, and what is run together.
TEST(Run, IsHeldUpByWhatRunsOnly) {
  Bench bench;
  bench.has_systemd = false;
  const char* config = "dev tun3\ncipher none\nauth none\nremote 192.0.2.7\nport 2011\n";
  bench.files.put("/srv/admin/x.conf", config);
  ASSERT_EQ(bench.run({"import", "x.conf"}), kOk) << bench.err;
  ASSERT_EQ(bench.run({"import", "x.conf", "--as", "x-2"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"--dry-run", "run", "x"}), kOk) << bench.err;
  EXPECT_THAT(bench.err, HasSubstr("warning: interface tun3 is also site x-2's"));
  EXPECT_EQ(bench.run({"--dry-run", "run", "x", "x-2"}), kInvalid);
  auto& other = bench.recorded.units["tunctl@x-2.service"];
  other.loaded = true;
  other.active_state = "active";
  EXPECT_EQ(bench.run({"--dry-run", "run", "x"}), kInvalid);
}

// What will run with the next boot is in the way of what is enabled; what only lies there is not.
TEST(Enable, IsHeldUpByWhatRunsOrIsEnabledOnly) {
  Bench bench;
  const char* config = "dev tun3\ncipher none\nauth none\nremote 192.0.2.7\nport 2011\n";
  bench.files.put("/srv/admin/x.conf", config);
  for (const char* name : {"x", "x-2"}) {
    ASSERT_EQ(bench.run({"import", "x.conf", "--as", name}), kOk) << bench.err;
    auto& unit = bench.services.units["tunctl@" + std::string(name) + ".service"];
    unit.loaded = true;
    unit.active_state = "inactive";
  }
  EXPECT_EQ(bench.run({"enable", "x", "x-2"}), kInvalid) << "both at once";
  EXPECT_EQ(bench.run({"check", "x"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"enable", "x"}), kOk) << bench.err;
  EXPECT_THAT(bench.err, HasSubstr("warning: interface tun3 is also site x-2's; name another one "
                                   "with dev, or `tunctl remove x-2`\n"));
  EXPECT_EQ(bench.run({"enable", "x-2"}), kInvalid);
  EXPECT_THAT(bench.err, HasSubstr("interface tun3 is also site x's"));
  EXPECT_EQ(bench.run({"check", "x-2"}), kInvalid);
  EXPECT_EQ(bench.run({"disable", "x"}), kOk) << bench.err;
  EXPECT_EQ(bench.run({"enable", "x-2"}), kOk) << bench.err;
}

TEST(Log, OfNoSiteIsToldAsSuch) {
  Bench bench;
  EXPECT_EQ(bench.run({"log", "nosuch"}), kNoSuchSite);
  EXPECT_TRUE(bench.became.empty());
  ASSERT_EQ(bench.make_site("a"), kOk);
  EXPECT_EQ(bench.run({"log", "a"}), kOk) << bench.err;
  EXPECT_FALSE(bench.became.empty());
}

TEST(NextStep, GoesToTheSameRoot) {
  Bench bench;
  EXPECT_EQ(bench.run({"--root", "/mnt", "new", "a", "--mode", "static-key", "--remote", "h"}), kOk)
      << bench.err;
  EXPECT_THAT(bench.out, HasSubstr("next, here:     tunctl --root /mnt run a\n"));
  EXPECT_THAT(bench.out, HasSubstr("tunctl --root /mnt render a --far-end"));
  EXPECT_EQ(bench.run({"--root", "/mnt", "stop", "a"}), kFailed);
  EXPECT_THAT(bench.err, HasSubstr("SIGTERM"));
}

TEST(New, WarnsOfWhatAnotherSiteHas) {
  Bench bench;
  ASSERT_EQ(bench.make_site("a"), kOk);
  EXPECT_EQ(
      bench.run({"new", "b", "--mode", "static-key", "--remote", "192.0.2.8", "--port", "1194"}),
      kOk)
      << bench.err;
  EXPECT_THAT(bench.err, HasSubstr("warning: port 1194 is also site a's"));
  EXPECT_EQ(bench.run({"new", "c", "--mode", "static-key", "--remote", "192.0.2.8"}), kOk);
  EXPECT_EQ(bench.err, "");
}

TEST(Key, OfNoSiteYetSaysSo) {
  Bench bench;
  EXPECT_EQ(bench.run({"key", "gen", "a"}), kOk);
  EXPECT_THAT(bench.err,
              HasSubstr("there is no site a yet; `tunctl new a --mode static-key` makes one"));
  ASSERT_EQ(bench.make_site("a"), kOk);
  EXPECT_EQ(bench.run({"key", "gen", "a", "--force"}), kOk);
  EXPECT_THAT(bench.err, HasSubstr("the far end needs the same key"));
}

}  // namespace
}  // namespace cli
