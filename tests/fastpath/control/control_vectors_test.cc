// SPDX-License-Identifier: Apache-2.0
// Control packets that OpenVPN 2.6 sent, under every wrapping: read, made again byte for byte, and
// refused when anything in them is changed or cut off.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fastpath/control/wrap_channel.h"
#include "fastpath/control/wrap_key.h"
#include "tests/support/control_vectors.h"

namespace {

using config::ControlWrap;
using config::TlsRole;
using control::ControlBody;
using control::ControlHead;
using support::ControlVector;

// The client's wrapping, as its config says.
config::WrapConfig wrap_of(const ControlVector& vector) {
  config::WrapConfig wrap;
  if (const auto digest = vector.client_option("auth")) wrap.digest = *digest;
  for (const auto& [directive, kind] : {std::pair{"tls-auth", ControlWrap::kTlsAuth},
                                        std::pair{"tls-crypt", ControlWrap::kTlsCrypt},
                                        std::pair{"tls-crypt-v2", ControlWrap::kTlsCryptV2}}) {
    const auto words = vector.client_option(directive);
    if (!words) continue;
    const auto blank = words->find(' ');
    wrap.kind = kind;
    wrap.key.name = words->substr(0, blank);
    wrap.key.text = vector.key_files.at(wrap.key.name);
    if (blank != std::string::npos) wrap.direction = std::stoi(words->substr(blank + 1));
  }
  return wrap;
}

struct Fixture {
  explicit Fixture(const ControlVector& vector)
      : key(control::load_wrap_key(wrap_of(vector), TlsRole::kClient)),
        client(key.wrap(library, TlsRole::kClient)) {
    control::WrapKey mirrored = control::load_wrap_key(wrap_of(vector), TlsRole::kClient);
    if (key.direction != ovpn::KeyDirection::kBidirectional) {
      mirrored.direction = key.direction == ovpn::KeyDirection::kNormal
                               ? ovpn::KeyDirection::kInverse
                               : ovpn::KeyDirection::kNormal;
    }
    server = mirrored.wrap(library, TlsRole::kServer);
  }

  control::PacketWrap& sender(const ControlVector& vector) const {
    return vector.from_client ? *client : *server;
  }
  control::PacketWrap& receiver(const ControlVector& vector) const {
    return vector.from_client ? *server : *client;
  }

  crypto::Library library;
  control::WrapKey key;
  std::unique_ptr<control::PacketWrap> client, server;
};

base::ByteSpan without_wrapped_key(const ControlVector& vector) {
  return base::ByteSpan(vector.wire).first(vector.wire.size() - vector.wrapped_key.size());
}

// Whether the bytes are a whole and authentic packet.
bool opens(control::PacketWrap& wrap, base::ByteSpan bytes) {
  const auto head = control::parse_head(bytes);
  base::Bytes scratch(bytes.size());
  const auto opened = head ? wrap.open(*head, bytes, scratch) : std::nullopt;
  return opened && control::parse_body(head->opcode, opened->body);
}

ControlBody body_of(const ControlVector& vector) {
  ControlBody body;
  for (const std::uint32_t id : vector.acks) body.acks.add(id);
  if (!vector.acks.empty()) body.acked_session = wire::SessionId::from(vector.acked_session);
  body.id = vector.message_id;
  body.payload = vector.payload;
  return body;
}

ControlHead head_of(const ControlVector& vector) {
  return {wire::Opcode{static_cast<std::uint8_t>(vector.opcode)},
          static_cast<std::uint8_t>(vector.key_id), wire::SessionId::from(vector.session_id)};
}

template <typename Body>
void for_each_vector(Body body) {
  int count = 0;
  for (const std::string& file : support::control_vector_files()) {
    const std::vector<ControlVector> vectors = support::load_control_vectors(file);
    const Fixture fixture(vectors.front());
    for (const ControlVector& vector : vectors) {
      SCOPED_TRACE(vector.name);
      body(fixture, vector);
      ++count;
    }
  }
  EXPECT_GT(count, 90);
}

TEST(ControlVectors, AreReadAsTheyWereMeant) {
  for_each_vector([](const Fixture& fixture, const ControlVector& vector) {
    const auto bytes = without_wrapped_key(vector);
    const auto head = control::parse_head(bytes);
    ASSERT_TRUE(head);
    EXPECT_EQ(*head, head_of(vector));
    base::Bytes scratch(bytes.size());
    const auto opened = fixture.receiver(vector).open(*head, bytes, scratch);
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->packet_id.has_value(), vector.replay_packet_id.has_value());
    if (opened->packet_id) {
      EXPECT_EQ(value(opened->packet_id->id), *vector.replay_packet_id);
      EXPECT_EQ(value(opened->packet_id->time), *vector.replay_time);
    }
    const auto body = control::parse_body(head->opcode, opened->body);
    ASSERT_TRUE(body);
    EXPECT_EQ(body->id, vector.message_id);
    EXPECT_EQ(std::vector<std::uint32_t>(body->acks.begin(), body->acks.end()), vector.acks);
    EXPECT_EQ(base::to_hex(body->payload), base::to_hex(vector.payload));
  });
}

TEST(ControlVectors, AreMadeAgainByteForByte) {
  for_each_vector([](const Fixture& fixture, const ControlVector& vector) {
    control::PacketWrap& wrap = fixture.sender(vector);
    base::Bytes out(4096);
    base::ByteWriter writer(base::MutableByteSpan(out).subspan(wrap.body_at()));
    control::write_body(body_of(vector), writer);
    const wire::LongPacketId packet_id{wire::PacketId{vector.replay_packet_id.value_or(0)},
                                       wire::PacketTime{vector.replay_time.value_or(0)}};
    out.resize(wrap.seal(head_of(vector), packet_id, writer.size(), out));
    out.insert(out.end(), vector.wrapped_key.begin(), vector.wrapped_key.end());
    EXPECT_EQ(base::to_hex(out), base::to_hex(vector.wire));
  });
}

TEST(ControlVectors, AreRefusedWhenCutOffAnywhere) {
  for_each_vector([](const Fixture& fixture, const ControlVector& vector) {
    const auto bytes = without_wrapped_key(vector);
    // In clear text the end of the payload is nobody's to know.
    const std::size_t whole =
        fixture.receiver(vector).protects() ? bytes.size() : bytes.size() - vector.payload.size();
    for (std::size_t size = 0; size < whole; ++size) {
      const base::Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      ASSERT_FALSE(opens(fixture.receiver(vector), cut)) << size;
    }
    ASSERT_TRUE(opens(fixture.receiver(vector), bytes));
  });
}

TEST(ControlVectors, AreRefusedWhenAnyByteIsFlipped) {
  for_each_vector([](const Fixture& fixture, const ControlVector& vector) {
    if (!fixture.receiver(vector).protects()) return;
    const auto original = without_wrapped_key(vector);
    base::Bytes bytes(original.begin(), original.end());
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      const auto flip = static_cast<std::uint8_t>(1u << at % 8);
      bytes[at] ^= flip;
      ASSERT_FALSE(opens(fixture.receiver(vector), bytes)) << at;
      bytes[at] ^= flip;
    }
  });
}

// A packet comes in one direction only: its sender does not take it back.
TEST(ControlVectors, AreNotTakenBackByTheirSenderWhereKeysDiffer) {
  for_each_vector([](const Fixture& fixture, const ControlVector& vector) {
    const bool one_key = fixture.key.kind == ControlWrap::kNone ||
                         (fixture.key.kind == ControlWrap::kTlsAuth &&
                          fixture.key.direction == ovpn::KeyDirection::kBidirectional);
    EXPECT_EQ(opens(fixture.sender(vector), without_wrapped_key(vector)), one_key);
  });
}

TEST(WrapChannel, SpeaksAsTheCapturedClientsDid) {
  for (const std::string& file : support::control_vector_files()) {
    SCOPED_TRACE(file);
    const std::vector<ControlVector> vectors = support::load_control_vectors(file);
    const Fixture fixture(vectors.front());
    const ControlVector& first = vectors.front();
    const bool v2 = fixture.key.kind == ControlWrap::kTlsCryptV2;
    control::WrapChannel channel(
        fixture.key.wrap(const_cast<Fixture&>(fixture).library, TlsRole::kClient),
        v2 ? wire::kEarlyNegotiationPacketId : 0, fixture.key.wrapped);
    base::Bytes out(2048);
    out.resize(channel.seal(head_of(first), body_of(first), first.replay_time.value_or(0), out));
    EXPECT_EQ(base::to_hex(out), base::to_hex(first.wire));
  }
}

TEST(WrapChannel, TakesEveryPacketOnce) {
  const auto vectors = support::load_control_vectors("ctrl_tls_crypt.json");
  Fixture fixture(vectors.front());
  control::WrapChannel server(std::move(fixture.server), 0);
  base::Bytes scratch(2048);
  for (const ControlVector& vector : vectors) {
    if (!vector.from_client) continue;
    const auto head = control::parse_head(vector.wire);
    EXPECT_TRUE(server.open(*head, vector.wire, scratch));
    EXPECT_FALSE(server.open(*head, vector.wire, scratch));
  }
}

TEST(WrapKey, TellsWhatIsWrongWithAFile) {
  const auto refusal = [](ControlWrap kind, const std::string& text, TlsRole role) {
    config::WrapConfig wrap;
    wrap.kind = kind;
    wrap.key.name = "x.key";
    wrap.key.text = text;
    try {
      control::load_wrap_key(wrap, role);
    } catch (const base::FatalError& error) {
      EXPECT_EQ(error.exit_status(), crypto::kExitConfig);
      return std::string(error.what());
    }
    return std::string();
  };
  const auto vector = support::load_control_vectors("ctrl_tls_crypt_v2_forcecookie.json").front();
  const std::string client = vector.key_files.at("v2c.key");
  EXPECT_EQ(refusal(ControlWrap::kTlsCryptV2, client, TlsRole::kClient), "");
  EXPECT_THAT(refusal(ControlWrap::kTlsCryptV2, vector.key_files.at("v2s.key"), TlsRole::kClient),
              testing::HasSubstr("x.key: this is the server's tls-crypt-v2 key"));
  const std::size_t end = client.find("-----END");
  for (std::size_t size = 0; size < end + 40; ++size) {
    ASSERT_NE(refusal(ControlWrap::kTlsCryptV2, client.substr(0, size), TlsRole::kClient), "")
        << size;
  }
  EXPECT_THAT(refusal(ControlWrap::kTlsCrypt, "nothing", TlsRole::kClient),
              testing::HasSubstr("x.key"));
}

TEST(WrapKey, ABlockIsNamedByItsPlaceInTheConfig) {
  for (const auto& [kind, words] :
       {std::pair(ControlWrap::kTlsAuth, "a.conf:8: this is a certificate, not an OpenVPN static"),
        std::pair(ControlWrap::kTlsCryptV2,
                  "a.conf:7:1: this is a certificate, not a tls-crypt-v2"),
        std::pair(ControlWrap::kTlsCrypt, "a.conf:8: this is a certificate, not an OpenVPN")}) {
    config::WrapConfig wrap;
    wrap.kind = kind;
    wrap.key = {"[inline]", "-----BEGIN CERTIFICATE-----\n", {"a.conf", 7, 1}};
    try {
      control::load_wrap_key(wrap, TlsRole::kClient);
      ADD_FAILURE() << words;
    } catch (const base::FatalError& error) {
      EXPECT_THAT(error.what(), testing::StartsWith(words));
    }
  }
}

}  // namespace
