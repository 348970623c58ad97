// SPDX-License-Identifier: Apache-2.0
#include "ovpn/cipher_name.h"

#include <gtest/gtest.h>

namespace ovpn {
namespace {

TEST(CipherName, FindsAnySpelling) {
  for (const char* spelling : {"AES-256-CBC", "aes-256-cbc", "Aes256"}) {
    const CipherName* cipher = find_cipher(spelling);
    ASSERT_NE(cipher, nullptr) << spelling;
    EXPECT_EQ(cipher->name, "AES-256-CBC");
    EXPECT_EQ(cipher->key_bytes, 32);
    EXPECT_EQ(cipher->block_bytes, 16);
  }
  EXPECT_TRUE(find_cipher("NONE")->is_none());
  EXPECT_EQ(find_cipher("AES-257-CBC"), nullptr);
  EXPECT_EQ(find_cipher(""), nullptr);
}

TEST(CipherName, KnowsTheDefaults) {
  const CipherName* cipher = find_cipher(kDefaultCipher);
  ASSERT_NE(cipher, nullptr);
  EXPECT_TRUE(cipher->legacy);
  EXPECT_TRUE(cipher->small_block());
  EXPECT_EQ(cipher->key_bytes, 16);
  EXPECT_EQ(find_digest(kDefaultDigest)->bytes, 20);
}

TEST(DigestName, FindsAnySpelling) {
  EXPECT_EQ(find_digest("sha512")->bytes, 64);
  EXPECT_EQ(find_digest("SHA-256")->name, "SHA256");
  EXPECT_EQ(find_digest("rmd160")->name, "RIPEMD160");
  EXPECT_TRUE(find_digest("none")->is_none());
  EXPECT_EQ(find_digest("SHA257"), nullptr);
}

// A static key has 64 bytes for each key, and the tables must stay unambiguous.
TEST(CipherName, RowsFitAndAreUnique) {
  for (const CipherName& row : cipher_table()) {
    EXPECT_LE(row.key_bytes, 64);
    EXPECT_EQ(find_cipher(row.name), &row);
  }
  for (const DigestName& row : digest_table()) {
    EXPECT_LE(row.bytes, 64);
    EXPECT_EQ(find_digest(row.name), &row);
  }
}

}  // namespace
}  // namespace ovpn
