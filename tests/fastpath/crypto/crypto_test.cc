// SPDX-License-Identifier: Apache-2.0
// Published answers, exact refusals, and what a wrong bit does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "fastpath/crypto/cbc_cipher.h"
#include "fastpath/crypto/hmac_digest.h"
#include "fastpath/crypto/iv_source.h"

namespace {

using base::Bytes;
using crypto::CbcCipher;
using crypto::HmacDigest;
using crypto::IvSource;
using testing::HasSubstr;

Bytes hex(std::string_view text) { return base::from_hex(text).value(); }

Bytes encrypted(const std::string& name, const Bytes& key, const Bytes& iv, Bytes text) {
  crypto::Library library;
  CbcCipher cipher(library, name, key, CbcCipher::Way::kEncrypt);
  EXPECT_EQ(cipher.block_bytes(), iv.size());
  EXPECT_TRUE(cipher.run(iv, text));
  return text;
}

// NIST SP 800-38A, F.2.1 and F.2.5: CBC-AES128 and CBC-AES256, first two blocks.
TEST(CbcCipher, GivesNistsAnswers) {
  const Bytes iv = hex("000102030405060708090a0b0c0d0e0f");
  const Bytes text = hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51");
  EXPECT_EQ(
      base::to_hex(encrypted("AES-128-CBC", hex("2b7e151628aed2a6abf7158809cf4f3c"), iv, text)),
      "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2");
  EXPECT_EQ(base::to_hex(encrypted(
                "AES-256-CBC",
                hex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"), iv, text)),
            "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d");
}

TEST(CbcCipher, LegacyCiphersComeFromTheLegacyProvider) {
  crypto::Library library;
  const Bytes key(64, 3);
  for (const char* name : {"BF-CBC", "DES-CBC", "CAST5-CBC"}) {
    CbcCipher encrypt(library, name, key, CbcCipher::Way::kEncrypt);
    CbcCipher decrypt(library, name, key, CbcCipher::Way::kDecrypt);
    EXPECT_EQ(encrypt.block_bytes(), 8u);
    const Bytes iv(8, 9), text(24, 0x55);
    Bytes bytes = text;
    EXPECT_TRUE(encrypt.run(iv, bytes));
    EXPECT_NE(bytes, text);
    EXPECT_TRUE(decrypt.run(iv, bytes));
    EXPECT_EQ(bytes, text) << name;
  }
}

TEST(CbcCipher, OneKeyServesManyPacketsInAnyOrder) {
  crypto::Library library;
  const Bytes key(64, 3);
  CbcCipher encrypt(library, "AES-192-CBC", key, CbcCipher::Way::kEncrypt);
  CbcCipher decrypt(library, "AES-192-CBC", key, CbcCipher::Way::kDecrypt);
  std::vector<Bytes> sealed;
  for (std::uint8_t i = 0; i < 20; ++i) {
    sealed.emplace_back(16u * (i + 1u), i);
    ASSERT_TRUE(encrypt.run(Bytes(16, i), sealed.back()));
  }
  for (std::uint8_t i = 20; i-- > 0;) {
    ASSERT_TRUE(decrypt.run(Bytes(16, i), sealed[i]));
    EXPECT_EQ(sealed[i], Bytes(16u * (i + 1u), i));
  }
}

void expect_refused(const std::string& name, const Bytes& key, const std::string& because) {
  crypto::Library library;
  try {
    CbcCipher cipher(library, name, key, CbcCipher::Way::kEncrypt);
    FAIL() << name << " was taken";
  } catch (const base::FatalError& error) {
    EXPECT_THAT(error.what(), HasSubstr(because));
    EXPECT_EQ(error.exit_status(), crypto::kExitConfig);
  }
}

TEST(CbcCipher, RefusesWhatStaticKeyModeDoesNotHave) {
  const Bytes key(64, 3);
  expect_refused("AES-256-GCM", key, "no CBC cipher");
  expect_refused("AES-256-OFB", key, "no CBC cipher");
  expect_refused("ROT13-CBC", key, "ROT13-CBC");
  expect_refused("AES-256-CBC", Bytes(31, 3), "longer key");
  Bytes zeros(64, 0);
  zeros[32] = 1;  // beyond AES-256's key
  expect_refused("AES-256-CBC", zeros, "all zeros");
}

// RFC 2202 case 1 and RFC 4231 case 1: 20 bytes 0b, "Hi There". Keys of OpenVPN are as long as the
// digest, and HMAC pads keys with zeros, so the published keys fit.
TEST(HmacDigest, GivesThePublishedAnswers) {
  crypto::Library library;
  Bytes key(64, 0);
  std::fill_n(key.begin(), 20, std::uint8_t{0x0b});
  const struct {
    const char* name;
    const char* hmac;
  } rows[] = {
      {"SHA1", "b617318655057264e28bc0b6fb378c8ef146be00"},
      {"SHA256", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {"SHA512",
       "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
       "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"},
  };
  for (const auto& row : rows) {
    HmacDigest digest(library, row.name, key);
    Bytes out(digest.size());
    for (int again = 0; again < 3; ++again) {
      ASSERT_TRUE(digest.compute(base::as_bytes("Hi There"), out));
      EXPECT_EQ(base::to_hex(out), row.hmac);
    }
    EXPECT_TRUE(digest.verify(base::as_bytes("Hi There"), out));
    EXPECT_FALSE(digest.verify(base::as_bytes("Hi there"), out));
  }
}

TEST(HmacDigest, EveryWrongBitIsSeen) {
  crypto::Library library;
  HmacDigest digest(library, "SHA256", Bytes(64, 1));
  const Bytes message(33, 0x42);
  Bytes hmac(32);
  ASSERT_TRUE(digest.compute(message, hmac));
  for (std::size_t bit = 0; bit < 8 * hmac.size(); ++bit) {
    Bytes other = hmac;
    other[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    EXPECT_FALSE(digest.verify(message, other));
  }
}

TEST(HmacDigest, RefusesUnknownAndUnsuitableDigests) {
  crypto::Library library;
  for (const char* name : {"SHA3", "SHAKE256", "no such digest"}) {
    try {
      HmacDigest digest(library, name, Bytes(64, 1));
      FAIL() << name << " was taken";
    } catch (const base::FatalError& error) {
      EXPECT_THAT(error.what(), HasSubstr(name));
      EXPECT_EQ(error.exit_status(), crypto::kExitConfig);
    }
  }
}

TEST(IvSource, NeverRepeatsAndKnowsItsOwn) {
  crypto::Library library;
  IvSource here(library, Bytes(32, 1)), elsewhere(library, Bytes(32, 2));
  std::set<Bytes> seen;
  for (std::uint64_t nonce = 0; nonce < 1000; ++nonce) {
    Bytes iv(16), other(16);
    here.make(nonce, iv);
    elsewhere.make(nonce, other);
    EXPECT_TRUE(seen.insert(iv).second);
    EXPECT_TRUE(here.made_here(nonce, iv));
    EXPECT_FALSE(here.made_here(nonce + 1, iv));
    EXPECT_FALSE(here.made_here(nonce, other));
  }
}

// What the header promises, by another way: CBC of one block under a zero IV is plain AES.
TEST(IvSource, IsTheEncryptionOfTheNonce) {
  crypto::Library library;
  IvSource source(library, hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"));
  Bytes iv(16), half(8);
  source.make(0x0011223344556677, iv);
  source.make(0x0011223344556677, half);
  EXPECT_EQ(Bytes(iv.begin(), iv.begin() + 8), half);
  CbcCipher same(library, "AES-256-CBC",
                 hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
                 CbcCipher::Way::kEncrypt);
  Bytes block = hex("00112233445566770000000000000000");
  ASSERT_TRUE(same.run(Bytes(16, 0), block));
  EXPECT_EQ(iv, block);
}

TEST(IvSource, JumpsInAnyDirectionGiveTheSame) {
  crypto::Library library;
  IvSource in_order(library, Bytes(32, 1)), jumping(library, Bytes(32, 1));
  std::vector<Bytes> ivs(300, Bytes(16));
  for (std::size_t i = 0; i < ivs.size(); ++i) in_order.make(i, ivs[i]);
  for (const std::size_t i : {299u, 0u, 64u, 63u, 65u, 128u, 5u}) {
    Bytes iv(16);
    jumping.make(i, iv);
    EXPECT_EQ(iv, ivs[i]) << i;
  }
}

TEST(EqualInConstantTime, IsEquality) {
  EXPECT_TRUE(crypto::equal_in_constant_time(Bytes{1, 2}, Bytes{1, 2}));
  EXPECT_FALSE(crypto::equal_in_constant_time(Bytes{1, 2}, Bytes{1, 3}));
  EXPECT_FALSE(crypto::equal_in_constant_time(Bytes{1, 2}, Bytes{1}));
}

}  // namespace
