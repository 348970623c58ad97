// SPDX-License-Identifier: Apache-2.0
// What is different for a peer over TCP.
#include <gtest/gtest.h>

#include "fastpath/peer/peer.h"
#include "fastpath/peer/tunnel_shape.h"
#include "fastpath/wire/static_layout.h"
#include "tests/support/peer_parts.h"

namespace {

constexpr base::TimePoint kStart{std::chrono::seconds(1000)};
const base::Endpoint kThere = support::endpoint("192.0.2.2", 2011);

// As captured from OpenVPN 2.6 (tests/vectors, static_aes256_sha256_tcp).
TEST(TcpPeer, TheRolesAreToldInTheOptions) {
  config::TunnelConfig config = support::peer_parts({}, 1).config;
  config.crypto.direction = ovpn::KeyDirection::kInverse;
  config.device.ifconfig_local = "10.9.0.2";
  config.device.ifconfig_remote_or_mask = "10.9.0.1";
  config.link.transport = config::Transport::kTcpServer;
  const wire::StaticLayout layout{.hmac_bytes = 32, .iv_bytes = 16, .packet_id_bytes = 8};
  const std::string server =
      "V4,dev-type tun,link-mtu 1574,tun-mtu 1500,proto TCPv4_SERVER,ifconfig 10.9.0.1 10.9.0.2,"
      "keydir 1,cipher AES-256-CBC,auth SHA256,keysize 256,secret";
  EXPECT_EQ(peer::own_options(config, layout), server);
  const std::string client =
      "V4,dev-type tun,link-mtu 1574,tun-mtu 1500,proto TCPv4_CLIENT,ifconfig 10.9.0.2 10.9.0.1,"
      "keydir 0,cipher AES-256-CBC,auth SHA256,keysize 256,secret";
  EXPECT_EQ(peer::options_difference(config, layout, client), "");
  EXPECT_EQ(
      peer::options_difference(config, layout, server),
      "proto is TCPv4_SERVER there and TCPv4_CLIENT here, ifconfig is 10.9.0.1 10.9.0.2 there "
      "and would have to be 10.9.0.2 10.9.0.1 to fit here, key-direction is 1 there and would "
      "have to be 0 to fit here");
}

// Over TCP the peer takes ids from 1 on, and none but the next.
TEST(TcpPeer, EachConnectionBeginsWithIdOneUnderALaterTime) {
  using Ids = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  for (const bool tcp : {true, false}) {
    peer::PeerParts parts = support::peer_parts({.cipher = "none", .auth = "none"}, 1);
    parts.config.link.transport = tcp ? config::Transport::kTcpClient : config::Transport::kUdp;
    peer::Peer here(std::move(parts), kStart);
    packet::PacketBatch batch(4096, 1);
    Ids ids;
    for (int connection = 0; connection < 3; ++connection) {
      here.set_remotes({kThere}, kStart);
      // As the shell does, once the time is on disk.
      EXPECT_EQ(here.wanted_packet_time().has_value(), tcp && connection > 0);
      if (const auto wanted = here.wanted_packet_time()) here.use_packet_time(*wanted);
      batch.clear();
      packet::Packet& out = *batch.append();
      ASSERT_TRUE(here.next_packet(kStart, out));
      ids.emplace_back(base::load_be32(out.bytes().data()), base::load_be32(&out.bytes()[4]));
    }
    const std::uint32_t time = ids[0].second;
    EXPECT_EQ(ids, tcp ? (Ids{{1, time}, {1, time + 1}, {1, time + 2}})
                       : (Ids{{1, time}, {2, time}, {3, time}}));
  }
}

}  // namespace
