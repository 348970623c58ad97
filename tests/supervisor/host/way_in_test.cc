// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/way_in.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace host {
namespace {

using namespace std::string_literals;

TEST(WayIn, ReadsAnotherProcess) {
  EXPECT_EQ(variable_in("HOME=/root\0SSH_CONNECTION=10.9.0.1 4 10.9.0.2 22\0"s, "SSH_CONNECTION"),
            "10.9.0.1 4 10.9.0.2 22");
  EXPECT_EQ(variable_in("XSSH_CONNECTION=1\0SSH_CONNECTIONS=2"s, "SSH_CONNECTION"), "");
  EXPECT_EQ(parent_in("4711 (a) b (c) S 4710 4711 1"), 4710);
  EXPECT_EQ(parent_in("4711"), 0);
}

TEST(WayIn, NamesTheInterfaceOfAnAddress) {
  EXPECT_THAT(interfaces_of("127.0.0.1 4 127.0.0.1 22"), testing::ElementsAre("lo"));
  EXPECT_TRUE(interfaces_of("").empty());
  EXPECT_TRUE(interfaces_of("nobody 4 nowhere 22").empty());
}

TEST(WayIn, AProcessWithoutTunnelsHasNone) { EXPECT_TRUE(tunnels_of(1 << 30).empty()); }

}  // namespace
}  // namespace host
