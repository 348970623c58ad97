// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/cbc_slot.h"

#include <algorithm>
#include <array>

#include "base/secret_bytes.h"

namespace data {

using packet::DropReason;

CbcSlot::CbcSlot(crypto::Library& library, const crypto::DataKeys& keys, const KeySlotParts& parts,
                 base::TimePoint now)
    : header_{keys.key_id, keys.peer_id},
      layers_(library, keys.cipher, keys.auth, {keys.send_cipher.view(), keys.send_hmac.view()},
              {keys.receive_cipher.view(), keys.receive_hmac.view()},
              parts.replay.on ? wire::kShortPacketIdBytes : 0),
      ids_(wire::LongPacketId{wire::PacketId{parts.packet_ids_used}, {}}),
      window_(parts.replay.window_packets, parts.replay.window_seconds, now) {
  if (!layers_.layout().encrypted()) return;
  base::SecretBytes seed(crypto::kIvSeedBytes);
  const auto& fill_at_random = parts.random;
  fill_at_random(seed.mutable_view());
  for (std::size_t i = 0; i < library.workers(); ++i)
    iv_sources_.emplace_back(library, seed.view());
}

std::optional<std::uint64_t> CbcSlot::next_number() {
  if (!numbered()) return ++unnumbered_;
  const std::optional<wire::LongPacketId> next = ids_.next();
  if (!next) return std::nullopt;
  return value(next->id);
}

void CbcSlot::seal_train(crypto::WorkerIndex worker, std::span<const Sealing> train) {
  std::array<std::uint8_t, wire::kBlockBytesMax> iv;
  const auto iv_used = base::MutableByteSpan(iv).first(layers_.layout().iv_bytes);
  for (const Sealing& sealing : train) {
    if (sealing.packet->dropped()) continue;
    if (!iv_sources_.empty()) iv_sources_[worker].make(sealing.number, iv_used);
    add_to_seal(worker, sealing.number, iv_used, *sealing.packet);
  }
  layers_.seal(worker);
  for (const Sealing& sealing : train) add_header(*sealing.packet);
}

void CbcSlot::seal_with_iv(std::uint64_t number, base::ByteSpan iv, packet::Packet& packet) {
  add_to_seal(crypto::kLead, number, iv, packet);
  layers_.seal(crypto::kLead);
  add_header(packet);
}

void CbcSlot::add_to_seal(crypto::WorkerIndex worker, std::uint64_t number, base::ByteSpan iv,
                          packet::Packet& packet) {
  std::array<std::uint8_t, wire::kShortPacketIdBytes> id;
  base::store_be32(id.data(), static_cast<std::uint32_t>(number));
  layers_.add_to_seal(worker, base::ByteSpan(id).first(layers_.layout().packet_id_bytes), iv,
                      packet);
}

// 30 | a0 82 d3 44 ... (20) | IV (16) | CBC( 00 00 00 01 | payload | padding )
// P_DATA_V1, key 0 | HMAC
void CbcSlot::add_header(packet::Packet& packet) const {
  if (packet.dropped()) return;
  if (packet.headroom() < header_.size()) return packet.drop(DropReason::kTooLong);
  wire::store_data_header(packet.push_front(header_.size()).data(), header_);
}

void CbcSlot::begin_opening(Opening& opening) { opening.packet->pop_front(opening.header.size()); }

void CbcSlot::decrypt_train(crypto::WorkerIndex worker, std::span<Opening> train) {
  for (const Opening& opening : train) {
    if (!opening.packet->dropped()) layers_.add_to_open(worker, *opening.packet);
  }
  layers_.open(worker);
  for (Opening& opening : train) {
    packet::Packet& packet = *opening.packet;
    if (packet.dropped()) continue;
    opening.number = numbered() ? base::load_be32(packet.bytes().data()) : 0;
    packet.pop_front(layers_.layout().packet_id_bytes);
  }
}

ReplayVerdict CbcSlot::accept(std::uint64_t number, base::TimePoint now) {
  return numbered() ? window_.accept(number, now) : ReplayVerdict::kAccept;
}

KeyOverhead CbcSlot::overhead() const {
  const wire::StaticLayout& layout = layers_.layout();
  return {.header = header_.size(),
          .hmac = layout.hmac_bytes,
          .packet_id = layout.packet_id_bytes,
          .block = layout.iv_bytes};
}

bool CbcSlot::wants_renegotiation() const { return value(ids_.last().id) >= kPacketIdsShort; }

}  // namespace data
