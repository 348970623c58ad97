// SPDX-License-Identifier: Apache-2.0
#include "ovpn/frame_size.h"

#include <gtest/gtest.h>

namespace ovpn {
namespace {

constexpr auto kIpv4 = base::IpFamily::kIpv4;
constexpr auto kIpv6 = base::IpFamily::kIpv6;
constexpr auto kPayload = MssfixRule::Meaning::kPayload;
constexpr auto kMtu = MssfixRule::Meaning::kMtu;
constexpr auto kFixed = MssfixRule::Meaning::kFixed;

FrameShape shape(int block, int digest, bool packet_id = true, int framing = 0) {
  return {block, digest, packet_id, framing, false, false};
}
const FrameShape kAesSha256 = shape(16, 32);

// Measured: TCP SYNs through tunnels of OpenVPN 2.6.14, outer packets UDP over IPv4.
TEST(FrameSize, MssAsStockWritesIt) {
  EXPECT_EQ(mssfix_mss(kAesSha256, default_mssfix(1500), kIpv4, kIpv4), 1359);
  EXPECT_EQ(mssfix_mss(kAesSha256, {1400, kPayload}, kIpv4, kIpv4), 1295);
  EXPECT_EQ(mssfix_mss(kAesSha256, {1400, kMtu}, kIpv4, kIpv4), 1263);
  EXPECT_EQ(mssfix_mss(kAesSha256, {1400, kFixed}, kIpv4, kIpv4), 1360);
  EXPECT_EQ(mssfix_mss(kAesSha256, default_mssfix(1400), kIpv4, kIpv4), 1360);
  EXPECT_EQ(mssfix_mss(shape(0, 0), default_mssfix(1500), kIpv4, kIpv4), 1416);
  FrameShape fragmented = kAesSha256;
  fragmented.fragment = true;
  EXPECT_EQ(mssfix_mss(fragmented, {1300, kMtu}, kIpv4, kIpv4), 1163);
  FrameShape over_tcp = kAesSha256;
  over_tcp.tcp = true;
  EXPECT_EQ(mssfix_mss(over_tcp, default_mssfix(1500), kIpv4, kIpv4), 1343);
}

TEST(FrameSize, Ipv6HeadersAreTwentyBytesLonger) {
  EXPECT_EQ(mssfix_mss(kAesSha256, default_mssfix(1500), kIpv4, kIpv6), 1339);
  EXPECT_EQ(mssfix_mss(shape(0, 0), default_mssfix(1500), kIpv6, kIpv4), 1396);
  EXPECT_EQ(mssfix_mss(kAesSha256, {1400, kFixed}, kIpv4, kIpv6), 1340);
}

TEST(FrameSize, MssNeverGoesBelowZero) {
  EXPECT_EQ(mssfix_mss(kAesSha256, {0, kMtu}, kIpv4, kIpv4), 0);
  EXPECT_EQ(mssfix_mss(kAesSha256, {20, kMtu}, kIpv4, kIpv4), 0);
  EXPECT_EQ(mssfix_mss(kAesSha256, {20, kFixed}, kIpv4, kIpv4), 0);
}

// Read from the options strings of OpenVPN 2.6.14.
TEST(FrameSize, LinkMtuAsStockTellsIt) {
  EXPECT_EQ(occ_link_mtu(shape(8, 20), 1500), 1544);            // BF-CBC, SHA1
  EXPECT_EQ(occ_link_mtu(shape(16, 20), 1500), 1560);           // AES-128-CBC, SHA1
  EXPECT_EQ(occ_link_mtu(shape(16, 32), 1500), 1572);           // AES-256-CBC, SHA256
  EXPECT_EQ(occ_link_mtu(shape(16, 64), 1500), 1604);           // AES-256-CBC, SHA512
  EXPECT_EQ(occ_link_mtu(shape(16, 0), 1500), 1540);            // AES-256-CBC, none
  EXPECT_EQ(occ_link_mtu(shape(0, 20), 1500), 1528);            // none, SHA1
  EXPECT_EQ(occ_link_mtu(shape(0, 0), 1500), 1508);             // none, none
  EXPECT_EQ(occ_link_mtu(shape(0, 0, false), 1500), 1500);      // no-replay, and null mode
  EXPECT_EQ(occ_link_mtu(shape(0, 32, false), 1500), 1532);     // none, SHA256, no-replay
  EXPECT_EQ(occ_link_mtu(shape(16, 32, false), 1500), 1564);    // AES-256-CBC, SHA256, no-replay
  EXPECT_EQ(occ_link_mtu(shape(16, 32, true, 1), 1500), 1573);  // comp-lzo no
  EXPECT_EQ(occ_link_mtu(shape(8, 20), 1400), 1444);
  EXPECT_EQ(occ_link_mtu({16, 32, true, 0, true, false}, 1500), 1576);  // fragment
  EXPECT_EQ(occ_link_mtu({16, 32, true, 0, false, true}, 1500), 1574);  // TCP
}

TEST(FrameSize, WireBytesCountThePadding) {
  EXPECT_EQ(wire_bytes(shape(0, 0, false), 84), 84);
  EXPECT_EQ(wire_bytes(shape(0, 0), 84), 92);
  EXPECT_EQ(wire_bytes(shape(0, 20), 84), 112);
  EXPECT_EQ(wire_bytes(shape(16, 20), 16), 20 + 16 + 32);  // a ping of 68 bytes
  EXPECT_EQ(wire_bytes(shape(16, 0), 7), 16 + 16);
  EXPECT_EQ(wire_bytes(shape(16, 0), 8), 16 + 32);  // a full block is padded by another one
}

}  // namespace
TEST(FrameSize, OfFragments) {
  FrameShape shape = kAesSha256;
  shape.fragment = true;
  EXPECT_EQ(fragment_bytes_max(shape, 500), 435);  // as OpenVPN 2.6 cuts
  const base::IpFamily outer = kIpv4;
  EXPECT_EQ(fragment_bytes_max(shape, 528, &outer), 435);
  shape = {};
  shape.opcode_bytes = 4;
  shape.tag_bytes = 16;
  shape.packet_id_bytes = 4;
  EXPECT_EQ(fragment_bytes_max(shape, 500), 500 - 24 - 4);
  EXPECT_LT(fragment_bytes_max(kAesSha256, 10), 0);
}

// TLS mode: AES-256-GCM with and without a peer-id, the epoch format, AES-256-CBC with SHA1.
TEST(FrameSize, OfTlsMode) {
  FrameShape gcm;
  gcm.opcode_bytes = 4;
  gcm.tag_bytes = 16;
  gcm.packet_id_bytes = 4;
  EXPECT_EQ(wire_bytes(gcm, 100), 124);
  EXPECT_EQ(mssfix_mss(gcm, {1492, kMtu}, kIpv4, kIpv4), 1400);
  FrameShape epoch = gcm;
  epoch.packet_id_bytes = 8;
  EXPECT_EQ(wire_bytes(epoch, 100), 128);
  FrameShape cbc;
  cbc.opcode_bytes = 4;
  cbc.block_bytes = 16;
  cbc.digest_bytes = 20;
  cbc.packet_id_bytes = 4;
  EXPECT_EQ(wire_bytes(cbc, 84), 4 + 20 + 16 + 96);
}

}  // namespace ovpn
