// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/journal.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/supervisor/host/temporary_folder.h"

namespace host {
namespace {

constexpr uid_t kNobody = 65534;

TEST(Journal, IsSeenToBeSomebodyElses) {
  TemporaryFolder folder;
  ::chmod(folder.path().c_str(), 0755);
  const std::string machine = folder / "0123456789abcdef", file = machine + "/system.journal";
  EXPECT_TRUE(may_read_journal_in({folder / "none"})) << "there is nothing to be refused";
  ::mkdir(machine.c_str(), 0755);
  EXPECT_TRUE(may_read_journal_in({folder.path()}));
  std::ofstream(file) << "x";
  EXPECT_TRUE(may_read_journal_in({folder.path()}));
  ::chmod(file.c_str(), 0);
  const bool root = ::geteuid() == 0;
  if (root) {
    ASSERT_EQ(::seteuid(kNobody), 0);  // root reads what is closed
  }
  const bool closed = may_read_journal_in({folder / "none", folder.path()});
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  EXPECT_FALSE(closed);
}

}  // namespace
}  // namespace host
