// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/aead_slot.h"

#include <algorithm>

namespace data {
namespace {

using packet::DropReason;
using Way = crypto::AeadCipher::Way;

constexpr std::size_t kBehindHeader = wire::kShortPacketIdBytes + wire::kTagBytes;

// What the tag covers besides the text. The header is left out with P_DATA_V1.
base::ByteSpan associated_data(const wire::DataHeader& header, base::ByteSpan packet) {
  const base::ByteSpan with_id = packet.first(header.size() + wire::kShortPacketIdBytes);
  return header.peer_id ? with_id : with_id.subspan(wire::kDataV1HeaderBytes);
}

}  // namespace

AeadSlot::AeadSlot(crypto::Library& library, const crypto::DataKeys& keys,
                   const KeySlotParts& parts, base::TimePoint now)
    : header_{keys.key_id, keys.peer_id},
      seal_(library, keys.cipher, keys.send_cipher.view(), Way::kSeal),
      open_(library, keys.cipher, keys.receive_cipher.view(), Way::kOpen),
      ids_(wire::LongPacketId{wire::PacketId{parts.packet_ids_used}, {}}),
      sent_(usage_limit(keys, parts)),
      received_(usage_limit(keys, parts)),
      window_(parts.replay.window_packets, parts.replay.window_seconds, now) {
  const auto implicit = [](const base::SecretBytes& block, Nonce& nonce) {
    std::ranges::copy(block.view().first(wire::kImplicitIvBytes),
                      nonce.begin() + wire::kShortPacketIdBytes);
  };
  implicit(keys.send_hmac, send_nonce_);
  implicit(keys.receive_hmac, receive_nonce_);
}

std::optional<std::uint64_t> AeadSlot::next_number() {
  const std::optional<wire::LongPacketId> next = ids_.next();
  if (!next) return std::nullopt;
  return value(next->id);
}

// 48 00 00 00 | 00 00 00 01 | da 8f c4 d1 ... (16) | ciphertext
// P_DATA_V2, key 0, peer 0 | packet id 1 | tag
void AeadSlot::seal_with(std::uint64_t number, packet::Packet& packet) {
  if (packet.headroom() < header_.size() + kBehindHeader) {
    return packet.drop(DropReason::kTooLong);
  }
  const base::MutableByteSpan text = packet.bytes();
  const base::MutableByteSpan tag = packet.push_front(wire::kTagBytes);
  base::store_be32(packet.push_front(wire::kShortPacketIdBytes).data(),
                   static_cast<std::uint32_t>(number));
  wire::store_data_header(packet.push_front(header_.size()).data(), header_);
  base::store_be32(send_nonce_.data(), static_cast<std::uint32_t>(number));
  if (!seal_.seal(send_nonce_, associated_data(header_, packet.bytes()), text, tag)) {
    return packet.drop(DropReason::kSendFailed);
  }
  sent_.count(packet.size());
}

std::optional<std::uint64_t> AeadSlot::decrypt(const wire::DataHeader& header,
                                               packet::Packet& packet) {
  const auto refuse = [&packet](DropReason reason) {
    packet.drop(reason);
    return std::nullopt;
  };
  const std::size_t text_at = header.size() + kBehindHeader;
  // A packet without text is never sent.
  if (packet.size() <= text_at) return refuse(DropReason::kTooShort);
  if (received_.worn_out()) return refuse(DropReason::kKeyWornOut);

  const base::MutableByteSpan bytes = packet.bytes();
  const std::uint32_t number = base::load_be32(&bytes[header.size()]);
  const base::ByteSpan tag = bytes.subspan(text_at - wire::kTagBytes, wire::kTagBytes);
  base::store_be32(receive_nonce_.data(), number);
  if (!open_.open(receive_nonce_, associated_data(header, bytes), bytes.subspan(text_at), tag)) {
    received_.count_failure();
    return refuse(DropReason::kAuthFailed);
  }
  received_.count(packet.size());
  packet.pop_front(text_at);
  return number;
}

ReplayVerdict AeadSlot::accept(std::uint64_t number, base::TimePoint now) {
  return window_.accept(number, now);
}

KeyOverhead AeadSlot::overhead() const {
  return {.header = header_.size(), .packet_id = wire::kShortPacketIdBytes, .tag = wire::kTagBytes};
}

bool AeadSlot::wants_renegotiation() const {
  return value(ids_.last().id) >= kPacketIdsShort || sent_.near() || received_.near();
}

}  // namespace data
