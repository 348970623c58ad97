// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/bus.h"

#include <gmock/gmock.h>

namespace host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(CpusOfMask, CountsFromTheLowestBit) {
  const unsigned char mask[] = {0x05, 0x80};
  EXPECT_THAT(cpus_of_mask(mask, 2), ElementsAre(0, 2, 15));
  EXPECT_THAT(cpus_of_mask(mask, 0), ElementsAre());
}

TEST(BusProblem, SaysWhatToDo) {
  const auto denied = bus_problem("start tunctl@a.service",
                                  "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired",
                                  "Interactive authentication required.");
  EXPECT_TRUE(is_not_permitted(denied));
  EXPECT_EQ(base::to_string(denied), "not permitted to start tunctl@a.service; run it as root");
  const auto missing = bus_problem("start tunctl@a.service", "org.freedesktop.systemd1.NoSuchUnit",
                                   "Unit tunctl@a.service not found.");
  EXPECT_THAT(base::to_string(missing), HasSubstr("not found.; is tunctl installed?"));
  EXPECT_FALSE(is_not_permitted(bus_problem("x", nullptr, nullptr)));
}

}  // namespace
}  // namespace host
