// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/static_channel.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/secret_bytes.h"

namespace data {
namespace {

using packet::DropReason;

std::uint64_t nonce_of(const wire::LongPacketId& packet_id) {
  return std::uint64_t{value(packet_id.time)} << 32 | value(packet_id.id);
}

// PKCS#7 (RFC 5652, 6.3): n bytes of value n, 1 <= n <= block.
bool take_padding_off(std::size_t block, packet::Packet& packet) {
  const base::ByteSpan bytes = packet.bytes();
  const std::uint8_t count = bytes.back();
  if (count == 0 || count > block) return false;
  std::uint8_t differs = 0;
  for (const std::uint8_t byte : bytes.last(count)) differs |= byte ^ count;
  if (differs != 0) return false;
  packet.pop_back(count);
  return true;
}

}  // namespace

StaticChannel::StaticChannel(const StaticChannelParts& parts, base::TimePoint now)
    : shared_key_(parts.shared_key),
      random_(parts.random),
      wall_clock_(parts.wall_clock),
      ids_(parts.packet_time),
      own_times_{ids_.last().time},
      window_(parts.replay_window_packets, parts.replay_window_seconds, now) {
  using Way = crypto::CbcCipher::Way;
  if (parts.cipher != "none") {
    encrypt_.emplace(library_, parts.cipher, parts.send.cipher, Way::kEncrypt);
    decrypt_.emplace(library_, parts.cipher, parts.receive.cipher, Way::kDecrypt);
    base::SecretBytes seed(crypto::kIvSeedBytes);
    random_(seed.mutable_view());
    iv_source_.emplace(library_, seed.view());
  }
  if (parts.auth != "none") {
    sign_.emplace(library_, parts.auth, parts.send.hmac);
    verify_.emplace(library_, parts.auth, parts.receive.hmac);
  }
  layout_ = wire::static_layout(sign_ ? sign_->size() : 0, encrypt_ ? encrypt_->block_bytes() : 0,
                                parts.replay);
  if (shared_key_ && parts.replay && sign_ && !encrypt_) {
    sent_.emplace(ids_.last().time);
    sent_before_.emplace(wire::PacketTime{0});
  }
}

void StaticChannel::seal_packet(packet::Packet& packet) {
  const std::optional<wire::LongPacketId> packet_id = next_packet_id();
  if (!packet_id) return packet.drop(DropReason::kPacketIdExhausted);
  std::array<std::uint8_t, wire::kBlockBytesMax> iv;
  const auto iv_used = base::MutableByteSpan(iv).first(layout_.iv_bytes);
  if (iv_source_) {
    iv_source_->make(layout_.packet_id_bytes != 0 ? nonce_of(*packet_id) : unnumbered_++, iv_used);
  }
  seal_packet_with(*packet_id, iv_used, packet);
  if (sent_ && !packet.dropped()) sent_->sent(packet_id->id, packet.bytes());
}

void StaticChannel::seal_packet_with(const wire::LongPacketId& packet_id, base::ByteSpan iv,
                                     packet::Packet& packet) {
  const std::size_t padding = layout_.padding_bytes(packet.size());
  if (packet.tailroom() < padding || packet.headroom() < layout_.payload_at()) {
    return packet.drop(DropReason::kTooLong);
  }
  if (layout_.packet_id_bytes != 0) {
    wire::store_long_packet_id(packet.push_front(wire::kLongPacketIdBytes).data(), packet_id);
  }
  if (encrypt_) {
    std::ranges::fill(packet.push_back(padding), static_cast<std::uint8_t>(padding));
    if (!encrypt_->run(iv, packet.bytes())) return packet.drop(DropReason::kSendFailed);
    std::ranges::copy(iv, packet.push_front(layout_.iv_bytes).begin());
  }
  if (sign_) {
    const base::ByteSpan message = packet.bytes();
    if (!sign_->compute(message, packet.push_front(layout_.hmac_bytes))) {
      packet.drop(DropReason::kSendFailed);
    }
  }
}

void StaticChannel::open_packet(base::TimePoint now, packet::Packet& packet) {
  if (packet.size() < layout_.datagram_bytes_min()) return packet.drop(DropReason::kTooShort);
  const base::ByteSpan datagram = packet.bytes();
  const base::ByteSpan hmac = datagram.first(layout_.hmac_bytes);
  const base::ByteSpan iv = datagram.subspan(layout_.iv_at(), layout_.iv_bytes);
  if (verify_ && !verify_->verify(datagram.subspan(layout_.iv_at()), hmac)) {
    return packet.drop(DropReason::kAuthFailed);
  }
  packet.pop_front(layout_.body_at());
  if (decrypt_ && !decrypt(packet)) return packet.drop(DropReason::kAuthFailed);
  if (layout_.packet_id_bytes == 0) return;
  if (packet.size() < wire::kLongPacketIdBytes) return packet.drop(DropReason::kTooShort);

  const wire::LongPacketId packet_id = wire::load_long_packet_id(packet.bytes().data());
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

bool StaticChannel::decrypt(packet::Packet& packet) {
  const std::size_t block = layout_.iv_bytes;
  if (packet.size() % block != 0) return false;
  // The IV stays where it was, in front of the body.
  const base::ByteSpan iv(packet.bytes().data() - block, block);
  return decrypt_->run(iv, packet.bytes()) && take_padding_off(block, packet);
}

std::optional<wire::LongPacketId> StaticChannel::next_packet_id() {
  if (layout_.packet_id_bytes == 0) return wire::LongPacketId{};
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
  if (sent_) {
    std::swap(sent_, sent_before_);
    sent_->restart(ids_.last().time);
  }
}

bool StaticChannel::came_back(const wire::LongPacketId& packet_id, base::ByteSpan iv,
                              base::ByteSpan hmac) {
  if (!shared_key_) return false;
  if (iv_source_) {
    return std::ranges::find(own_times_, packet_id.time) != own_times_.end() &&
           iv_source_->made_here(nonce_of(packet_id), iv);
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
