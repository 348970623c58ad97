// SPDX-License-Identifier: Apache-2.0
#include "base/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace base {
namespace {

// The two examples of FIPS 180-2, appendix B, the empty message, and every length around a block.
TEST(Sha256, GivesThePublishedDigests) {
  EXPECT_EQ(to_hex(sha256(as_bytes("abc"))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(to_hex(sha256(as_bytes("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(to_hex(sha256({})), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(to_hex(sha256(as_bytes(std::string(1000, 'a')))),
            "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3");
}

TEST(Sha256, DiffersForEveryLengthAroundABlock) {
  std::string last;
  for (std::size_t size = 50; size < 140; ++size) {
    const std::string digest = to_hex(sha256(as_bytes(std::string(size, 'x'))));
    EXPECT_NE(digest, last) << size;
    last = digest;
  }
}

}  // namespace
}  // namespace base
