// SPDX-License-Identifier: Apache-2.0
// Verbs that are killed before each of their changes: nothing half-made counts as whole, and the
// same command run again ends where an undisturbed one does.
#include <gtest/gtest.h>

#include <functional>

#include "ovpn/static_key.h"
#include "tests/supervisor/cli/bench.h"

namespace cli {
namespace {

using Words = std::vector<std::string>;

struct Machine : Bench {
  explicit Machine(const std::string& key) {
    services.units["tunctl@a.service"].loaded = true;
    services.units["tunctl@a.service"].active_state = "inactive";
    files.put("/srv/admin/plain.conf", "dev tun3\nsecret static.key\nremote 192.0.2.7\n");
    files.put("/srv/admin/static.key", key, 0600);
  }

  // Dies before its change number `step`; true if it got that far.
  bool run_and_die(const Words& words, int step) {
    files.fail_from = files.changes + step;
    files.dead = true;
    const int before = files.changes;
    run(words);
    const bool died = files.changes > before + step;
    files.fail_from.reset();
    files.dead = false;
    return died;
  }

  std::string picture() const {
    std::string text;
    for (const auto& [path, entry] : files.entries) {
      if (path.starts_with("/srv") || entry.status.is_directory) continue;
      text += path + " " + std::to_string(entry.status.mode) + "\n" + entry.bytes + "\n";
    }
    return text;
  }
};

const std::string& key_text() {
  static const std::string text = ovpn::format_static_key(ovpn::generate_static_key());
  return text;
}

// `before` sets the machine up. Keys that `new` makes differ, so it is given one.
void survives(const Words& words, const std::vector<Words>& before) {
  const auto machine = [&before] {
    auto made = std::make_unique<Machine>(key_text());
    made->files.put("/etc/tunctl/keys/a/a.key", key_text(), 0600);
    for (const Words& setup : before) EXPECT_EQ(made->run(setup), kOk) << made->err;
    return made;
  };
  const auto whole = machine();
  ASSERT_EQ(whole->run(words), kOk) << whole->err;
  int step = 0;
  for (bool died = true; died; ++step) {
    ASSERT_LT(step, 50);
    const auto killed = machine();
    const bool site_before = killed->files.entries.contains("/etc/tunctl/sites/a.toml");
    died = killed->run_and_die(words, step);
    if (!died) break;
    const bool site_after = killed->files.entries.contains("/etc/tunctl/sites/a.toml");
    const int checked = killed->run({"check", "a"});
    EXPECT_EQ(checked, site_after ? kOk : kNoSuchSite) << words[0] << step << killed->err;
    const int again = killed->run(words);
    // What was done to the last step says so; all else is done now.
    const bool told = again != kOk && !killed->err.empty() && site_before != site_after;
    EXPECT_TRUE(again == kOk || told) << words[0] << step << killed->err;
    EXPECT_EQ(killed->picture(), whole->picture()) << words[0] << " killed at " << step;
  }
  EXPECT_GT(step, 0) << words[0] << " changed nothing";
}

const Words kNew{"new", "a", "--mode", "static-key", "--remote", "192.0.2.7"};

TEST(Killed, New) { survives(kNew, {}); }
TEST(Killed, Import) { survives({"import", "plain.conf", "--as", "a"}, {}); }
TEST(Killed, Enable) { survives({"enable", "a"}, {kNew}); }
TEST(Killed, Disable) { survives({"disable", "a"}, {kNew, {"enable", "a"}}); }
TEST(Killed, Remove) { survives({"remove", "a"}, {kNew, {"enable", "a"}}); }
TEST(Killed, RenderTo) { survives({"render", "a", "--to", "/tmp/out"}, {kNew}); }

// The drop-in was written, and then nobody told systemd.
TEST(Killed, EnableTellsSystemdWhatItMissed) {
  Machine machine(key_text());
  ASSERT_EQ(machine.run(kNew), kOk);
  ASSERT_EQ(machine.run({"enable", "a"}), kOk) << machine.err;
  machine.services.calls.clear();
  machine.services.units["tunctl@a.service"].needs_reload = true;
  EXPECT_EQ(machine.run({"enable", "a"}), kOk) << machine.err;
  EXPECT_EQ(machine.services.calls, std::vector<std::string>{"daemon-reload"});
}

}  // namespace
}  // namespace cli
