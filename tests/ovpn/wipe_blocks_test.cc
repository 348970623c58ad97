// SPDX-License-Identifier: Apache-2.0
#include "ovpn/wipe_blocks.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ovpn/lexer.h"

namespace ovpn {
namespace {

// Looks at memory that the string still owns.
TEST(WipeBlocks, NothingIsLeftOfAnyBlock) {
  const std::string key(700, 'k');
  Profile profile =
      lex_config("t", "dev tun\n<secret>\n" + key + "\n</secret>\n<ca>\n" + key + "\n</ca>\n")
          .profile;
  ASSERT_EQ(profile.directives.size(), 3u);
  wipe_blocks(profile);
  for (const std::size_t i : {1u, 2u}) {
    const std::string& body = *profile.directives[i].body;
    EXPECT_TRUE(body.empty());
    EXPECT_GE(body.capacity(), key.size());
    EXPECT_EQ(std::count(body.data(), body.data() + key.size(), 'k'), 0);
  }
  EXPECT_EQ(profile.directives[0].args, std::vector<std::string>{"tun"});
}

}  // namespace
}  // namespace ovpn
