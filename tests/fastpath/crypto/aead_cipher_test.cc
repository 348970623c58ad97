// SPDX-License-Identifier: Apache-2.0
#include "fastpath/crypto/aead_cipher.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace {

using crypto::AeadCipher;
using Way = AeadCipher::Way;

base::Bytes hex(std::string_view text) { return base::from_hex(text).value(); }

struct Row {
  const char *cipher, *key, *nonce, *associated, *text, *sealed, *tag;
};

// McGrew and Viega, "The Galois/Counter Mode of Operation", test cases 4, 10 and 16; RFC 8439,
// 2.8.2.
constexpr const char* kGcmText =
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b5"
    "25b16aedf5aa0de657ba637b39";
const Row kRows[] = {
    {"AES-128-GCM", "feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
     "feedfacedeadbeeffeedfacedeadbeefabaddad2", kGcmText,
     "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84a"
     "a"
     "051ba30b396a0aac973d58e091",
     "5bc94fbc3221a5db94fae95ae7121a47"},
    {"AES-192-GCM", "feffe9928665731c6d6a8f9467308308feffe9928665731c", "cafebabefacedbaddecaf888",
     "feedfacedeadbeeffeedfacedeadbeefabaddad2", kGcmText,
     "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525ac619d18c84a3"
     "f"
     "4718e2448b2fe324d9ccda2710",
     "2519498e80f1478f37ba55bd6d27618c"},
    {"AES-256-GCM", "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
     "cafebabefacedbaddecaf888", "feedfacedeadbeeffeedfacedeadbeefabaddad2", kGcmText,
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828"
     "838"
     "c5f61e6393ba7a0abcc9f662",
     "76fc6ece0f4e1768cddf8853bb2d551b"},
    {"CHACHA20-POLY1305", "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
     "070000004041424344454647", "50515253c0c1c2c3c4c5c6c7",
     "4c616469657320616e642047656e746c656d656e206f662074686520636c617373206f66202739393a20496620492"
     "0"
     "636f756c64206f6666657220796f75206f6e6c79206f6e652074697020666f7220746865206675747572652c20737"
     "5"
     "6e73637265656e20776f756c642062652069742e",
     "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da927"
     "2"
     "8b1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b483"
     "1"
     "d7bc3ff4def08e4b7a9de576d26586cec64b6116",
     "1ae10b594f09e26a7e902ecbd0600691"},
};

class Aead : public testing::TestWithParam<Row> {
 protected:
  crypto::Library library;
};

TEST_P(Aead, SealsAndOpensAsPublished) {
  const Row& row = GetParam();
  AeadCipher seal(library, row.cipher, hex(row.key), Way::kSeal);
  AeadCipher open(library, row.cipher, hex(row.key), Way::kOpen);
  // Twice each: a context that was used must give the same again.
  for (int round = 0; round < 2; ++round) {
    base::Bytes text = hex(row.text);
    base::Bytes tag(AeadCipher::kTagBytes);
    ASSERT_TRUE(seal.seal(hex(row.nonce), hex(row.associated), text, tag));
    EXPECT_EQ(base::to_hex(text), row.sealed);
    EXPECT_EQ(base::to_hex(tag), row.tag);
    ASSERT_TRUE(open.open(hex(row.nonce), hex(row.associated), text, tag));
    EXPECT_EQ(base::to_hex(text), row.text);
  }
}

TEST_P(Aead, WhatIsChangedDoesNotOpenAndTheNextDoes) {
  const Row& row = GetParam();
  AeadCipher open(library, row.cipher, hex(row.key), Way::kOpen);
  const auto opens = [&](base::Bytes nonce, base::Bytes associated, base::Bytes text,
                         base::Bytes tag) { return open.open(nonce, associated, text, tag); };
  const base::Bytes nonce = hex(row.nonce), associated = hex(row.associated),
                    text = hex(row.sealed), tag = hex(row.tag);
  for (std::size_t part = 0; part < 4; ++part) {
    base::Bytes parts[4] = {nonce, associated, text, tag};
    for (std::size_t at = 0; at < parts[part].size(); ++at) {
      base::Bytes changed[4] = {nonce, associated, text, tag};
      changed[part][at] ^= 0x80;
      EXPECT_FALSE(opens(changed[0], changed[1], changed[2], changed[3])) << part << " " << at;
    }
  }
  EXPECT_FALSE(opens(nonce, {}, text, tag));
  EXPECT_FALSE(opens(nonce, associated, text, base::Bytes(tag.begin(), tag.end() - 1)));
  EXPECT_TRUE(opens(nonce, associated, text, tag));
}

INSTANTIATE_TEST_SUITE_P(Published, Aead, testing::ValuesIn(kRows), [](const auto& info) {
  std::string name = info.param.cipher;
  std::erase(name, '-');
  return name;
});

TEST(AeadCipher, RefusesWhatItCannotDo) {
  crypto::Library library;
  const base::Bytes key(64, 7);
  EXPECT_THROW(AeadCipher(library, "AES-256-CBC", key, Way::kSeal), base::FatalError);
  EXPECT_THROW(AeadCipher(library, "NO-SUCH-GCM", key, Way::kSeal), base::FatalError);
  EXPECT_THROW(AeadCipher(library, "AES-256-GCM", base::Bytes(16, 7), Way::kSeal),
               base::FatalError);
  EXPECT_THROW(AeadCipher(library, "AES-256-GCM", base::Bytes(64), Way::kSeal), base::FatalError);
}

}  // namespace
