// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/key_ring.h"

#include <array>
#include <utility>

#include "fastpath/data/packet_jobs.h"

namespace data {

using packet::DropReason;

namespace {

struct Held {
  std::shared_ptr<KeySlot> slot;  // nothing: no key here; trains in flight hold it too
  std::uint8_t key_id = 0;
  base::TimePoint certain_at;  // the peer has it from here on
  bool heard = false;          // the peer has used it
  bool used_up = false;        // no packet ids are left
  bool wish_told = false;
  std::uint64_t bytes = 0, packets = 0;

  bool usable() const { return slot != nullptr && !used_up; }
  bool certain(base::TimePoint now) const { return usable() && (heard || now >= certain_at); }
  void count(std::size_t packet_bytes) {
    bytes += packet_bytes;
    ++packets;
  }
};

// Neighbours under one key go together.
template <typename Item, typename Do>
void for_each_run(std::span<Item> train, const Do& with) {
  for (std::size_t at = 0; at < train.size();) {
    KeySlot* const slot = train[at].slot;
    std::size_t end = at + 1;
    while (end < train.size() && train[end].slot == slot) ++end;
    if (slot != nullptr) with(*slot, train.subspan(at, end - at));
    at = end;
  }
}

}  // namespace

struct KeyRing::Impl {
  explicit Impl(const KeyRingParts& from) : parts(from), library(from.ciphers, from.workers) {}

  Held* send_key(base::TimePoint now);
  Held* receive_key(std::uint8_t key_id);
  void find_key(Opening& opening);
  std::optional<std::uint64_t> next_number(base::TimePoint now, Held*& key);
  Held* held_by(const KeySlot* slot);
  void keep(KeyHold& hold) const { hold = {held[0].slot, held[1].slot}; }

  const KeyRingParts parts;
  crypto::Library library;
  std::array<Held, 2> held;  // the newest key, and the one before it
};

Held* KeyRing::Impl::send_key(base::TimePoint now) {
  for (Held& key : held) {
    if (key.certain(now)) return &key;
  }
  for (Held& key : held) {
    if (key.usable()) return &key;
  }
  return nullptr;
}

Held* KeyRing::Impl::receive_key(std::uint8_t key_id) {
  for (Held& key : held) {
    if (key.slot && key.key_id == key_id) return &key;
  }
  return nullptr;
}

// Nothing: it was retired meanwhile.
Held* KeyRing::Impl::held_by(const KeySlot* slot) {
  for (Held& key : held) {
    if (slot != nullptr && key.slot.get() == slot) return &key;
  }
  return nullptr;
}

KeyRing::KeyRing(const KeyRingParts& parts) : impl_(std::make_unique<Impl>(parts)) {}

KeyRing::~KeyRing() = default;

void KeyRing::install(const crypto::DataKeys& keys, bool first, base::TimePoint now) {
  Held fresh;
  fresh.slot = make_key_slot(impl_->library, keys, impl_->parts.slot, now);
  fresh.key_id = keys.key_id;
  fresh.certain_at = now + impl_->parts.switch_after;
  if (first) clear();
  retire(keys.key_id);
  auto& [newest, old] = impl_->held;
  if (newest.slot) old = std::move(newest);
  newest = std::move(fresh);
}

void KeyRing::retire(std::uint8_t key_id) {
  for (Held& key : impl_->held) {
    if (key.slot && key.key_id == key_id) key = Held();
  }
}

void KeyRing::clear() { impl_->held = {}; }

bool KeyRing::empty() const { return !impl_->held[0].slot && !impl_->held[1].slot; }

// Nothing: no key, or none with packet ids left.
std::optional<std::uint64_t> KeyRing::Impl::next_number(base::TimePoint now, Held*& key) {
  while ((key = send_key(now)) != nullptr) {
    if (const auto number = key->slot->next_number()) return number;
    key->used_up = true;
  }
  return std::nullopt;
}

void KeyRing::begin_sealing(base::TimePoint now, std::span<Sealing> train, KeyHold& hold) {
  for (Sealing& sealing : train) {
    Held* key = nullptr;
    const std::optional<std::uint64_t> number = impl_->next_number(now, key);
    sealing.slot = nullptr;
    if (number) {
      sealing.number = *number;
      sealing.slot = key->slot.get();
      sealing.slot->begin_sealing(sealing);
    } else {
      sealing.packet->drop(empty() ? DropReason::kNoKey : DropReason::kPacketIdExhausted);
    }
  }
  impl_->keep(hold);
}

void KeyRing::seal_bytes(crypto::WorkerIndex worker, std::span<const Sealing> train) {
  for_each_run(train, [&](KeySlot& slot, auto run) { slot.seal_train(worker, run); });
}

void KeyRing::finish_sealing(std::span<Sealing> train, KeyHold& hold) {
  for (Sealing& sealing : train) {
    Held* const key = impl_->held_by(sealing.slot);
    if (key != nullptr && !sealing.packet->dropped()) key->count(sealing.packet->size());
    sealing.epoch_key.reset();
  }
  hold = {};
}

void KeyRing::seal_packet(base::TimePoint now, packet::Packet& packet) {
  Sealing one;
  one.packet = &packet;
  KeyHold hold;
  begin_sealing(now, {&one, 1}, hold);
  seal_bytes(crypto::kLead, {&one, 1});
  finish_sealing({&one, 1}, hold);
}

void KeyRing::Impl::find_key(Opening& opening) {
  packet::Packet& packet = *opening.packet;
  opening.slot = nullptr;
  opening.number.reset();
  opening.link_bytes = packet.size();
  const std::optional<wire::DataHeader> header = wire::load_data_header(packet.bytes());
  if (!header) return packet.drop(DropReason::kTooShort);
  Held* const key = receive_key(header->key_id);
  if (key == nullptr) return packet.drop(DropReason::kNoKey);
  opening.header = *header;
  opening.slot = key->slot.get();
  opening.slot->begin_opening(opening);
}

void KeyRing::begin_opening(std::span<Opening> train, KeyHold& hold) {
  for (Opening& opening : train) impl_->find_key(opening);
  impl_->keep(hold);
}

void KeyRing::open_bytes(crypto::WorkerIndex worker, std::span<Opening> train) {
  for_each_run(train, [&](KeySlot& slot, auto run) { slot.decrypt_train(worker, run); });
}

void KeyRing::finish_opening(std::span<Opening> train) {
  for (Opening& opening : train) {
    if (opening.slot != nullptr) opening.slot->finish_opening(opening);
  }
}

void KeyRing::accept(base::TimePoint now, Opening& opening) {
  Held* const key = impl_->held_by(opening.slot);
  // Its session is over, or its key was retired, since it was begun.
  if (key == nullptr) return opening.packet->drop(DropReason::kNoKey);
  if (opening.slot->accept(*opening.number, now) != ReplayVerdict::kAccept) {
    return opening.packet->drop(DropReason::kReplayed);
  }
  key->heard = true;
  key->count(opening.link_bytes);
}

void KeyRing::open_packet(base::TimePoint now, packet::Packet& packet) {
  Opening one;
  one.packet = &packet;
  KeyHold hold;
  begin_opening({&one, 1}, hold);
  open_bytes(crypto::kLead, {&one, 1});
  finish_opening({&one, 1});
  if (!packet.dropped()) accept(now, one);
}

bool KeyRing::take_renegotiation_wish() {
  Held& newest = impl_->held[0];
  if (!newest.slot || newest.wish_told || !newest.slot->wants_renegotiation()) return false;
  newest.wish_told = true;
  return true;
}

KeyOverhead KeyRing::overhead() const {
  for (const Held& key : impl_->held) {
    if (key.slot) return key.slot->overhead();
  }
  return {};
}

std::uint64_t KeyRing::bytes_under_key() const { return impl_->held[0].bytes; }
std::uint64_t KeyRing::packets_under_key() const { return impl_->held[0].packets; }

}  // namespace data
