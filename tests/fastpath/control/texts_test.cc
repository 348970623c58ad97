// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "fastpath/control/negotiation.h"
#include "fastpath/control/options_match.h"
#include "fastpath/control/peer_info.h"
#include "fastpath/control/text_message.h"
#include "tests/support/control_vectors.h"

namespace {

using config::TlsRole;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Base64, IsThatOfTheRfc) {
  for (const auto& [text, encoded] :
       {std::pair{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}}) {
    EXPECT_EQ(base::to_base64(base::as_bytes(text)), encoded);
    EXPECT_EQ(base::as_text(*base::from_base64(encoded)), text);
  }
  EXPECT_EQ(base::as_text(*base::from_base64("Zm9\n vYg")), "foob");
  EXPECT_FALSE(base::from_base64("Zm9v*"));
  EXPECT_FALSE(base::from_base64("Z"));
  EXPECT_FALSE(base::from_base64("Zg==Zg"));
}

TEST(Texts, AreSplitAtTheirNuls) {
  int damaged = 0;
  EXPECT_THAT(control::split_texts(std::string("A\0B\r\n\0", 6), damaged), ElementsAre("A", "B"));
  EXPECT_EQ(damaged, 0);
  EXPECT_THAT(control::split_texts(std::string("A\0B", 3), damaged), ElementsAre("A"));
  EXPECT_EQ(damaged, 1);
  EXPECT_THAT(control::split_texts(std::string("A\x7f\0\xc3\xa4\0", 6), damaged),
              ElementsAre("\xc3\xa4"));
  EXPECT_EQ(damaged, 2);
}

TEST(Texts, OfRealServersAreReplies) {
  int count = 0;
  for (const std::string& text : support::load_server_texts()) {
    int damaged = 0;
    for (const std::string& each : control::split_texts(text, damaged)) {
      count += control::parse_text(each).kind == control::TextKind::kPushReply ? 1 : 0;
    }
    EXPECT_EQ(damaged, 0);
  }
  EXPECT_GE(count, 8);
}

TEST(Texts, AWordMustBeWhole) {
  EXPECT_EQ(control::parse_text("EXITING").kind, control::TextKind::kUnknown);
  EXPECT_EQ(control::parse_text("PUSH_REPLY").kind, control::TextKind::kPushReply);
  EXPECT_EQ(control::parse_text("PUSH_REPLY,a,b").rest, "a,b");
}

TEST(Challenges, AreReadAndAnswered) {
  const auto challenge = control::parse_dynamic_challenge("CRV1:R,E:Om01u7Fh:am8=:Code: 4 digits");
  ASSERT_TRUE(challenge);
  EXPECT_EQ(challenge->flags, "R,E");
  EXPECT_EQ(challenge->username, "jo");
  EXPECT_EQ(challenge->text, "Code: 4 digits");
  EXPECT_EQ(control::dynamic_challenge_password(*challenge, "1234"), "CRV1::Om01u7Fh::1234");
  EXPECT_EQ(control::static_challenge_password("pw", "1"), "SCRV1:cHc=:MQ==");
  for (const char* text : {"", "CRV1", "CRV1:a:b:am8=", "CRV1:a:b:*:c", "CRV2:a:b:am8=:c"}) {
    EXPECT_FALSE(control::parse_dynamic_challenge(text)) << text;
  }
}

TEST(PeerInfo, IsWhatAStockClientSends) {
  config::TlsConfig config;
  config.pull.pull = true;
  EXPECT_EQ(control::make_peer_info(config, {}),
            "IV_VER=2.6.14\nIV_PLAT=linux\nIV_TCPNL=1\nIV_MTU=1600\nIV_NCP=2\n"
            "IV_CIPHERS=AES-256-GCM:AES-128-GCM:CHACHA20-POLY1305\nIV_PROTO=990\n"
            "IV_LZO_STUB=1\nIV_COMP_STUB=1\nIV_COMP_STUBv2=1\nIV_GUI_VER=tunctl\n");
  EXPECT_THAT(control::make_peer_info(config, {.compression = true}),
              HasSubstr("\nIV_LZ4=1\nIV_LZ4v2=1\nIV_LZO=1\nIV_COMP_STUB=1\nIV_COMP_STUBv2=1\n"));
  config.pull.pull = false;
  EXPECT_THAT(control::make_peer_info(config, {}), HasSubstr("IV_PROTO=682\n"));
}

TEST(PeerInfo, MoreIsTold) {
  config::TlsConfig config;
  config.pull.pull = true;
  config.negotiation.peer_info = {{"UV_X", "1"}, {"IV_SSO", "webauth"}};
  EXPECT_THAT(control::make_peer_info(config, {}), testing::Not(HasSubstr("UV_X")));
  control::LocalAbilities asks;
  asks.sign_on = "crtext";
  EXPECT_THAT(control::make_peer_info(config, asks), HasSubstr("IV_SSO=webauth\n"));
  EXPECT_THAT(control::make_peer_info(config, asks), testing::Not(HasSubstr("crtext")));
  config::TlsConfig plain;
  plain.pull.pull = true;
  EXPECT_THAT(control::make_peer_info(plain, asks), HasSubstr("IV_SSO=crtext\n"));
  EXPECT_THAT(control::make_peer_info(config, {}), HasSubstr("IV_SSO=webauth\n"));
  config.negotiation.push_peer_info = true;
  const control::LocalAbilities all{
      .epoch_format = true, .push_update = true, .dns_option_v2 = true};
  EXPECT_THAT(control::make_peer_info(config, all),
              testing::AllOf(HasSubstr("UV_X=1\n"), HasSubstr("IV_PROTO=8158\n")));
}

TEST(PeerInfo, IsReadWithWhatOldPeersLeaveOut) {
  const auto info = control::parse_peer_info("IV_VER=2.4\nIV_PROTO=2\nIV_NCP=2\nnonsense\n");
  EXPECT_TRUE(info.can(control::kProtoDataV2));
  EXPECT_FALSE(info.can(control::kProtoTlsKeyExport));
  EXPECT_THAT(info.ciphers, ElementsAre("AES-256-GCM", "AES-128-GCM"));
  EXPECT_EQ(control::parse_peer_info("IV_PROTO=99999999999999").proto, 0u);
}

control::NegotiationResult with_old_server(const char* options,
                                           std::optional<std::string> fallback) {
  config::NegotiationConfig config;
  config.data_ciphers.push_back("AES-256-CBC");
  config.fallback = std::move(fallback);
  return control::negotiate_with_server(config, {}, {}, options);
}

TEST(Negotiation, WithAServerThatPushesNoCipherGoesByItsOptions) {
  EXPECT_EQ(with_old_server("V4,cipher AES-256-CBC,tls-server", {})->cipher, "AES-256-CBC");
  EXPECT_EQ(with_old_server("V4,cipher BF-CBC", "BF-CBC")->cipher, "BF-CBC");
  EXPECT_EQ(with_old_server("V4", "AES-128-CBC")->cipher, "AES-128-CBC");
  EXPECT_THAT(with_old_server("V4,cipher BF-CBC", {}).error(), HasSubstr("BF-CBC"));
  EXPECT_THAT(with_old_server("V4", {}).error(), HasSubstr("data-ciphers-fallback"));
}

TEST(Negotiation, BetweenPeersTheServersOrderCounts) {
  config::TlsConfig config;
  control::PeerInfo peer;
  peer.proto = control::kProtoP2pNegotiation | control::kProtoDataV2;
  peer.ciphers = {"CHACHA20-POLY1305", "aes-256-gcm"};
  EXPECT_EQ(control::negotiate_with_peer(config, {}, peer, "")->cipher, "CHACHA20-POLY1305");
  config.role = TlsRole::kServer;
  const auto agreed = control::negotiate_with_peer(config, {}, peer, "");
  EXPECT_EQ(agreed->cipher, "AES-256-GCM");
  EXPECT_EQ(agreed->peer_id, control::kP2pPeerId);
  EXPECT_FALSE(agreed->tls_ekm || agreed->exit_notify || agreed->epoch);
  peer.ciphers = {"BF-CBC"};
  EXPECT_THAT(control::negotiate_with_peer(config, {}, peer, "").error(), HasSubstr("in common"));
  config.negotiation.fallback = "aes-256-cbc";
  EXPECT_EQ(control::negotiate_with_peer(config, {}, peer, "")->cipher, "AES-256-CBC");
}

TEST(Options, ThatDifferAreToldButForWhatIsSettledElsewhere) {
  const std::string own =
      "V4,dev-type tun,tun-mtu 1500,proto UDPv4,ifconfig 10.1.0.2 10.1.0.1,"
      "cipher AES-256-CBC,auth SHA1,keysize 256,key-method 2,tls-client";
  EXPECT_THAT(control::options_differences(
                  own,
                  "V4,dev-type tun,tun-mtu 1500,proto UDPv4,ifconfig 10.1.0.1 10.1.0.2,"
                  "cipher BF-CBC,auth SHA1,keysize 128,key-method 2,tls-server"),
              IsEmpty());
  EXPECT_THAT(control::options_differences(own, "V4,dev-type tap,tun-mtu 1400,comp-lzo"),
              testing::SizeIs(3));
  EXPECT_THAT(control::options_differences(own, ""), IsEmpty());
}

// What is wrong with a push is logged, and what it holds may be.
TEST(Terms, ATokenGoesNoFurtherWhateverElseIsWrong) {
  std::vector<std::string> options{"protocol-flags new", "auth-token tok3n", "auth-token \"tok3n",
                                   " auth-token-user me", "route 10.0.0.0"};
  EXPECT_FALSE(control::read_terms(options));
  EXPECT_THAT(options, ElementsAre("protocol-flags new", "route 10.0.0.0"));
}

}  // namespace
