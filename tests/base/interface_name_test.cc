// SPDX-License-Identifier: Apache-2.0
#include "base/interface_name.h"

#include <gtest/gtest.h>

namespace {

TEST(InterfaceName, IsWhatTheKernelTakes) {
  for (const char* name : {"t", "tun3", "site-a_1", "012345678901234", "eth0.5", "..."}) {
    EXPECT_TRUE(base::is_interface_name(name)) << name;
  }
  for (const char* name :
       {"", ".", "..", "0123456789012345", "a/b", "a:1", "tun%d", "a b", "a\tb", "a\nb", "a\x7f"}) {
    EXPECT_FALSE(base::is_interface_name(name)) << name;
  }
}

}  // namespace
