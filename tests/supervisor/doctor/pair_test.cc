// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "ovpn/lexer.h"
#include "supervisor/doctor/doctor.h"

namespace doctor {
namespace {

constexpr const char* kServer = "dev tun\nifconfig 10.8.0.1 10.8.0.2\nport 2011\n";
constexpr const char* kClient = "dev tun\nifconfig 10.8.0.2 10.8.0.1\nport 2011\nremote 10.0.0.1\n";
constexpr const char* kKey = "<secret>\n# a\n00ff\n</secret>\n";

// "check: evidence" of each, or what is good.
std::string compared(const std::string& a, const std::string& b) {
  const auto profile = [](const std::string& text) { return ovpn::lex_config("x", text).profile; };
  std::string text;
  for (const Finding& each : compare_ends("A", profile(a), "B", profile(b))) {
    text += (text.empty() ? "" : "; ") + each.check + ": " + each.evidence;
    EXPECT_EQ(each.remedy.empty(), each.verdict == Verdict::kGood);
  }
  return text;
}
std::string compared_static(const std::string& a, const std::string& b) {
  return compared(std::string(kServer) + kKey + a, std::string(kClient) + kKey + b);
}
std::string compared_tls(const std::string& a, const std::string& b) {
  return compared(std::string(kServer) + "tls-server\n" + a,
                  std::string(kClient) + "tls-client\n" + b);
}

constexpr const char* kFits = "pair: A and B fit together";

TEST(Pair, EndsThatFit) {
  EXPECT_EQ(compared_static("", ""), kFits);
  EXPECT_EQ(compared_static("key-direction 0\n", "key-direction 1\n"), kFits);
  EXPECT_EQ(compared_static("cipher aes-256-cbc\n", "cipher AES-256-CBC\n"), kFits);
  EXPECT_EQ(compared_tls("", ""), kFits);
  EXPECT_EQ(compared(std::string(kServer), std::string(kClient)), kFits);
}

TEST(Pair, Protection) {
  EXPECT_EQ(compared(std::string(kServer) + kKey, std::string(kClient)),
            "mode: the tunnel's protection is a static key in A and no cryptography in B");
  EXPECT_EQ(compared_static("cipher AES-128-CBC\n", "cipher AES-256-CBC\n"),
            "cipher: the cipher is AES-128-CBC in A and AES-256-CBC in B");
  EXPECT_EQ(compared_static("auth SHA512\n", ""), "auth: the digest is SHA512 in A and SHA1 in B");
  EXPECT_EQ(compared_static("key-direction 1\n", "key-direction 1\n"),
            "direction: the key's direction is 1 in A and 1 in B");
  EXPECT_EQ(compared_static("key-direction 1\n", ""),
            "direction: the key's direction is 1 in A and none in B");
}

// The comment in a key file says nothing about the key; the key itself is never told.
TEST(Pair, Keys) {
  const std::string other = "<secret>\n# b\n00fe\n</secret>\n";
  const std::string text = compared(std::string(kServer) + kKey, std::string(kClient) + other);
  EXPECT_EQ(text, "key: the keys of `secret` are not the same");
  EXPECT_EQ(compared(std::string(kServer) + kKey,
                     std::string(kClient) + "<secret>\n; c\n00ff\n</secret>\n"),
            kFits);
}

TEST(Pair, WayAndAddresses) {
  EXPECT_EQ(compared_static("proto tcp-server\n", ""), "proto: proto is tcp in A and udp in B");
  EXPECT_EQ(compared_static("proto tcp-client\n", "proto tcp-client\n"),
            "proto: both ends call by TCP, and none listens");
  EXPECT_EQ(compared_static("port 2012\n", ""), "port: B calls port 2011, and A is at port 2012");
  EXPECT_EQ(compared(kServer, kServer),
            "remote: neither end has a `remote`: each waits for the other; ifconfig: `ifconfig` is "
            "10.8.0.1 10.8.0.2 in A and 10.8.0.1 10.8.0.2 in B");
}

TEST(Pair, Sizes) {
  EXPECT_EQ(compared_static("tun-mtu 1400\n", ""), "mtu: `tun-mtu` is 1400 in A and 1500 in B");
  EXPECT_EQ(compared_static("fragment 1300\n", "fragment 1200\n"), kFits);
  EXPECT_EQ(compared_static("fragment 1300\n", ""), "mtu: `fragment` is 1300 in A and off in B");
}

TEST(Pair, Framing) {
  const std::string differ = "compression: the compression framing (`comp-lzo`, `compress`) is ";
  EXPECT_EQ(compared_static("comp-lzo no\n", ""), differ + "a byte in A and none in B");
  EXPECT_EQ(compared_static("comp-lzo no\n", "compress\n"), kFits);
  EXPECT_EQ(compared_static("compress stub-v2\n", "compress lz4-v2\n"), kFits);
  EXPECT_EQ(compared_static("compress stub-v2\n", "compress\n"),
            differ + "of version 2 in A and a byte in B");
}

TEST(Pair, Tls) {
  EXPECT_EQ(compared(std::string(kServer) + "tls-client\n", std::string(kClient) + "tls-client\n"),
            "role: both ends are TLS clients");
  EXPECT_EQ(compared_tls("tls-auth ta.key 0\n", ""), "wrap: only A has `tls-auth`");
  EXPECT_EQ(compared_tls("tls-auth ta.key 0\n", "tls-auth ta.key 1\n"), kFits);
  EXPECT_EQ(compared_tls("tls-auth ta.key 0\n", "tls-auth ta.key 0\n"),
            "direction: the direction of tls-auth's key is 0 in A and 0 in B");
  EXPECT_EQ(compared_tls("data-ciphers AES-128-GCM\n", "data-ciphers CHACHA20-POLY1305\n"),
            "cipher: the ends have no data cipher in common");
  EXPECT_EQ(compared_tls("data-ciphers AES-128-GCM\n", ""), kFits);
  EXPECT_EQ(compared_tls("cipher AES-256-CBC\ndata-ciphers AES-256-CBC\n", "cipher aes-256-cbc\n"),
            kFits);
}

}  // namespace
}  // namespace doctor
