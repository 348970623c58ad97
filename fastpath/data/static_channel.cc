// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/static_channel.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/secret_bytes.h"

namespace data {
namespace {

using packet::DropReason;

}  // namespace

StaticChannel::StaticChannel(const StaticChannelParts& parts, base::TimePoint now)
    : library_(parts.ciphers, parts.workers),
      layers_(library_, parts.cipher, parts.auth, parts.send, parts.receive,
              parts.replay ? wire::kLongPacketIdBytes : 0),
      shared_key_(parts.shared_key),
      random_(parts.random),
      wall_clock_(parts.wall_clock),
      ids_(parts.packet_time),
      own_times_{ids_.last().time},
      window_(parts.replay_window_packets, parts.replay_window_seconds, now) {
  if (layout().encrypted()) {
    base::SecretBytes seed(crypto::kIvSeedBytes);
    random_(seed.mutable_view());
    for (std::size_t i = 0; i < parts.workers; ++i) iv_sources_.emplace_back(library_, seed.view());
  }
  if (shared_key_ && parts.replay && layout().authenticated() && !layout().encrypted()) {
    sent_.emplace(ids_.last().time);
    sent_before_.emplace(wire::PacketTime{0});
  }
}

void StaticChannel::begin_sealing(std::span<Sealing> train) {
  const bool numbered = layout().packet_id_bytes != 0;
  for (Sealing& sealing : train) {
    const std::optional<wire::LongPacketId> packet_id = next_packet_id();
    if (!packet_id) {
      sealing.packet->drop(DropReason::kPacketIdExhausted);
      continue;
    }
    sealing.number = numbered ? wire::as_number(*packet_id) : unnumbered_++;
  }
}

void StaticChannel::seal_bytes(crypto::WorkerIndex worker, std::span<const Sealing> train) {
  std::array<std::uint8_t, wire::kBlockBytesMax> iv;
  const auto iv_used = base::MutableByteSpan(iv).first(layout().iv_bytes);
  for (const Sealing& sealing : train) {
    if (sealing.packet->dropped()) continue;
    if (!iv_sources_.empty()) iv_sources_[worker].make(sealing.number, iv_used);
    add_to_seal(worker, wire::long_packet_id(sealing.number), iv_used, *sealing.packet);
  }
  layers_.seal(worker);
}

void StaticChannel::finish_sealing(std::span<const Sealing> train) {
  if (!sent_) return;
  for (const Sealing& sealing : train) remember_as_sent(*sealing.packet);
}

void StaticChannel::seal_packet(packet::Packet& packet) {
  Sealing one;
  one.packet = &packet;
  begin_sealing({&one, 1});
  seal_bytes(crypto::kLead, {&one, 1});
  finish_sealing({&one, 1});
}

void StaticChannel::seal_packet_with(const wire::LongPacketId& packet_id, base::ByteSpan iv,
                                     packet::Packet& packet) {
  add_to_seal(crypto::kLead, packet_id, iv, packet);
  layers_.seal(crypto::kLead);
}

void StaticChannel::add_to_seal(crypto::WorkerIndex worker, const wire::LongPacketId& packet_id,
                                base::ByteSpan iv, packet::Packet& packet) {
  std::array<std::uint8_t, wire::kLongPacketIdBytes> id;
  wire::store_long_packet_id(id.data(), packet_id);
  layers_.add_to_seal(worker, base::ByteSpan(id).first(layout().packet_id_bytes), iv, packet);
}

// Only where there is no cipher: the packet id can still be read. What was begun before the time
// moved on belongs to the time before.
void StaticChannel::remember_as_sent(const packet::Packet& packet) {
  if (packet.dropped()) return;
  const base::ByteSpan bytes = packet.bytes().subspan(layout().body_at());
  const wire::LongPacketId id = wire::load_long_packet_id(bytes.data());
  for (SentTags* const tags : {&*sent_, &*sent_before_}) {
    if (tags->time() == id.time) return tags->sent(id.id, packet.bytes());
  }
}

void StaticChannel::open_bytes(crypto::WorkerIndex worker, std::span<Opening> train) {
  for (const Opening& opening : train) layers_.add_to_open(worker, *opening.packet);
  layers_.open(worker);
}

void StaticChannel::accept(base::TimePoint now, packet::Packet& packet) {
  if (layout().packet_id_bytes == 0) return;
  const wire::LongPacketId packet_id = wire::load_long_packet_id(packet.bytes().data());
  const base::ByteSpan iv = layers_.iv_of(packet), hmac = layers_.hmac_of(packet);
  packet.pop_front(wire::kLongPacketIdBytes);
  if (came_back(packet_id, iv, hmac)) {
    if (packet_id.time == ids_.last().time && peer_may_share_time()) leave_time_to_peer();
    return packet.drop(DropReason::kReflected);
  }
  switch (window_.accept(packet_id, now)) {
    case ReplayVerdict::kAccept:
      moves_left_ = kMovesMax;
      if (packet_id.time == ids_.last().time) leave_time_to_peer();
      return;
    case ReplayVerdict::kReplayed:
      return packet.drop(DropReason::kReplayed);
    case ReplayVerdict::kTimeBackwards:
      return packet.drop(DropReason::kTimeBackwards);
  }
}

void StaticChannel::open_packet(base::TimePoint now, packet::Packet& packet) {
  Opening one;
  one.packet = &packet;
  open_bytes(crypto::kLead, {&one, 1});
  if (!packet.dropped()) accept(now, packet);
}

std::optional<wire::LongPacketId> StaticChannel::next_packet_id() {
  if (layout().packet_id_bytes == 0) return wire::LongPacketId{};
  if (ids_.left() < kIdsAhead) want_new_time(0);
  return ids_.next();
}

void StaticChannel::want_new_time(base::UnixSeconds ahead) {
  if (wanted_) return;
  constexpr base::UnixSeconds kTimeMax = std::numeric_limits<std::uint32_t>::max();
  const base::UnixSeconds last = value(ids_.last().time);
  const base::UnixSeconds time =
      std::max(std::max<base::UnixSeconds>(wall_clock_(), last) + ahead, last + 1);
  if (time <= kTimeMax) wanted_ = wire::PacketTime{static_cast<std::uint32_t>(time)};
}

void StaticChannel::use_time(wire::PacketTime time) {
  if (value(time) <= value(ids_.last().time) || !ids_.start_new_time(value(time))) return;
  wanted_.reset();
  own_times_.push_back(ids_.last().time);
  // Each connection over TCP has a time of its own. One that is lost every second must not fill the
  // memory; the peer, too, forgets what is that old.
  if (own_times_.size() > kOwnTimesMax) own_times_.erase(own_times_.begin());
  if (sent_) {
    std::swap(sent_, sent_before_);
    sent_->restart(ids_.last().time);
  }
}

bool StaticChannel::came_back(const wire::LongPacketId& packet_id, base::ByteSpan iv,
                              base::ByteSpan hmac) {
  if (!shared_key_) return false;
  if (!iv_sources_.empty()) {
    return std::ranges::find(own_times_, packet_id.time) != own_times_.end() &&
           iv_sources_[crypto::kLead].made_here(wire::as_number(packet_id), iv);
  }
  return sent_ && (sent_->ask(packet_id, hmac) != SentTags::Answer::kOther ||
                   sent_before_->ask(packet_id, hmac) != SentTags::Answer::kOther);
}

// Unless it was heard under another time.
bool StaticChannel::peer_may_share_time() const {
  const wire::PacketTime peers = window_.newest().time;
  return peers == wire::PacketTime{0} || peers == ids_.last().time;
}

// By a random step, so that two ends that move at once part soon.
void StaticChannel::leave_time_to_peer() {
  if (!sent_ || wanted_ || moves_left_ == 0) return;
  --moves_left_;
  std::array<std::uint8_t, 1> step{};
  random_(step);
  want_new_time(1 + step[0] % 8);
}

}  // namespace data
