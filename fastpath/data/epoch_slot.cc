// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/epoch_slot.h"

#include <algorithm>

namespace data {
namespace {

using crypto::Way;
using packet::DropReason;

constexpr std::size_t kTextAt = wire::kDataV2HeaderBytes + wire::kEpochPacketIdBytes;

std::uint32_t epoch_of(std::uint64_t number) {
  return static_cast<std::uint32_t>(number >> wire::kEpochCounterBits);
}
std::uint64_t count_of(std::uint64_t number) { return number & wire::kEpochCounterMax; }

}  // namespace

EpochSlot::EpochSlot(crypto::Library& library, const crypto::DataKeys& keys,
                     const KeySlotParts& parts, base::TimePoint now)
    : library_(library),
      header_{keys.key_id, keys.peer_id},
      cipher_(keys.cipher),
      limit_(usage_limit(keys, parts)),
      replay_(parts.replay),
      send_schedule_(library, keys.send_cipher.view(), parts.first_epoch),
      send_epoch_(parts.first_epoch),
      receive_schedule_(library, keys.receive_cipher.view(), parts.first_epoch) {
  make_send_key();
  current_ = make_receiver(now);
  make_future(now);
}

// sending

std::optional<std::uint64_t> EpochSlot::next_number() {
  // A key that no packet was sealed under yet has reached nothing.
  const bool worn = send_key_->epoch() == send_epoch_ && send_key_->usage().reached();
  if ((worn || send_count_ == wire::kEpochCounterMax) && !start_epoch(send_epoch_ + 1)) {
    return std::nullopt;
  }
  ++send_count_;
  return std::uint64_t{send_epoch_} << wire::kEpochCounterBits | send_count_;
}

bool EpochSlot::start_epoch(std::uint32_t epoch) {
  if (epoch > kEpochMax) return false;
  send_epoch_ = epoch;
  send_count_ = 0;
  return true;
}

void EpochSlot::make_send_key() {
  send_key_ = std::make_shared<EpochKey>(library_, cipher_, Way::kSeal, send_schedule_, limit_);
}

// Any packet may be of another epoch, and so of another key, than the one in front of it. It counts
// before it is sealed, so that what is on its way to a worker counts as well.
void EpochSlot::begin_sealing(Sealing& sealing) {
  if (epoch_of(sealing.number) != send_key_->epoch()) {
    while (send_schedule_.epoch() < epoch_of(sealing.number)) send_schedule_.advance();
    make_send_key();
  }
  sealing.epoch_key = send_key_;
  send_key_->usage().count(kTextAt + sealing.packet->size() + wire::kTagBytes);
}

void EpochSlot::seal_train(crypto::WorkerIndex worker, std::span<const Sealing> train) {
  for (const Sealing& sealing : train) {
    if (!sealing.packet->dropped()) seal_one(worker, sealing);
  }
}

// 48 00 00 00 | 00 01 00 00 00 00 00 01 | ciphertext | tag (16)
// P_DATA_V2, key 0, peer 0 | epoch 1, packet 1
void EpochSlot::seal_one(crypto::WorkerIndex worker, const Sealing& sealing) const {
  packet::Packet& packet = *sealing.packet;
  if (packet.headroom() < kTextAt || packet.tailroom() < wire::kTagBytes) {
    return packet.drop(DropReason::kTooLong);
  }
  const base::MutableByteSpan text = packet.bytes();
  base::store_be64(packet.push_front(wire::kEpochPacketIdBytes).data(), sealing.number);
  wire::store_data_header(packet.push_front(wire::kDataV2HeaderBytes).data(), header_);
  const base::MutableByteSpan tag = packet.push_back(wire::kTagBytes);
  const base::ByteSpan header = packet.bytes().first(kTextAt);
  if (!sealing.epoch_key->run(worker, sealing.number, header, text, tag)) {
    packet.drop(DropReason::kSendFailed);
  }
}

// receiving

EpochSlot::Receiver* EpochSlot::receiver(std::uint32_t epoch) {
  const std::uint32_t current = current_->key->epoch();
  if (epoch == current) return current_.get();
  if (epoch > current && epoch - current <= future_.size()) {
    return future_[epoch - current - 1].get();
  }
  return retiring_ && retiring_->key->epoch() == epoch ? retiring_.get() : nullptr;
}

void EpochSlot::begin_opening(Opening& opening) {
  packet::Packet& packet = *opening.packet;
  if (!opening.header.peer_id) {  // never sent as P_DATA_V1
    return packet.drop(DropReason::kAuthFailed);
  }
  if (packet.size() <= kTextAt + wire::kTagBytes) return packet.drop(DropReason::kTooShort);
  const std::uint64_t number = base::load_be64(&packet.bytes()[wire::kDataV2HeaderBytes]);
  const Receiver* const from = receiver(epoch_of(number));
  if (from == nullptr) return packet.drop(DropReason::kNoKey);
  if (from->key->usage().worn_out()) return packet.drop(DropReason::kKeyWornOut);
  opening.epoch_key = from->key;
}

void EpochSlot::decrypt_train(crypto::WorkerIndex worker, std::span<Opening> train) {
  for (Opening& opening : train) {
    if (!opening.packet->dropped()) decrypt_one(worker, opening);
  }
}

void EpochSlot::decrypt_one(crypto::WorkerIndex worker, Opening& opening) {
  packet::Packet& packet = *opening.packet;
  const base::MutableByteSpan bytes = packet.bytes();
  const std::uint64_t number = base::load_be64(&bytes[wire::kDataV2HeaderBytes]);
  const std::size_t text_bytes = bytes.size() - kTextAt - wire::kTagBytes;
  if (!opening.epoch_key->run(worker, number, bytes.first(kTextAt),
                              bytes.subspan(kTextAt, text_bytes), bytes.last(wire::kTagBytes))) {
    return packet.drop(DropReason::kAuthFailed);
  }
  packet.pop_front(kTextAt);
  packet.pop_back(wire::kTagBytes);
  opening.number = number;
}

void EpochSlot::finish_opening(Opening& opening) {
  if (!opening.epoch_key) return;
  count_opened(opening, opening.epoch_key->usage());
  opening.epoch_key.reset();
}

ReplayVerdict EpochSlot::accept(std::uint64_t number, base::TimePoint now) {
  Receiver* const from = receiver(epoch_of(number));
  // Packets in front of it may have moved the epochs on between its decryption and here.
  if (from == nullptr) return ReplayVerdict::kReplayed;
  const ReplayVerdict verdict = from->window.accept(count_of(number), now);
  if (verdict != ReplayVerdict::kAccept) return verdict;
  if (epoch_of(number) > current_->key->epoch()) move_to(epoch_of(number), now);
  // The peer's key is worn: it follows when it sees us ahead.
  if (current_->key->usage().reached() && send_epoch_ == current_->key->epoch()) {
    start_epoch(send_epoch_ + 1);
  }
  return verdict;
}

void EpochSlot::move_to(std::uint32_t epoch, base::TimePoint now) {
  const auto steps = static_cast<std::ptrdiff_t>(epoch - current_->key->epoch());
  retiring_ = std::move(current_);
  current_ = std::move(future_[static_cast<std::size_t>(steps) - 1]);
  future_.erase(future_.begin(), future_.begin() + steps);
  make_future(now);
  if (send_epoch_ < epoch) start_epoch(epoch);
}

EpochSlot::ReceiverHandle EpochSlot::make_receiver(base::TimePoint now) const {
  return std::make_unique<Receiver>(
      Receiver{std::make_shared<EpochKey>(library_, cipher_, Way::kOpen, receive_schedule_, limit_),
               ReplayWindow(replay_.window_packets, replay_.window_seconds, now)});
}

void EpochSlot::make_future(base::TimePoint now) {
  while (future_.size() < kFutureKeys && receive_schedule_.epoch() < kEpochMax - kFutureKeys - 1) {
    receive_schedule_.advance();
    future_.push_back(make_receiver(now));
  }
}

KeyOverhead EpochSlot::overhead() const {
  return {.header = header_.size(), .packet_id = wire::kEpochPacketIdBytes, .tag = wire::kTagBytes};
}

bool EpochSlot::wants_renegotiation() const {
  return send_epoch_ >= kEpochsShort || current_->key->epoch() >= kEpochsShort;
}

}  // namespace data
