// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/key_ring.h"

#include <array>
#include <utility>

namespace data {

using packet::DropReason;

namespace {

struct Held {
  std::unique_ptr<KeySlot> slot;  // nothing: no key here
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

}  // namespace

struct KeyRing::Impl {
  explicit Impl(const KeyRingParts& from) : parts(from) {}

  Held* send_key(base::TimePoint now);
  Held* receive_key(std::uint8_t key_id);

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

void KeyRing::seal_packet(base::TimePoint now, packet::Packet& packet) {
  bool had_key = false;
  while (Held* key = impl_->send_key(now)) {
    had_key = true;
    const std::optional<std::uint64_t> number = key->slot->next_number();
    if (!number) {
      key->used_up = true;
      continue;
    }
    key->slot->seal_with(*number, packet);
    if (!packet.dropped()) key->count(packet.size());
    return;
  }
  packet.drop(had_key || !empty() ? DropReason::kPacketIdExhausted : DropReason::kNoKey);
}

void KeyRing::open_packet(base::TimePoint now, packet::Packet& packet) {
  const std::optional<wire::DataHeader> header = wire::load_data_header(packet.bytes());
  if (!header) return packet.drop(DropReason::kTooShort);
  Held* const key = impl_->receive_key(header->key_id);
  if (key == nullptr) return packet.drop(DropReason::kNoKey);
  const std::size_t bytes = packet.size();
  const std::optional<std::uint64_t> number = key->slot->decrypt(*header, packet);
  if (!number) return;
  if (key->slot->accept(*number, now) != ReplayVerdict::kAccept) {
    return packet.drop(DropReason::kReplayed);
  }
  key->heard = true;
  key->count(bytes);
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
