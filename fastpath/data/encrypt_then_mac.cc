// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/encrypt_then_mac.h"

#include <algorithm>

namespace data {
namespace {

using packet::DropReason;

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

EncryptThenMac::EncryptThenMac(crypto::Library& library, const std::string& cipher,
                               const std::string& auth, const DirectionKeys& send,
                               const DirectionKeys& receive, std::size_t packet_id_bytes) {
  using Way = crypto::CbcCipher::Way;
  if (cipher != "none") {
    encrypt_.emplace(library, cipher, send.cipher, Way::kEncrypt);
    decrypt_.emplace(library, cipher, receive.cipher, Way::kDecrypt);
  }
  if (auth != "none") {
    sign_.emplace(library, auth, send.hmac);
    verify_.emplace(library, auth, receive.hmac);
  }
  layout_ = {sign_ ? sign_->size() : 0, encrypt_ ? encrypt_->block_bytes() : 0, packet_id_bytes};
}

void EncryptThenMac::seal(base::ByteSpan packet_id, base::ByteSpan iv, packet::Packet& packet) {
  const std::size_t padding = layout_.padding_bytes(packet.size());
  if (packet.tailroom() < padding || packet.headroom() < layout_.payload_at()) {
    return packet.drop(DropReason::kTooLong);
  }
  std::ranges::copy(packet_id, packet.push_front(layout_.packet_id_bytes).begin());
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

std::optional<EncryptThenMac::Opened> EncryptThenMac::open(packet::Packet& packet) {
  const auto refuse = [&packet](DropReason reason) {
    packet.drop(reason);
    return std::nullopt;
  };
  if (packet.size() < layout_.datagram_bytes_min()) return refuse(DropReason::kTooShort);
  const base::ByteSpan datagram = packet.bytes();
  const base::ByteSpan hmac = datagram.first(layout_.hmac_bytes);
  const base::ByteSpan iv = datagram.subspan(layout_.iv_at(), layout_.iv_bytes);
  if (verify_ && !verify_->verify(datagram.subspan(layout_.iv_at()), hmac)) {
    return refuse(DropReason::kAuthFailed);
  }
  packet.pop_front(layout_.body_at());
  if (decrypt_ && !decrypt(packet)) return refuse(DropReason::kAuthFailed);
  if (packet.size() < layout_.packet_id_bytes) return refuse(DropReason::kTooShort);
  return Opened{hmac, iv};
}

bool EncryptThenMac::decrypt(packet::Packet& packet) {
  const std::size_t block = layout_.iv_bytes;
  if (packet.size() % block != 0) return false;
  // The IV stays where it was, in front of the body.
  const base::ByteSpan iv(packet.bytes().data() - block, block);
  return decrypt_->run(iv, packet.bytes()) && take_padding_off(block, packet);
}

}  // namespace data
