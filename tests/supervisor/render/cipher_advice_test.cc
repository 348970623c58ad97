// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/cipher_advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ovpn/lexer.h"

namespace render {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ovpn::Profile profile(const std::string& lines) { return ovpn::lex_config("f", lines).profile; }

std::vector<std::string> advice(const std::string& lines, std::vector<std::string> features) {
  base::Machine machine;
  machine.features = std::move(features);
  return cipher_advice(profile(lines), machine);
}

TEST(DataCiphers, AreWhatMayComeToBeUsed) {
  EXPECT_THAT(data_ciphers(profile("client\n")),
              ElementsAre("AES-256-GCM", "AES-128-GCM", "CHACHA20-POLY1305"));
  EXPECT_THAT(data_ciphers(profile("client\ndata-ciphers ?aes-128-gcm:AES-256-GCM\n"
                                   "data-ciphers-fallback AES-256-CBC\n")),
              ElementsAre("AES-128-GCM", "AES-256-GCM", "AES-256-CBC"));
  EXPECT_THAT(data_ciphers(profile("secret k\ncipher AES-128-CBC\n")), ElementsAre("AES-128-CBC"));
  EXPECT_THAT(data_ciphers(profile("secret k\n")), ElementsAre("BF-CBC"));
}

TEST(CipherAdvice, AuthDoesNothingBesideAead) {
  EXPECT_THAT(advice("client\nauth SHA512\n", {"aes"}),
              ElementsAre("auth SHA512 is not used on the data channel: AES-256-GCM authenticates "
                          "by itself"));
  EXPECT_THAT(advice("client\nauth SHA512\ntls-auth k\n", {"aes"}),
              ElementsAre(HasSubstr("itself; tls-auth alone uses it")));
  EXPECT_THAT(advice("client\nauth SHA512\ndata-ciphers AES-256-CBC\n", {"aes"}), IsEmpty());
  EXPECT_THAT(advice("client\n", {"aes"}), IsEmpty());
  EXPECT_THAT(advice("secret k\ncipher AES-256-CBC\nauth SHA512\n", {"aes"}), IsEmpty());
}

TEST(CipherAdvice, ACpuWithoutAesInstructionsIsBetterServedByChaCha) {
  EXPECT_THAT(advice("client\n", {"asimd"}),
              ElementsAre(HasSubstr("CHACHA20-POLY1305 would cost it less")));
  EXPECT_THAT(advice("secret k\ncipher AES-256-CBC\n", {"neon"}),
              ElementsAre(HasSubstr("mode fingerprint could use CHACHA20-POLY1305")));
  EXPECT_THAT(advice("client\ndata-ciphers CHACHA20-POLY1305:AES-256-GCM\n", {"asimd"}), IsEmpty());
  EXPECT_THAT(advice("client\n", {}), IsEmpty()) << "nothing is known of this CPU";
}

}  // namespace
}  // namespace render
