// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/aead_slot.h"

#include <algorithm>

namespace data {
namespace {

using packet::DropReason;

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
      seal_(crypto::make_packet_cipher(library, keys.cipher, "", {keys.send_cipher.view(), {}},
                                       crypto::Way::kSeal)),
      open_(crypto::make_packet_cipher(library, keys.cipher, "", {keys.receive_cipher.view(), {}},
                                       crypto::Way::kOpen)),
      ids_(wire::LongPacketId{wire::PacketId{parts.packet_ids_used}, {}}),
      sent_(usage_limit(keys, parts)),
      received_(usage_limit(keys, parts)),
      window_(parts.replay.window_packets, parts.replay.window_seconds, now) {
  const auto implicit = [](const base::SecretBytes& block, std::span<Nonce> nonces) {
    for (Nonce& nonce : nonces) {
      std::ranges::copy(block.view().first(wire::kImplicitIvBytes),
                        nonce.begin() + wire::kShortPacketIdBytes);
    }
  };
  implicit(keys.send_hmac, send_nonces_);
  implicit(keys.receive_hmac, receive_nonces_);
}

std::optional<std::uint64_t> AeadSlot::next_number() {
  const std::optional<wire::LongPacketId> next = ids_.next();
  if (!next) return std::nullopt;
  return value(next->id);
}

void AeadSlot::seal_train(std::span<const Sealing> train) {
  for (const Sealing& sealing : train) add_to_seal(sealing);
  sealing_.run(*seal_);
  for (std::size_t i = 0; i < sealing_.size(); ++i) {
    packet::Packet& packet = sealing_.packet(i);
    if (sealing_.ok(i)) {
      sent_.count(packet.size());
    } else {
      packet.drop(DropReason::kSendFailed);
    }
  }
  sealing_.clear();
}

// 48 00 00 00 | 00 00 00 01 | da 8f c4 d1 ... (16) | ciphertext
// P_DATA_V2, key 0, peer 0 | packet id 1 | tag
void AeadSlot::add_to_seal(const Sealing& sealing) {
  packet::Packet& packet = *sealing.packet;
  if (packet.headroom() < header_.size() + kBehindHeader) {
    return packet.drop(DropReason::kTooLong);
  }
  Nonce& nonce = send_nonces_[sealing_.size()];
  crypto::PacketJob& job = sealing_.add(packet);
  job.text = packet.bytes();
  job.tag = packet.push_front(wire::kTagBytes);
  const auto number = static_cast<std::uint32_t>(sealing.number);
  base::store_be32(packet.push_front(wire::kShortPacketIdBytes).data(), number);
  wire::store_data_header(packet.push_front(header_.size()).data(), header_);
  base::store_be32(nonce.data(), number);
  job.nonce = nonce;
  job.associated = associated_data(header_, packet.bytes());
}

void AeadSlot::decrypt_train(std::span<Opening> train) {
  for (Opening& opening : train) add_to_open(opening);
  opening_.run(*open_);
  for (std::size_t i = 0; i < opening_.size(); ++i) finish_opening(*opened_[i], opening_.ok(i));
  opening_.clear();
}

void AeadSlot::add_to_open(Opening& opening) {
  packet::Packet& packet = *opening.packet;
  const std::size_t header_bytes = opening.header.size();
  const std::size_t text_at = header_bytes + kBehindHeader;
  // A packet without text is never sent.
  if (packet.size() <= text_at) return packet.drop(DropReason::kTooShort);
  if (received_.worn_out()) return packet.drop(DropReason::kKeyWornOut);

  const base::MutableByteSpan bytes = packet.bytes();
  Nonce& nonce = receive_nonces_[opening_.size()];
  opened_[opening_.size()] = &opening;
  crypto::PacketJob& job = opening_.add(packet);
  std::ranges::copy(bytes.subspan(header_bytes, wire::kShortPacketIdBytes), nonce.begin());
  job.nonce = nonce;
  job.tag = bytes.subspan(text_at - wire::kTagBytes, wire::kTagBytes);
  job.text = bytes.subspan(text_at);
  job.associated = associated_data(opening.header, bytes);
}

void AeadSlot::finish_opening(Opening& opening, bool authentic) {
  packet::Packet& packet = *opening.packet;
  // The forgeries in front of it count, though they came in the same train.
  if (received_.worn_out()) return packet.drop(DropReason::kKeyWornOut);
  if (!authentic) {
    received_.count_failure();
    return packet.drop(DropReason::kAuthFailed);
  }
  received_.count(packet.size());
  opening.number = base::load_be32(&packet.bytes()[opening.header.size()]);
  packet.pop_front(opening.header.size() + kBehindHeader);
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
