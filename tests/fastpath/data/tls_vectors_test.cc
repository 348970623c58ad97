// SPDX-License-Identifier: Apache-2.0
// Every captured data packet of TLS mode, opened and made again byte for byte.
#include <algorithm>

#include <gtest/gtest.h>

#include "fastpath/data/cbc_slot.h"
#include "fastpath/data/epoch_schedule.h"
#include "fastpath/data/epoch_slot.h"
#include "fastpath/data/key_ring.h"
#include "tests/support/data_keys.h"
#include "tests/support/peer_parts.h"
#include "tests/support/vectors.h"

namespace {

using packet::DropReason;
using support::TlsVector;

constexpr base::TimePoint kNow{std::chrono::seconds(1000)};

// `client`: the end that the keys are for.
crypto::DataKeys keys_of(const TlsVector& vector, bool client) {
  using crypto::DataFormat;
  crypto::DataKeys keys = support::data_keys(vector.key2, client);
  const wire::DataHeader header = wire::load_data_header(vector.wire).value();
  keys.key_id = header.key_id;
  keys.peer_id = header.peer_id;
  keys.cipher = vector.cipher;
  keys.auth = vector.auth;
  keys.format = vector.epoch_format                              ? DataFormat::kEpoch
                : vector.cipher.find("CBC") != std::string::npos ? DataFormat::kCbc
                                                                 : DataFormat::kAead;
  return keys;
}

data::KeySlotParts slot_parts() {
  data::KeySlotParts parts;
  parts.random = support::seeded_random(1);
  return parts;
}

class TlsVectors : public testing::TestWithParam<std::string> {
 protected:
  packet::Packet& slot(base::ByteSpan bytes) {
    batch_.clear();
    packet::Packet& packet = *batch_.append();
    support::fill(packet, bytes);
    return packet;
  }
  packet::PacketBatch batch_{2048, 1};
};

TEST_P(TlsVectors, OpenGivesThePayload) {
  for (const bool client : {true, false}) {
    data::KeyRing ring({.slot = slot_parts()});
    std::string installed;
    for (const TlsVector& vector : support::load_tls_vectors(GetParam())) {
      if (vector.from_client == client) continue;
      SCOPED_TRACE(base::to_hex(base::ByteSpan(vector.wire).first(12)));
      const std::string material = base::to_hex(vector.key2);
      if (material != installed) ring.install(keys_of(vector, client), installed.empty(), kNow);
      installed = material;
      packet::Packet& packet = slot(vector.wire);
      ring.open_packet(kNow, packet);
      const std::uint64_t epoch = vector.epoch_format ? vector.number >> 48 : 0;
      // The server had left the one for epoch 5 and did not know the other.
      const bool lost = epoch == 4 || epoch == 20;
      EXPECT_EQ(packet.verdict, lost ? DropReason::kNoKey : DropReason::kNone);
      if (!lost) {
        EXPECT_EQ(base::to_hex(packet.bytes()), base::to_hex(vector.plain));
      }
    }
  }
}

TEST_P(TlsVectors, SealGivesThePacket) {
  crypto::Library library;
  for (const TlsVector& vector : support::load_tls_vectors(GetParam())) {
    SCOPED_TRACE(base::to_hex(base::ByteSpan(vector.wire).first(12)));
    const crypto::DataKeys keys = keys_of(vector, vector.from_client);
    packet::Packet& packet = slot(vector.plain);
    if (keys.format == crypto::DataFormat::kCbc) {
      data::CbcSlot sender(library, keys, slot_parts(), kNow);
      const std::size_t iv_at = wire::load_data_header(vector.wire)->size() + 20;  // SHA1
      sender.seal_with_iv(vector.number, base::ByteSpan(vector.wire).subspan(iv_at, 16), packet);
    } else {
      data::make_key_slot(library, keys, slot_parts(), kNow)->seal_with(vector.number, packet);
    }
    EXPECT_FALSE(packet.dropped());
    EXPECT_EQ(base::to_hex(packet.bytes()), base::to_hex(vector.wire));
  }
}

TEST_P(TlsVectors, EpochKeysAreDerived) {
  crypto::Library library;
  for (const TlsVector& vector : support::load_tls_vectors(GetParam())) {
    if (!vector.epoch_format) continue;
    const base::ByteSpan key2 = vector.key2;
    data::EpochSchedule schedule(library, key2.subspan(vector.from_client ? 0 : 128, 32));
    while (schedule.epoch() < vector.number >> 48) schedule.advance();
    const auto material = schedule.material(vector.data_key.size());
    EXPECT_EQ(base::to_hex(material.key.view()), base::to_hex(vector.data_key));
    EXPECT_EQ(base::to_hex(material.iv.view()), base::to_hex(vector.data_iv));
  }
}

INSTANTIATE_TEST_SUITE_P(Captures, TlsVectors, testing::ValuesIn(support::tls_vector_files()),
                         [](const auto& info) {
                           std::string name = info.param.substr(0, info.param.size() - 5);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(TlsVectors, AreAllThere) { EXPECT_EQ(support::tls_vector_files().size(), 10u); }

}  // namespace
