// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/key_slot.h"

#include "base/error.h"
#include "fastpath/data/aead_slot.h"
#include "fastpath/data/cbc_slot.h"
#include "fastpath/data/epoch_slot.h"

namespace data {
namespace {

// The block of each direction that a key of this end holds.
constexpr std::size_t kKeyBlockBytes = 64;

void check(const crypto::DataKeys& keys) {
  const bool ciphers =
      keys.send_cipher.size() == kKeyBlockBytes && keys.receive_cipher.size() == kKeyBlockBytes;
  const bool hmacs =
      keys.send_hmac.size() == kKeyBlockBytes && keys.receive_hmac.size() == kKeyBlockBytes;
  const bool epoch = keys.format == crypto::DataFormat::kEpoch;
  if (keys.key_id > wire::kKeyIdMax || !ciphers || (!hmacs && !epoch)) {
    throw base::FatalError("the keys of the data channel are not whole");
  }
  if (epoch && !keys.peer_id) {
    throw base::FatalError("the peer wants epoch keys for the data channel but gave no peer-id");
  }
}

}  // namespace

void KeySlot::seal_with(std::uint64_t number, packet::Packet& packet) {
  Sealing one;
  one.packet = &packet;
  one.number = number;
  begin_sealing(one);
  seal_train(crypto::kLead, {&one, 1});
}

std::optional<std::uint64_t> KeySlot::decrypt(const wire::DataHeader& header,
                                              packet::Packet& packet) {
  Opening one;
  one.packet = &packet;
  one.header = header;
  one.link_bytes = packet.size();
  begin_opening(one);
  decrypt_train(crypto::kLead, {&one, 1});
  finish_opening(one);
  return one.number;
}

void count_opened(Opening& opening, AeadUsage& usage) {
  packet::Packet& packet = *opening.packet;
  const bool forged = packet.verdict == packet::DropReason::kAuthFailed;
  if (packet.dropped() && !forged) return;
  if (usage.worn_out()) return packet.drop(packet::DropReason::kKeyWornOut);
  if (forged) return usage.count_failure();
  usage.count(opening.link_bytes);
}

std::uint64_t usage_limit(const crypto::DataKeys& keys, const KeySlotParts& parts) {
  return keys.cipher.ends_with("-GCM") ? parts.gcm_limit : AeadUsage::kNoLimit;
}

std::unique_ptr<KeySlot> make_key_slot(crypto::Library& library, const crypto::DataKeys& keys,
                                       const KeySlotParts& parts, base::TimePoint now) {
  check(keys);
  switch (keys.format) {
    case crypto::DataFormat::kCbc:
      return std::make_unique<CbcSlot>(library, keys, parts, now);
    case crypto::DataFormat::kAead:
      return std::make_unique<AeadSlot>(library, keys, parts, now);
    case crypto::DataFormat::kEpoch:
      return std::make_unique<EpochSlot>(library, keys, parts, now);
  }
  throw base::FatalError("a data channel of an unknown format");
}

}  // namespace data
