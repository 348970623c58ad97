// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "fastpath/crypto/packet_cipher.h"
#include "fastpath/data/key_slot.h"
#include "fastpath/data/packet_id_sender.h"
#include "fastpath/data/packet_jobs.h"

namespace data {

// OpenVPN protocol: AEAD data channel of 2.4 and later, see wire/data_header.h.
class AeadSlot final : public KeySlot {
 public:
  AeadSlot(crypto::Library& library, const crypto::DataKeys& keys, const KeySlotParts& parts,
           base::TimePoint now);

  std::optional<std::uint64_t> next_number() override;
  void seal_train(std::span<const Sealing> train) override;
  void decrypt_train(std::span<Opening> train) override;
  ReplayVerdict accept(std::uint64_t number, base::TimePoint now) override;
  KeyOverhead overhead() const override;
  bool wants_renegotiation() const override;

 private:
  using Nonce = std::array<std::uint8_t, wire::kNonceBytes>;

  void add_to_seal(const Sealing& sealing);
  void add_to_open(Opening& opening);
  void finish_opening(Opening& opening, bool authentic);

  const wire::DataHeader header_;
  crypto::PacketCipherHandle seal_, open_;
  // By place in the train: packet id, then the implicit IV.
  std::array<Nonce, kTrainPackets> send_nonces_{}, receive_nonces_{};
  PacketJobs sealing_, opening_;
  std::array<Opening*, kTrainPackets> opened_{};  // as opening_ has them
  PacketIdSender ids_;
  AeadUsage sent_, received_;
  ReplayWindow window_;
};

}  // namespace data
