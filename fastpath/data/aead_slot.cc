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
      hands_(library.workers()),
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
  for (crypto::WorkerIndex worker = 0; worker < hands_.size(); ++worker) {
    Hands& hands = hands_[worker];
    hands.seal = crypto::make_packet_cipher(library, keys.cipher, "", {keys.send_cipher.view(), {}},
                                            crypto::Way::kSeal, worker);
    hands.open = crypto::make_packet_cipher(
        library, keys.cipher, "", {keys.receive_cipher.view(), {}}, crypto::Way::kOpen, worker);
    implicit(keys.send_hmac, hands.send_nonces);
    implicit(keys.receive_hmac, hands.receive_nonces);
  }
}

std::optional<std::uint64_t> AeadSlot::next_number() {
  const std::optional<wire::LongPacketId> next = ids_.next();
  if (!next) return std::nullopt;
  return value(next->id);
}

// Before it is sealed, so that what is on its way to a worker counts as well.
void AeadSlot::begin_sealing(Sealing& sealing) {
  sent_.count(sealing.packet->size() + header_.size() + kBehindHeader);
}

void AeadSlot::seal_train(crypto::WorkerIndex worker, std::span<const Sealing> train) {
  Hands& hands = hands_[worker];
  for (const Sealing& sealing : train) {
    if (!sealing.packet->dropped()) add_to_seal(hands, sealing);
  }
  hands.sealing.run(*hands.seal);
  for (std::size_t i = 0; i < hands.sealing.size(); ++i) {
    if (!hands.sealing.ok(i)) hands.sealing.packet(i).drop(DropReason::kSendFailed);
  }
  hands.sealing.clear();
}

// 48 00 00 00 | 00 00 00 01 | da 8f c4 d1 ... (16) | ciphertext
// P_DATA_V2, key 0, peer 0 | packet id 1 | tag
void AeadSlot::add_to_seal(Hands& hands, const Sealing& sealing) const {
  packet::Packet& packet = *sealing.packet;
  if (packet.headroom() < header_.size() + kBehindHeader) {
    return packet.drop(DropReason::kTooLong);
  }
  Nonce& nonce = hands.send_nonces[hands.sealing.size()];
  crypto::PacketJob& job = hands.sealing.add(packet);
  job.text = packet.bytes();
  job.tag = packet.push_front(wire::kTagBytes);
  const auto number = static_cast<std::uint32_t>(sealing.number);
  base::store_be32(packet.push_front(wire::kShortPacketIdBytes).data(), number);
  wire::store_data_header(packet.push_front(header_.size()).data(), header_);
  base::store_be32(nonce.data(), number);
  job.nonce = nonce;
  job.associated = associated_data(header_, packet.bytes());
}

void AeadSlot::begin_opening(Opening& opening) {
  packet::Packet& packet = *opening.packet;
  // A packet without text is never sent.
  if (packet.size() <= opening.header.size() + kBehindHeader) {
    return packet.drop(DropReason::kTooShort);
  }
  if (received_.worn_out()) packet.drop(DropReason::kKeyWornOut);
}

void AeadSlot::decrypt_train(crypto::WorkerIndex worker, std::span<Opening> train) {
  Hands& hands = hands_[worker];
  for (Opening& opening : train) {
    if (!opening.packet->dropped()) add_to_open(hands, opening);
  }
  hands.opening.run(*hands.open);
  for (std::size_t i = 0; i < hands.opening.size(); ++i) {
    take_opened(*hands.opened[i], hands.opening.ok(i));
  }
  hands.opening.clear();
}

void AeadSlot::add_to_open(Hands& hands, Opening& opening) {
  packet::Packet& packet = *opening.packet;
  const std::size_t header_bytes = opening.header.size();
  const std::size_t text_at = header_bytes + kBehindHeader;
  const base::MutableByteSpan bytes = packet.bytes();
  Nonce& nonce = hands.receive_nonces[hands.opening.size()];
  hands.opened[hands.opening.size()] = &opening;
  crypto::PacketJob& job = hands.opening.add(packet);
  std::ranges::copy(bytes.subspan(header_bytes, wire::kShortPacketIdBytes), nonce.begin());
  job.nonce = nonce;
  job.tag = bytes.subspan(text_at - wire::kTagBytes, wire::kTagBytes);
  job.text = bytes.subspan(text_at);
  job.associated = associated_data(opening.header, bytes);
}

void AeadSlot::take_opened(Opening& opening, bool authentic) {
  packet::Packet& packet = *opening.packet;
  if (!authentic) return packet.drop(DropReason::kAuthFailed);
  opening.number = base::load_be32(&packet.bytes()[opening.header.size()]);
  packet.pop_front(opening.header.size() + kBehindHeader);
}

void AeadSlot::finish_opening(Opening& opening) { count_opened(opening, received_); }

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
