// SPDX-License-Identifier: Apache-2.0
#include "ovpn/static_key.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ovpn {
namespace {

using testing::HasSubstr;

constexpr std::string_view kBegin = "-----BEGIN OpenVPN Static key V1-----\n";
constexpr std::string_view kEnd = "-----END OpenVPN Static key V1-----\n";

// Byte i is i, so that every block shows where it came from; byte 0 of 256 is the only zero.
StaticKey counting_key() {
  StaticKey key{base::SecretBytes(kStaticKeyBytes)};
  for (std::size_t i = 0; i < kStaticKeyBytes; ++i) {
    key.bytes.mutable_view()[i] = static_cast<std::uint8_t>(i);
  }
  return key;
}

std::string hex_of(const StaticKey& key) { return base::to_hex(key.bytes.view()); }

std::string failure(std::string_view text) {
  const auto key = parse_static_key("static.key", text);
  return key ? "" : base::to_string(key.error());
}

TEST(StaticKey, WritesWhatStockWrites) {
  const std::string text = format_static_key(counting_key());
  EXPECT_THAT(text,
              testing::StartsWith("#\n# 2048 bit OpenVPN static key\n#\n" + std::string(kBegin) +
                                  "000102030405060708090a0b0c0d0e0f\n1011"));
  EXPECT_THAT(text, testing::EndsWith("feff\n" + std::string(kEnd)));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 21);
}

TEST(StaticKey, RoundTrip) {
  const StaticKey key = generate_static_key();
  const auto again = parse_static_key("k", format_static_key(key));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(hex_of(*again), hex_of(key));
  EXPECT_NE(hex_of(generate_static_key()), hex_of(key));
}

TEST(StaticKey, BlocksLieWhereTheProtocolPutsThem) {
  const StaticKey key = counting_key();
  EXPECT_EQ(key.cipher_block(0)[0], 0);
  EXPECT_EQ(key.hmac_block(0)[0], 64);
  EXPECT_EQ(key.cipher_block(1)[0], 128);
  EXPECT_EQ(key.hmac_block(1)[0], 192);
  EXPECT_EQ(key.hmac_block(1).size(), 64u);
}

TEST(StaticKey, DirectionsMeetEachOther) {
  EXPECT_EQ(send_key_index(KeyDirection::kBidirectional), 0);
  EXPECT_EQ(receive_key_index(KeyDirection::kBidirectional), 0);
  EXPECT_EQ(send_key_index(KeyDirection::kNormal), 0);
  EXPECT_EQ(receive_key_index(KeyDirection::kNormal), 1);
  EXPECT_EQ(send_key_index(KeyDirection::kInverse), 1);
  EXPECT_EQ(receive_key_index(KeyDirection::kInverse), 0);
}

TEST(StaticKey, ReadsLooseLayout) {
  const std::string hex = hex_of(counting_key());
  std::string upper = hex;
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  const std::string begin(kBegin);
  const std::string end(kEnd);
  EXPECT_EQ(failure("text before\r\n" + begin + hex + "\n" + end), "");
  EXPECT_EQ(failure(begin + upper.substr(0, 3) + " \t" + upper.substr(3) + "\r\n" + end), "");
  EXPECT_EQ(failure(begin + hex + "\nmore, which nobody reads\n" + end), "");
  EXPECT_EQ(failure(begin + hex + "\n" + "-----END OpenVPN Static key V1-----"), "");
}

TEST(StaticKey, TellsWhatIsWrong) {
  const std::string hex = hex_of(counting_key());
  const std::string begin(kBegin);
  const std::string end(kEnd);
  EXPECT_THAT(failure(""), HasSubstr("static.key:1: the key file is empty"));
  EXPECT_THAT(failure("hello\n"), HasSubstr("there is no line"));
  EXPECT_THAT(failure(" " + begin + hex + "\n" + end), HasSubstr("first column"));
  EXPECT_THAT(failure(begin + hex.substr(2) + "\n" + end), HasSubstr("has 255 bytes, not 256"));
  EXPECT_THAT(failure(begin + hex + "\n"), HasSubstr("is missing"));
  EXPECT_THAT(failure(begin + hex + "\n-----END\n"), HasSubstr("wrong line"));
  EXPECT_THAT(failure(begin + "00\n0g\n"), HasSubstr("static.key:3:2: a character"));
  EXPECT_THAT(failure(begin + std::string(512, '0') + "\n" + end), HasSubstr("all zeros"));
  EXPECT_THAT(failure(begin + hex.substr(0, 256) + std::string(256, '0') + "\n" + end),
              HasSubstr("all zeros"));
}

TEST(StaticKey, TellsTheWrongKind) {
  EXPECT_THAT(failure("-----BEGIN PRIVATE KEY-----\n"), HasSubstr("this is a PEM private key"));
  EXPECT_THAT(failure("-----BEGIN EC PRIVATE KEY-----\n"), HasSubstr("a PEM private key"));
  EXPECT_THAT(failure("-----BEGIN CERTIFICATE-----\n"), HasSubstr("this is a certificate"));
  EXPECT_THAT(failure("-----BEGIN OpenVPN tls-crypt-v2 client key-----\n"),
              HasSubstr("a tls-crypt-v2 client key"));
  EXPECT_THAT(failure("-----BEGIN OPENSSH PRIVATE KEY-----\n"), HasSubstr("an SSH private key"));
}

TEST(StaticKey, ProblemsNeverShowTheKey) {
  const std::string text = format_static_key(counting_key());
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    const auto key = parse_static_key("k", text.substr(0, length));
    ASSERT_FALSE(key.ok()) << length;
    EXPECT_THAT(base::to_string(key.error()), testing::Not(HasSubstr("0001")));
  }
}

TEST(StaticKey, InlineLinesCountFromTheirFile) {
  const auto key = parse_static_key("site.conf", "#\n" + std::string(kBegin) + "zz\n", 8);
  ASSERT_FALSE(key.ok());
  EXPECT_EQ(key.error().place, (base::Place{"site.conf", 10, 1}));
}

}  // namespace
}  // namespace ovpn
