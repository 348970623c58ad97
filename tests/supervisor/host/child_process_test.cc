// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/child_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <vector>

#include "base/file.h"
#include "base/unique_fd.h"
#include "tests/supervisor/host/temporary_folder.h"

namespace host {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ChildOptions shell(const std::string& script) {
  return {"/bin/sh", {"-c", script}, {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}}, {}};
}

ChildExit wait_for(int pid) {
  for (int round = 0; round < 1000; ++round) {
    if (const auto exit = exit_of(pid)) return *exit;
    ::usleep(10000);
  }
  ADD_FAILURE() << "child still runs";
  return {};
}

TEST(StartChild, ReportsExitStatusAndSignal) {
  const auto seven = start_child(shell("exit 7"));
  ASSERT_TRUE(seven);
  EXPECT_EQ(wait_for(*seven), (ChildExit{CLD_EXITED, 7}));
  const auto killed = start_child(shell("kill -9 $$"));
  ASSERT_TRUE(killed);
  EXPECT_EQ(wait_for(*killed), (ChildExit{CLD_KILLED, SIGKILL}));
}

TEST(StartChild, AProgramThatIsNotThereIsAProblem) {
  const auto pid = start_child({"/no/such/program", {}, {}, {}});
  ASSERT_FALSE(pid);
  EXPECT_THAT(pid.error().message, HasSubstr("/no/such/program"));
}

TEST(StartChild, PutsDescriptorsWhereAChildLooksForThem) {
  const TemporaryFolder folder;
  const std::string first = folder / "first", second = folder / "second";
  ASSERT_EQ(base::write_file_atomically(first, "one\n", 0600), "");
  ASSERT_EQ(base::write_file_atomically(second, "two\n", 0600), "");
  const base::UniqueFd a(::open(first.c_str(), O_RDONLY | O_CLOEXEC));
  const base::UniqueFd b(::open(second.c_str(), O_RDONLY | O_CLOEXEC));
  // In the one order and in the other: both may lie where the other one goes.
  for (const bool swapped : {false, true}) {
    auto options = shell("cat <&3; cat <&4; ls /proc/self/fd | wc -l");
    options.descriptors = swapped ? std::vector{b.get(), a.get()} : std::vector{a.get(), b.get()};
    ::lseek(a.get(), 0, SEEK_SET);
    ::lseek(b.get(), 0, SEEK_SET);
    const auto text = output_of(options, 10000);
    ASSERT_TRUE(text.has_value());
    EXPECT_THAT(*text, HasSubstr(swapped ? "two\none\n6" : "one\ntwo\n6"));
  }
}

TEST(StartChild, GivesNoDescriptorOfOursAndTheWholeEnvironment) {
  const TemporaryFolder folder;
  const int leak = ::fcntl(STDERR_FILENO, F_DUPFD, 77);  // without close-on-exec, on purpose
  auto options = shell("ls /proc/self/fd; echo fold=$PWD var=$ONLY home=$HOME");
  options.environment["ONLY"] = "this";
  options.folder = folder.path();
  const auto text = output_of(options, 10000);
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, HasSubstr("fold=" + folder.path() + " var=this home=\n"));
  EXPECT_THAT(*text, Not(HasSubstr("\n" + std::to_string(leak) + "\n")));
  ::close(leak);
}

TEST(StartChild, HasACleanSignalMaskAndAGroupOfItsOwn) {
  sigset_t set, before;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &set, &before);
  const auto text =
      output_of(shell("grep SigBlk /proc/self/status; ps -o pgid= -p $$; echo $$"), 10000);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ASSERT_TRUE(text.has_value());
  EXPECT_THAT(*text, HasSubstr("SigBlk:\t0000000000000000"));
}

TEST(OutputOf, GivesUpOnAProgramThatDoesNotEnd) {
  EXPECT_FALSE(output_of(shell("exec sleep 30"), 200).has_value());
}

// A parent that is killed takes its child along: fork a parent, let it start one, kill it.
TEST(StartChild, DiesWithItsParent) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    const auto child = start_child(shell("exec sleep 60"));
    const int pid = child ? *child : 0;
    if (::write(ends[1], &pid, sizeof pid) < 0) ::_exit(1);
    for (;;) ::pause();
  }
  int child = 0;
  ASSERT_EQ(::read(ends[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  ASSERT_GT(child, 0);
  ASSERT_EQ(::kill(child, 0), 0);
  ::kill(parent, SIGKILL);
  int status = 0;
  ::waitpid(parent, &status, 0);
  // The orphan may stay a zombie if nobody above reaps it; that is dead as well.
  const auto dead = [child] {
    const auto text = base::read_file("/proc/" + std::to_string(child) + "/stat");
    return !text || text->find(") Z ") != std::string::npos;
  };
  for (int round = 0; round < 500 && !dead(); ++round) ::usleep(10000);
  EXPECT_TRUE(dead());
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(ExitOf, AStrangerCountsAsKilled) { EXPECT_EQ(exit_of(1), (ChildExit{CLD_KILLED, SIGKILL})); }

}  // namespace
}  // namespace host
