// SPDX-License-Identifier: Apache-2.0
#include "ovpn/options_string.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ovpn {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

OccValues aes_sha256() {
  OccValues values;
  values.link_mtu = 1572;
  values.ifconfig_local = "10.9.0.1";
  values.ifconfig_remote = "10.9.0.2";
  values.cipher = "AES-256-CBC";
  values.cipher_key_bytes = 32;
  values.digest = "SHA256";
  return values;
}

// All texts here are OpenVPN 2.6.14's own.
TEST(OptionsString, StaticKey) {
  EXPECT_EQ(options_string(aes_sha256()),
            "V4,dev-type tun,link-mtu 1572,tun-mtu 1500,proto UDPv4,ifconfig 10.9.0.2 10.9.0.1,"
            "cipher AES-256-CBC,auth SHA256,keysize 256,secret");
  EXPECT_EQ(expected_options_string(aes_sha256()),
            "V4,dev-type tun,link-mtu 1572,tun-mtu 1500,proto UDPv4,ifconfig 10.9.0.1 10.9.0.2,"
            "cipher AES-256-CBC,auth SHA256,keysize 256,secret");
}

TEST(OptionsString, KeyDirectionAndFraming) {
  OccValues values = aes_sha256();
  values.key_direction = KeyDirection::kInverse;
  values.framing = true;
  values.link_mtu = 1573;
  EXPECT_EQ(options_string(values),
            "V4,dev-type tun,link-mtu 1573,tun-mtu 1500,proto UDPv4,ifconfig 10.9.0.2 10.9.0.1,"
            "comp-lzo,keydir 1,cipher AES-256-CBC,auth SHA256,keysize 256,secret");
  EXPECT_THAT(expected_options_string(values), testing::HasSubstr("keydir 0"));
}

TEST(OptionsString, NoneAndNoReplay) {
  OccValues values = aes_sha256();
  values.cipher = values.digest = "none";
  values.cipher_key_bytes = 0;
  values.no_replay = true;
  values.link_mtu = 1500;
  EXPECT_EQ(options_string(values),
            "V4,dev-type tun,link-mtu 1500,tun-mtu 1500,proto UDPv4,ifconfig 10.9.0.2 10.9.0.1,"
            "cipher [null-cipher],auth [null-digest],keysize 0,secret,no-replay");
}

TEST(OptionsString, NullDeviceAndNullMode) {
  OccValues values;
  values.dev_type = "null";
  values.link_mtu = 1544;
  EXPECT_EQ(options_string(values),
            "V4,dev-type null,link-mtu 1544,tun-mtu 1500,proto UDPv4,cipher BF-CBC,auth SHA1,"
            "keysize 128,secret");
  values.secret = false;
  values.link_mtu = 1500;
  EXPECT_EQ(options_string(values), "V4,dev-type null,link-mtu 1500,tun-mtu 1500,proto UDPv4");
}

TEST(OptionsString, BothEndsFitEachOther) {
  OccValues here = aes_sha256();
  here.key_direction = KeyDirection::kNormal;
  OccValues there = here;
  std::swap(there.ifconfig_local, there.ifconfig_remote);
  there.key_direction = KeyDirection::kInverse;
  EXPECT_EQ(expected_options_string(here), options_string(there));
  EXPECT_THAT(compare_options(expected_options_string(here), options_string(there)), IsEmpty());
}

TEST(CompareOptions, TellsDifferencesInWords) {
  OccValues there = aes_sha256();
  std::swap(there.ifconfig_local, there.ifconfig_remote);
  there.cipher = "AES-128-CBC";
  there.cipher_key_bytes = 16;
  there.framing = true;
  there.key_direction = KeyDirection::kNormal;
  std::vector<std::string> lines;
  for (const auto& difference :
       compare_options(expected_options_string(aes_sha256()), options_string(there))) {
    lines.push_back(to_string(difference));
  }
  EXPECT_THAT(lines, ElementsAre("cipher is AES-128-CBC there and AES-256-CBC here",
                                 "keysize is 128 there and 256 here",
                                 "comp-lzo is yes there and not set here",
                                 "key-direction is 0 there and must not be set to fit here"));
}

TEST(CompareOptions, SurvivesWhatPeersSend) {
  const std::string expected = expected_options_string(aes_sha256());
  EXPECT_THAT(compare_options(expected, ""), IsEmpty());
  EXPECT_THAT(compare_options(expected, "V3,dev-type tap"), IsEmpty());
  const std::string received = options_string(aes_sha256()) + ",,x y z,";
  for (std::size_t length = 2; length <= received.size(); ++length) {
    EXPECT_FALSE(compare_options(expected, received.substr(0, length)).empty()) << length;
  }
}

}  // namespace
}  // namespace ovpn
