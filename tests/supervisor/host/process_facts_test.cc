// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/process_facts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "base/cpu_list.h"
#include "supervisor/host/child_process.h"
#include "tests/supervisor/host/temporary_folder.h"

namespace host {
namespace {

TEST(ReadProcess, SeesThisProcessAndItsAffinity) {
  const ProcessFacts facts = read_process(::getpid());
  EXPECT_TRUE(facts.exists);
  const auto main = std::find_if(facts.threads.begin(), facts.threads.end(),
                                 [](const ThreadFacts& t) { return t.tid == ::getpid(); });
  ASSERT_NE(main, facts.threads.end());
  EXPECT_EQ(main->cpus, base::affinity_of(0));
}

TEST(ReadProcess, NobodyIsThere) {
  EXPECT_FALSE(read_process(0).exists);
  EXPECT_FALSE(read_process(0x7ffffff0).exists);
}

TEST(ReadProcess, AReplacedProgramIsSeen) {
  const TemporaryFolder folder;
  const std::string program = folder / "sleeper";
  std::filesystem::copy_file("/bin/sleep", program);
  const auto pid = start_child({program, {"60"}, {}, {}});
  ASSERT_TRUE(pid);
  EXPECT_FALSE(read_process(*pid).program_deleted);
  std::filesystem::remove(program);
  std::filesystem::copy_file("/bin/sleep", program);
  const ProcessFacts facts = read_process(*pid);
  EXPECT_TRUE(facts.program_deleted);
  EXPECT_EQ(facts.program, program);
  const auto children = read_process(::getpid()).children;
  EXPECT_NE(std::find(children.begin(), children.end(), *pid), children.end());
  ::kill(*pid, SIGKILL);
  while (!exit_of(*pid)) ::usleep(1000);
}

TEST(OnlineCpus, HasAtLeastOne) { EXPECT_FALSE(online_cpus().empty()); }

}  // namespace
}  // namespace host
