// SPDX-License-Identifier: Apache-2.0
#include "fastpath/hostnet/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"

namespace hostnet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

base::Prefix prefix(const char* text) { return *base::Prefix::parse(text); }
base::IpAddress address(const char* text) { return *base::IpAddress::parse(text); }

Steps some_steps() {
  RoutePlan unreachable{prefix("2000::/4"), std::nullopt, "", std::nullopt};
  unreachable.unreachable = true;
  return {SetUp{"tun3"},
          SetAddress{"tun3", {prefix("10.8.0.1/32"), address("10.8.0.2")}},
          SetAddress{"tun3", {prefix("fd00::1/64"), std::nullopt}},
          SetRoute{{prefix("192.0.2.7/32"), address("198.18.0.1"), "eth0", 5}},
          SetRoute{{prefix("192.0.2.8/32"), std::nullopt, "eth0", std::nullopt}},
          SetRoute{unreachable},
          SetMtu{"tun3", 1500},
          SetQueue{"tun3", 500}};
}

constexpr const char* kText =
    "tunctl-journal 1 boot\n"
    "up tun3\n"
    "address 10.8.0.1/32 peer 10.8.0.2 dev tun3\n"
    "address fd00::1/64 dev tun3\n"
    "route 192.0.2.7/32 via 198.18.0.1 dev eth0 metric 5\n"
    "route 192.0.2.8/32 dev eth0\n"
    "route 2000::/4 unreachable\n"
    "mtu tun3 1500\n"
    "txqueuelen tun3 500\n";

TEST(Journal, IsTextThatReadsBack) {
  EXPECT_EQ(format_journal("boot", some_steps()), kText);
  EXPECT_EQ(parse_journal("boot", kText), some_steps());
}

TEST(Journal, OfAnotherBootIsVoid) {
  EXPECT_THAT(parse_journal("other", kText), IsEmpty());
  EXPECT_THAT(parse_journal("boot", "up tun3\n"), IsEmpty());
  EXPECT_THAT(parse_journal("boot", ""), IsEmpty());
}

TEST(Journal, CutOffAtAnyPlaceHoldsWholeStepsOnly) {
  const std::string text = kText;
  const Steps whole = some_steps();
  for (std::size_t length = 0; length < text.size(); ++length) {
    const Steps steps = parse_journal("boot", text.substr(0, length));
    EXPECT_LE(steps.size(), whole.size());
  }
}

TEST(Journal, PassesOverWhatIsNoStep) {
  for (const char* line :
       {"up", "up a/b", "up averyveryverylongname", "route", "route x", "route 10.0.0.0/8 via",
        "route 10.0.0.0/8 via fd00::1", "route 10.0.0.0/8 metric -1", "route 10.0.0.0/8 to x",
        "address 10.0.0.1/8", "address 10.0.0.1/8 peer x dev a", "nonsense 10.0.0.0/8", "mtu a",
        "mtu a -1", "mtu a/b 5"}) {
    EXPECT_THAT(parse_journal("b", std::string("tunctl-journal 1 b\n") + line + "\n"), IsEmpty())
        << line;
  }
}

TEST(JournalFile, IsThereOnlyWhileThereIsSomethingToUndo) {
  std::string folder = "/tmp/tct-journal-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string file = folder + "/network-journal";
  JournalFile journal(file);
  EXPECT_THAT(journal.load(), IsEmpty());
  EXPECT_EQ(journal.save({hostnet::SetUp{"tun3"}}), "");
  EXPECT_THAT(JournalFile(file).load(), ElementsAre(Step(hostnet::SetUp{"tun3"})));
  EXPECT_EQ(journal.save({}), "");
  EXPECT_NE(::access(file.c_str(), F_OK), 0);
  EXPECT_EQ(journal.save({}), "");
  EXPECT_THAT(JournalFile(folder + "/no/such").save({hostnet::SetUp{"a"}}), HasSubstr("cannot create " + folder));
  EXPECT_EQ(JournalFile("").save({hostnet::SetUp{"a"}}), "");
  ::rmdir(folder.c_str());
}

}  // namespace
}  // namespace hostnet
