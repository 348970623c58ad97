// SPDX-License-Identifier: Apache-2.0
// What is asked of the machine: names, and whether a file is there.
#include "fastpath/engine/resolver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "fastpath/engine/find_file.h"

namespace {

using config::FamilyChoice;
using crypto::FileFound;
using testing::HasSubstr;

TEST(Resolver, TakesAddressesAsTheyStand) {
  const auto answer = engine::resolve_literal("192.0.2.1", "1194", FamilyChoice::kAny);
  ASSERT_TRUE(answer);
  ASSERT_EQ(answer->addresses.size(), 1u);
  EXPECT_EQ(answer->addresses[0].to_string(), "192.0.2.1:1194");
  EXPECT_FALSE(engine::resolve_literal("a.name", "1194", FamilyChoice::kAny));
}

// Every packet to one would be refused by the kernel.
TEST(Resolver, GivesNoAddressOfOneLink) {
  const auto answer = engine::resolve_literal("fe80::1%lo", "1194", FamilyChoice::kAny);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->addresses.empty());
  EXPECT_THAT(answer->problem, HasSubstr("cannot use fe80::1%lo: a link-local address"));
}

TEST(Resolver, AnAbandonedQuestionHasNoAnswer) {
  io::WakeUp wake;
  engine::Resolver resolver(wake);
  for (const bool abandoned : {false, true}) {
    wake.clear();
    resolver.ask("127.0.0.1", "1194", FamilyChoice::kAny);
    if (abandoned) resolver.abandon();
    pollfd woken{wake.fd(), POLLIN, 0};
    ASSERT_EQ(::poll(&woken, 1, 10'000), 1);
    EXPECT_EQ(resolver.take_answer().has_value(), !abandoned);
    EXPECT_FALSE(resolver.asking());
  }
}

TEST(FindFile, KnowsNothingOfAFolderThatIsNotThere) {
  std::string folder = "/tmp/tct-find-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  EXPECT_EQ(engine::find_file(folder + "/2"), FileFound::kNotThere);
  std::ofstream(folder + "/2") << "";
  EXPECT_EQ(engine::find_file(folder + "/2"), FileFound::kThere);
  EXPECT_EQ(engine::find_file(folder + "/none/2"), FileFound::kCannotTell);
  EXPECT_EQ(engine::find_file(folder + "/2/2"), FileFound::kCannotTell);
  EXPECT_EQ(engine::find_file("surely-not-here"), FileFound::kNotThere);
  ::chmod(folder.c_str(), 0);
  if (::geteuid() != 0) {
    EXPECT_EQ(engine::find_file(folder + "/3"), FileFound::kCannotTell);
  }
  ::chmod(folder.c_str(), 0700);
  ::unlink((folder + "/2").c_str());
  ::rmdir(folder.c_str());
}

}  // namespace
