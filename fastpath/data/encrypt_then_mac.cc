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
                               const DirectionKeys& receive, std::size_t packet_id_bytes)
    : hands_(library.workers()) {
  using crypto::Way;
  for (crypto::WorkerIndex worker = 0; worker < hands_.size(); ++worker) {
    hands_[worker].seal =
        crypto::make_packet_cipher(library, cipher, auth, send, Way::kSeal, worker);
    hands_[worker].open =
        crypto::make_packet_cipher(library, cipher, auth, receive, Way::kOpen, worker);
  }
  const crypto::PacketCipher& seal = *hands_[crypto::kLead].seal;
  layout_ = {seal.tag_bytes(), seal.nonce_bytes(), packet_id_bytes};
}

void EncryptThenMac::add_to_seal(crypto::WorkerIndex worker, base::ByteSpan packet_id,
                                 base::ByteSpan iv, packet::Packet& packet) {
  const std::size_t padding = layout_.padding_bytes(packet.size());
  if (packet.tailroom() < padding || packet.headroom() < layout_.payload_at()) {
    return packet.drop(DropReason::kTooLong);
  }
  std::ranges::copy(packet_id, packet.push_front(layout_.packet_id_bytes).begin());
  if (layout_.encrypted()) {
    std::ranges::fill(packet.push_back(padding), static_cast<std::uint8_t>(padding));
  }
  crypto::PacketJob& job = hands_[worker].sealing.add(packet);
  job.text = packet.bytes();
  const base::MutableByteSpan nonce = packet.push_front(layout_.iv_bytes);
  std::ranges::copy(iv, nonce.begin());
  job.nonce = nonce;
  job.tag = packet.push_front(layout_.hmac_bytes);
}

void EncryptThenMac::seal(crypto::WorkerIndex worker) {
  PacketJobs& jobs = hands_[worker].sealing;
  jobs.run(*hands_[worker].seal);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!jobs.ok(i)) jobs.packet(i).drop(DropReason::kSendFailed);
  }
  jobs.clear();
}

void EncryptThenMac::add_to_open(crypto::WorkerIndex worker, packet::Packet& packet) {
  if (packet.size() < layout_.datagram_bytes_min()) return packet.drop(DropReason::kTooShort);
  const base::MutableByteSpan datagram = packet.bytes();
  crypto::PacketJob& job = hands_[worker].opening.add(packet);
  job.tag = datagram.first(layout_.hmac_bytes);
  job.nonce = datagram.subspan(layout_.iv_at(), layout_.iv_bytes);
  job.text = datagram.subspan(layout_.body_at());
}

void EncryptThenMac::open(crypto::WorkerIndex worker) {
  PacketJobs& jobs = hands_[worker].opening;
  jobs.run(*hands_[worker].open);
  for (std::size_t i = 0; i < jobs.size(); ++i) finish_opening(jobs.packet(i), jobs.ok(i));
  jobs.clear();
}

void EncryptThenMac::finish_opening(packet::Packet& packet, bool authentic) const {
  if (!authentic) return packet.drop(DropReason::kAuthFailed);
  packet.pop_front(layout_.body_at());
  if (layout_.encrypted() && !take_padding_off(layout_.iv_bytes, packet)) {
    return packet.drop(DropReason::kAuthFailed);
  }
  if (packet.size() < layout_.packet_id_bytes) packet.drop(DropReason::kTooShort);
}

base::ByteSpan EncryptThenMac::iv_of(const packet::Packet& packet) const {
  return {packet.bytes().data() - layout_.iv_bytes, layout_.iv_bytes};
}

base::ByteSpan EncryptThenMac::hmac_of(const packet::Packet& packet) const {
  return {packet.bytes().data() - layout_.body_at(), layout_.hmac_bytes};
}

}  // namespace data
