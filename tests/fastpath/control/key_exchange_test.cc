// SPDX-License-Identifier: Apache-2.0
// Key method 2 and what is made of it, against handshakes with real servers.
#include <gtest/gtest.h>

#include "fastpath/control/key_material.h"
#include "fastpath/control/key_method.h"
#include "fastpath/crypto/tls1_prf.h"
#include "tests/support/control_vectors.h"

namespace {

using config::TlsRole;
using control::KeyMethodMessage;

base::SecretBytes filled(std::size_t size, std::uint8_t with) {
  base::SecretBytes bytes(size);
  for (std::uint8_t& byte : bytes.mutable_view()) byte = with++;
  return bytes;
}

KeyMethodMessage client_message() {
  KeyMethodMessage message;
  message.source = {filled(48, 1), filled(32, 64), filled(32, 128)};
  message.texts.options = "V4,tls-client";
  message.texts.username = "jo";
  message.texts.password = "secret";
  message.texts.peer_info = "IV_PROTO=990\n";
  return message;
}

TEST(KeyMethod, IsWrittenAsTheProtocolSays) {
  const auto bytes = control::write_key_method(client_message());
  const std::string hex = base::to_hex(bytes.view());
  EXPECT_TRUE(
      hex.starts_with("00000000"
                      "02"
                      "010203"));
  const std::string texts = "000e" + base::to_hex(base::as_bytes("V4,tls-client")) +
                            "00"
                            "0003"
                            "6a6f00"
                            "0007" +
                            base::to_hex(base::as_bytes("secret")) +
                            "00"
                            "000e" +
                            base::to_hex(base::as_bytes("IV_PROTO=990\n")) + "00";
  EXPECT_EQ(hex.substr(2 * (5 + 48 + 64)), texts);
}

TEST(KeyMethod, ComesBackAsItWas) {
  const auto bytes = control::write_key_method(client_message());
  const auto read = control::parse_key_method(bytes.view(), TlsRole::kClient);
  ASSERT_TRUE(read);
  EXPECT_EQ(base::to_hex(read->source.pre_master.view()), base::to_hex(filled(48, 1).view()));
  EXPECT_EQ(base::to_hex(read->source.random2.view()), base::to_hex(filled(32, 128).view()));
  EXPECT_EQ(read->texts.options, "V4,tls-client");
  EXPECT_EQ(read->texts.username, "jo");
  EXPECT_EQ(read->texts.password, "secret");
  EXPECT_EQ(read->texts.peer_info, "IV_PROTO=990\n");
}

// Old peers end the message behind any text; what is cut off inside one is damaged.
TEST(KeyMethod, CutOffIsDamagedUnlessAtAText) {
  const auto bytes = control::write_key_method(client_message());
  const std::size_t texts = 5 + 48 + 64;
  const std::vector<std::size_t> ends = {texts, texts + 16, texts + 16 + 5, texts + 16 + 5 + 9};
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const bool at_text = std::find(ends.begin(), ends.end(), size) != ends.end();
    EXPECT_EQ(control::parse_key_method(bytes.view().first(size), TlsRole::kClient).has_value(),
              at_text)
        << size;
  }
}

TEST(KeyMethod, OtherMethodsAreRefused) {
  auto bytes = control::write_key_method(client_message());
  bytes.mutable_view()[4] = 1;
  EXPECT_FALSE(control::parse_key_method(bytes.view(), TlsRole::kClient));
  bytes.mutable_view()[4] = 0x12;  // the upper bits are not its
  EXPECT_TRUE(control::parse_key_method(bytes.view(), TlsRole::kClient));
  bytes.mutable_view()[0] = 1;
  EXPECT_FALSE(control::parse_key_method(bytes.view(), TlsRole::kClient));
}

TEST(Prf, HasOpenVpnsOwnTestValue) {
  crypto::Library library;
  base::Bytes out(8);
  ASSERT_TRUE(crypto::tls1_prf(library, base::as_bytes("tls1-prf-test-secret"), "tls1-prf-",
                               base::as_bytes("test"), out));
  EXPECT_EQ(base::to_hex(out), "7144fe2540737595");
}

TEST(KeyMaterial, FromThePrfIsWhatRealServersMade) {
  crypto::Library library;
  int count = 0;
  for (const support::PrfVector& vector : support::load_prf_vectors()) {
    const control::KeySource client{base::SecretBytes(base::ByteSpan(vector.pre_master)),
                                    base::SecretBytes(base::ByteSpan(vector.client_random1)),
                                    base::SecretBytes(base::ByteSpan(vector.client_random2))};
    const control::KeySource server{base::SecretBytes(),
                                    base::SecretBytes(base::ByteSpan(vector.server_random1)),
                                    base::SecretBytes(base::ByteSpan(vector.server_random2))};
    const auto material = control::key_material_from_prf(
        library, {client, server, wire::SessionId::from(vector.client_session),
                  wire::SessionId::from(vector.server_session)});
    ASSERT_TRUE(material);
    EXPECT_EQ(base::to_hex(material->view()), base::to_hex(vector.key2)) << vector.name;
    ++count;
  }
  EXPECT_GE(count, 4);
}

TEST(DataKeys, AreTurnedToEachEndsDirections) {
  const auto material = filled(256, 0);
  const control::Negotiated agreed{.cipher = "AES-256-CBC", .peer_id = 7};
  const auto client =
      control::data_keys_from(material.view(), TlsRole::kClient, 3, agreed, "SHA256");
  const auto server =
      control::data_keys_from(material.view(), TlsRole::kServer, 3, agreed, "SHA256");
  ASSERT_TRUE(client && server);
  EXPECT_EQ(client->key_id, 3);
  EXPECT_EQ(client->format, crypto::DataFormat::kCbc);
  EXPECT_EQ(client->auth, "SHA256");
  EXPECT_EQ(client->peer_id, 7u);
  EXPECT_EQ(base::to_hex(client->send_cipher.view()), base::to_hex(material.view().first(64)));
  EXPECT_EQ(base::to_hex(client->send_hmac.view()), base::to_hex(material.view().subspan(64, 64)));
  EXPECT_EQ(base::to_hex(client->send_cipher.view()), base::to_hex(server->receive_cipher.view()));
  EXPECT_EQ(base::to_hex(client->receive_cipher.view()), base::to_hex(server->send_cipher.view()));
  EXPECT_EQ(base::to_hex(client->receive_hmac.view()), base::to_hex(server->send_hmac.view()));
}

TEST(DataKeys, OfAllZerosAreRefused) {
  base::SecretBytes material = filled(256, 1);
  for (std::size_t i = 128; i < 160; ++i) material.mutable_view()[i] = 0;
  for (const TlsRole role : {TlsRole::kClient, TlsRole::kServer}) {
    EXPECT_FALSE(
        control::data_keys_from(material.view(), role, 0, {.cipher = "AES-256-GCM"}, "SHA1"));
    EXPECT_FALSE(control::data_keys_from(material.view(), role, 0, {.cipher = "NONSENSE"}, ""));
  }
}

}  // namespace
