// SPDX-License-Identifier: Apache-2.0
// LocalManager with real children: a small script takes tunctl's place.
#include "supervisor/host/local_manager.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "supervisor/host/unit_record.h"
#include "tests/supervisor/host/temporary_folder.h"

namespace host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr const char* kUnit = "tunctl@a.service";

// `prepare a` leaves a word in the runtime folder; `exec a` obeys a file beside the script.
constexpr const char* kScript = R"PY(#!/usr/bin/env python3
import os, signal, socket, sys, time
verb, folder, here = sys.argv[1], os.environ["RUNTIME_DIRECTORY"], os.path.dirname(__file__)
if verb == "prepare":
    assert sys.argv[2] == "--foreground"
    open(folder + "/word", "w").write("prepared")
    print("hello", flush=True)
    sys.exit(0)
assert open(folder + "/word").read() == "prepared"
assert os.environ["WATCHDOG_USEC"] == "400000"
how = open(here + "/how").read()
if how == "permanent":
    sys.exit(78)
address = os.environ["NOTIFY_SOCKET"]
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.connect("\0" + address[1:])
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
notify.send(b"READY=1\nSTATUS=CONNECTED")
while True:
    time.sleep(0.1)
    notify.send(b"WATCHDOG=1")
)PY";

class LocalManagerTest : public ::testing::Test {
 protected:
  LocalManagerTest() {
    EXPECT_EQ(base::write_file_atomically(folder / "tunctl", kScript, 0755), "");
    how("run");
    settings.root = folder.path();
    settings.program = folder / "tunctl";
    settings.rules.restart_first = milliseconds(100);
    settings.rules.watchdog = milliseconds(400);
    settings.rules.abort_limit = milliseconds(200);
  }
  void how(const std::string& word) {
    EXPECT_EQ(base::write_file_atomically(folder / "how", word, 0644), "");
  }
  std::unique_ptr<LocalManager> make() {
    auto manager = std::make_unique<LocalManager>(
        settings, base::Log([this](base::LogLevel, std::string_view line) {
          log.append(line).append("\n");
        }));
    EXPECT_EQ(manager->adopt("a"), "");
    return manager;
  }
  static void wait_until_running(LocalManager& manager, std::uint32_t restarts) {
    for (int round = 0; round < 200; ++round) {
      const auto status = manager.status(kUnit);
      if (status->restarts >= restarts && status->active_state == "active") return;
      manager.run_for(milliseconds(50));
    }
    FAIL() << "not running again";
  }

  TemporaryFolder folder;
  LocalSettings settings;
  std::string log;
};

TEST_F(LocalManagerTest, StartsStopsAndLeavesNoFolder) {
  const auto manager = make();
  const auto started = manager->start(kUnit, seconds(20), {});
  ASSERT_TRUE(started);
  EXPECT_EQ(started->result, JobResult::kDone) << log;
  EXPECT_EQ(manager->status(kUnit)->status_text, "CONNECTED");
  EXPECT_TRUE(std::filesystem::exists(folder / "run/tunctl/.run/a/word"));
  EXPECT_THAT(manager->adopt("a"), HasSubstr("another `tunctl run`"));
  const auto stopped = manager->stop(kUnit, seconds(20));
  ASSERT_TRUE(stopped);
  EXPECT_EQ(manager->status(kUnit)->active_state, "inactive");
  EXPECT_FALSE(std::filesystem::exists(folder / "run/tunctl/.run/a"));
}

TEST_F(LocalManagerTest, AKilledChildComesBackAndTheRecordSaysSo) {
  const auto manager = make();
  ASSERT_TRUE(manager->start(kUnit, seconds(20), {}));
  const int first = manager->status(kUnit)->main_pid;
  ::kill(first, SIGKILL);
  wait_until_running(*manager, 1);
  EXPECT_NE(manager->status(kUnit)->main_pid, first);
  manager->run_for(milliseconds(1100));  // a record is at most a second old
  RecordedManager recorded(folder / "run/tunctl");
  EXPECT_EQ(recorded.status(kUnit)->restarts, 1u);
  EXPECT_EQ(recorded.status(kUnit)->active_state, "active");
}

// Also when it was killed: what it left on the machine has to go without another start.
TEST_F(LocalManagerTest, ACommandIsRunWhenASiteHasEnded) {
  const std::string count = folder / "count";
  settings.command_after = [&count](const std::string& site) {
    return std::vector<std::string>{"/bin/sh", "-c", "echo " + site + " >> " + count};
  };
  auto manager = make();
  ASSERT_EQ(manager->start(kUnit, seconds(20), {})->result, JobResult::kDone);
  const std::string before = base::read_file(count).value();
  ::kill(manager->status(kUnit)->main_pid, SIGKILL);
  for (int round = 0; round < 200 && manager->status(kUnit)->active_state == "active"; ++round) {
    manager->run_for(milliseconds(20));
  }
  EXPECT_GT(base::read_file(count).value().size(), before.size());
  ASSERT_EQ(manager->stop(kUnit, seconds(20))->result, JobResult::kDone);
}

TEST_F(LocalManagerTest, AStoppedChildMissesItsWatchdog) {
  const auto manager = make();
  ASSERT_TRUE(manager->start(kUnit, seconds(20), {}));
  ::kill(manager->status(kUnit)->main_pid, SIGSTOP);
  wait_until_running(*manager, 1);
  EXPECT_THAT(log, HasSubstr("watchdog missed"));
}

TEST_F(LocalManagerTest, Exit78IsNotTriedAgain) {
  how("permanent");
  const auto manager = make();
  const auto started = manager->start(kUnit, seconds(20), {});
  ASSERT_TRUE(started);
  EXPECT_EQ(started->result, JobResult::kFailed);
  manager->run_for(milliseconds(400));
  EXPECT_EQ(manager->status(kUnit)->active_state, "failed");
  EXPECT_FALSE(manager->run());  // every site failed for good: it ends by itself
}

TEST_F(LocalManagerTest, ADestroyedManagerLeavesNoChild) {
  int pid = 0;
  {
    const auto manager = make();
    ASSERT_TRUE(manager->start(kUnit, seconds(20), {}));
    pid = manager->status(kUnit)->main_pid;
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

TEST_F(LocalManagerTest, OfSeveralSitesEachLineSaysWhoseItIs) {
  settings.label_output = true;
  const auto manager = make();
  EXPECT_EQ(manager->adopt("b"), "");
  ASSERT_TRUE(manager->start(kUnit, seconds(20), {}));
  ASSERT_TRUE(manager->start("tunctl@b.service", seconds(20), {}));
  EXPECT_THAT(log, HasSubstr("a: hello\n"));
  EXPECT_THAT(log, HasSubstr("b: hello\n"));
}

TEST_F(LocalManagerTest, LeavesNothingInTheRunFolder) {
  {
    const auto manager = make();
    ASSERT_TRUE(manager->start(kUnit, seconds(20), {}));
    std::filesystem::create_directory(folder / "run/tunctl/.interfaces");
    EXPECT_EQ(base::write_file_atomically(folder / "run/tunctl/.interfaces/tun3",
                                          "a\nname-servers link\n", 0444),
              "");
    ASSERT_TRUE(manager->stop(kUnit, seconds(20)));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder / "run/tunctl"));
}

TEST_F(LocalManagerTest, RunEndsOnSigterm) {
  const auto manager = make();
  ASSERT_TRUE(manager->start(kUnit, seconds(20), {}));
  ::kill(::getpid(), SIGTERM);
  EXPECT_TRUE(manager->run());
  EXPECT_EQ(manager->status(kUnit)->active_state, "inactive");
}

}  // namespace
}  // namespace host
