// SPDX-License-Identifier: Apache-2.0
// The small parts of TLS mode in the engine: what is told to the peer, and what is handed over.
#include <tuple>

#include <gtest/gtest.h>

#include "fastpath/engine/control_mailbox.h"
#include "fastpath/engine/tls_options.h"

namespace engine {
namespace {

config::TunnelConfig tls_config() {
  config::TunnelConfig config;
  config.tls.emplace();
  config.device.ifconfig_local = "10.9.0.2";
  config.device.ifconfig_remote_or_mask = "10.9.0.1";
  return config;
}

std::string udp_options(const config::TunnelConfig& config) {
  return tls_options_string(config, config::Transport::kUdp);
}

// All values are what OpenVPN 2.6.14 says.
TEST(TlsOptions, OfTwoEquals) {
  config::TunnelConfig config = tls_config();
  EXPECT_EQ(udp_options(config),
            "V4,dev-type tun,link-mtu 1541,tun-mtu 1500,proto UDPv4,ifconfig 10.9.0.1 10.9.0.2,"
            "cipher BF-CBC,auth SHA1,keysize 128,key-method 2,tls-client");
  config.tls->role = config::TlsRole::kServer;
  config.tls->wrap.kind = config::ControlWrap::kTlsAuth;
  config.tls->wrap.direction = 0;
  config.device.ifconfig_local.clear();
  EXPECT_EQ(udp_options(config),
            "V4,dev-type tun,link-mtu 1541,tun-mtu 1500,proto UDPv4,keydir 0,cipher BF-CBC,"
            "auth SHA1,keysize 128,tls-auth,key-method 2,tls-server");
}

TEST(TlsOptions, OfAClientSayNothingThatIsPushed) {
  config::TunnelConfig config = tls_config();
  config.tls->pull.pull = true;
  EXPECT_EQ(udp_options(config),
            "V4,dev-type tun,link-mtu 1541,tun-mtu 1500,proto UDPv4,auth SHA1,keysize 128,"
            "key-method 2,tls-client");
  config.tls->negotiation.occ_cipher = "AES-256-GCM";
  EXPECT_EQ(udp_options(config),
            "V4,dev-type tun,link-mtu 1549,tun-mtu 1500,proto UDPv4,cipher AES-256-GCM,"
            "auth [null-digest],keysize 256,key-method 2,tls-client");
}

TEST(TlsOptions, LinkMtuOfEachKindOfCipher) {
  config::TunnelConfig config = tls_config();
  const std::tuple<const char*, const char*, const char*> rows[] = {
      {"AES-256-CBC", "SHA256", ",link-mtu 1569,"},
      {"AES-128-CBC", "SHA1", ",link-mtu 1557,"},
      {"CHACHA20-POLY1305", "SHA1", ",link-mtu 1534,"},
      {"none", "SHA1", ",link-mtu 1525,"},
  };
  for (const auto& [cipher, digest, wanted] : rows) {
    config.tls->negotiation.occ_cipher = cipher;
    config.tls->negotiation.auth = digest;
    EXPECT_NE(udp_options(config).find(wanted), std::string::npos) << udp_options(config);
  }
}

TEST(ControlMailbox, KeepsOrderAndIsBounded) {
  ControlMailbox mailbox;
  const auto numbered = [](std::size_t number) {
    return peer::ControlPacket{{}, {static_cast<std::uint8_t>(number)}};
  };
  std::vector<peer::ControlPacket> many;
  for (std::size_t i = 0; i < 200; ++i) many.push_back(numbered(i));
  EXPECT_EQ(mailbox.put(many), 0u);
  EXPECT_EQ(mailbox.put(many), 400 - ControlMailbox::kPacketsMax);
  const auto taken = mailbox.take();
  ASSERT_EQ(taken.size(), ControlMailbox::kPacketsMax);
  EXPECT_EQ(taken[199].bytes[0], 199);
  EXPECT_EQ(taken[200].bytes[0], 0);
  EXPECT_TRUE(mailbox.take().empty());
  EXPECT_EQ(mailbox.put(many), 0u);
}

}  // namespace
}  // namespace engine
