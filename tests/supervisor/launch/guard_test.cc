// SPDX-License-Identifier: Apache-2.0
// exec and the guard with real processes: a script takes stock OpenVPN's place, this test the
// service manager's.
#include "supervisor/launch/guard.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu_list.h"
#include "base/file.h"
#include "base/text.h"
#include "base/time.h"
#include "supervisor/host/child_process.h"
#include "supervisor/host/notify.h"
#include "supervisor/launch/exec_site.h"
#include "supervisor/launch/failure_note.h"
#include "tests/supervisor/host/temporary_folder.h"

namespace launch {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

class ExecTest : public ::testing::Test {
 protected:
  ExecTest() {
    plan.site = "a";
    plan.fastpath = false;
    plan.program = std::string(TUNCTL_SOURCE_DIR) + "/tests/supervisor/launch/fake_stock.py";
    plan.argv = {"--config", "a.conf"};
    plan.stock_26 = {"--providers", "legacy", "default"};
    plan.runtime_folder = folder.path();
  }
  ~ExecTest() override {
    if (child > 0) ::kill(child, SIGKILL);
    if (child > 0) ::waitpid(child, nullptr, 0);
  }
  void put(const std::string& name, const std::string& text) {
    ASSERT_EQ(base::write_file_atomically(folder / name, text, 0644), "");
  }
  std::string read(const std::string& name) {
    const auto text = base::read_file(folder / name);
    return text ? *text : "";
  }
  // `tunctl exec` in a child of its own, as the unit's main process.
  void exec() {
    child = ::fork();
    if (child != 0) return;
    auto environment = host::current_environment();
    environment["NOTIFY_SOCKET"] = notify.address();
    environment["WATCHDOG_USEC"] = "10000000";
    ::setenv("NOTIFY_SOCKET", notify.address().c_str(), 1);
    const base::Log log([](base::LogLevel, std::string_view) {});
    ::_exit(exec_site({"a", "/usr/bin/tunctl", folder.path(), environment}, log));
  }
  void start(const std::string& script) {
    put("stock-script", script);
    put("launch.json", format_launch_plan(plan));
    exec();
  }
  // Reads what the child says until `text` is in it.
  void hear(const std::string& text) {
    const base::TimePoint end = base::monotonic_now() + seconds(20);
    while (heard.find(text) == std::string::npos) {
      ASSERT_LT(base::monotonic_now(), end) << "no '" << text << "' in:\n" << heard;
      pollfd ready{notify.fd(), POLLIN, 0};
      ::poll(&ready, 1, 100);
      while (const auto datagram = notify.receive()) {
        EXPECT_EQ(datagram->sender, child);  // the guard alone speaks
        heard += datagram->message + "\n";
      }
    }
  }
  int exit_status() {
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    child = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  TemporaryFolder folder;
  LaunchPlan plan;
  host::NotifySocket notify;
  std::string heard;
  pid_t child = 0;
};

constexpr const char* kComesUp =
    "say >HOLD:Waiting for hold release:0\nwait hold release\n"
    "say >STATE:1796072480,ASSIGN_IP,,10.8.0.2,,,,\nwait status\n";

TEST_F(ExecTest, StockComesUpAndStopsWhenAsked) {
  start(std::string(kComesUp) +
        "say >STATE:1796072490,CONNECTED,SUCCESS,10.8.0.2,10.0.0.1,2011,,\nserve\n");
  hear("READY=1");
  hear("STATUS=CONNECTED peer 10.0.0.1:2011");
  hear("WATCHDOG=1");
  EXPECT_THAT(read("stock-arguments"),
              HasSubstr("--config a.conf --providers legacy default --suppress-timestamps "
                        "--management management.sock unix --management-client"));
  EXPECT_THAT(read("stock-arguments"), Not(HasSubstr("NOTIFY_SOCKET")));
  ::kill(child, SIGTERM);
  EXPECT_EQ(exit_status(), 0);
}

TEST_F(ExecTest, AStockThatIsKilledIsAFailure) {
  start(std::string(kComesUp) + "exit 0\n");
  hear("STATUS=EXITING - stock OpenVPN ended with exit status 0");
  EXPECT_EQ(exit_status(), kExitFailed);
}

TEST_F(ExecTest, WhatNoRestartMendsEndsWith78) {
  start("say >FATAL:Cipher BF-CBC not supported\nexit 1\n");
  hear("STATUS=EXITING - Cipher BF-CBC not supported");
  EXPECT_EQ(exit_status(), kExitPermanent);
}

TEST_F(ExecTest, OptionsThatAreRefusedEndWith78) {
  start("refuse\n");
  hear("refuses its options");
  EXPECT_EQ(exit_status(), kExitPermanent);
}

TEST_F(ExecTest, AHungStockFeedsNoWatchdogAndDiesWithItsGuard) {
  plan.watchdog_seconds = 1;
  start(std::string(kComesUp) + "hang\n");
  hear("READY=1");
  ::usleep(1'200'000);
  while (notify.receive()) {
  }
  ::usleep(1'000'000);
  while (const auto datagram = notify.receive()) {
    EXPECT_THAT(datagram->message, Not(HasSubstr("WATCHDOG=1")));
  }
  const auto stock = base::parse_number<int>(base::trim(read("stock-pid")));
  ASSERT_TRUE(stock.has_value());
  EXPECT_EQ(::kill(*stock, 0), 0);
  ::kill(child, SIGKILL);
  EXPECT_EQ(exit_status(), -SIGKILL);
  // Whoever adopts the orphan may be slow to reap it; a zombie is dead as well.
  const auto dead = [&stock] {
    const auto text = base::read_file("/proc/" + std::to_string(*stock) + "/stat");
    return !text || text->find(") Z ") != std::string::npos;
  };
  for (int round = 0; round < 500 && !dead(); ++round) ::usleep(10'000);
  EXPECT_TRUE(dead());
}

TEST_F(ExecTest, AProgramThatIsNotThereIsForGood) {
  put("stock-script", "");
  plan.program = "/no/such/openvpn";
  put("launch.json", format_launch_plan(plan));
  exec();
  EXPECT_EQ(exit_status(), kExitPermanent);
}

// A program that answers nothing may be on a slow disk; one that answers nonsense is no OpenVPN.
TEST_F(ExecTest, OnlyALastingFaultOfTheProgramIsForGood) {
  const auto status_with = [this](const std::string& script) {
    put("stock-script", "");
    put("program", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(folder / "program", std::filesystem::perms::owner_all);
    plan.program = folder / "program";
    put("launch.json", format_launch_plan(plan));
    exec();
    return exit_status();
  };
  EXPECT_EQ(status_with("exec sleep 30"), kExitFailed);
  EXPECT_EQ(status_with("echo hello"), kExitPermanent);
}

TEST_F(ExecTest, TheFastPathTakesTheProcessOverWithItsWatchdogAndCpus) {
  plan.fastpath = true;
  plan.program = "/bin/sh";
  plan.argv = {"-c",
               "echo $WATCHDOG_USEC $WATCHDOG_PID $$ >\"$0\"; grep Cpus_allowed_list "
               "/proc/self/status >>\"$0\"",
               folder / "out"};
  plan.cpus = {base::affinity_of(0).front()};
  plan.watchdog_seconds = 4;
  put("launch.json", format_launch_plan(plan));
  exec();
  hear("WATCHDOG_USEC=4000000");  // the unit thinks otherwise
  const std::string pid = std::to_string(child);
  EXPECT_EQ(exit_status(), 0);
  EXPECT_THAT(read("out"), HasSubstr("4000000 " + pid + " " + pid + "\n"));
  EXPECT_THAT(read("out"), HasSubstr(":\t" + std::to_string(plan.cpus.front()) + "\n"));
}

TEST_F(ExecTest, ReadyConnectedAsksForMoreTime) {
  plan.ready_connected = true;
  plan.ready_timeout_seconds = 1;
  start(std::string(kComesUp) + "serve\n");
  hear("EXTEND_TIMEOUT_USEC=11000000");
  hear("EXITING - the peer was not heard");
  EXPECT_EQ(exit_status(), kExitFailed);
}

TEST_F(ExecTest, PreparesFailureIsCarriedOn) {
  put(kFailureFile, format_failure_note({78, "a.toml:1:1: unknown key"}));
  exec();
  hear("STATUS=EXITING - a.toml:1:1: unknown key");
  EXPECT_EQ(exit_status(), 78);
}

TEST_F(ExecTest, NothingPreparedIsTriedAgain) {
  exec();
  EXPECT_EQ(exit_status(), kExitFailed);
}

}  // namespace
}  // namespace launch
