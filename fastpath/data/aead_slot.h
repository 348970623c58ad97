// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

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
  void begin_sealing(Sealing& sealing) override;
  void seal_train(crypto::WorkerIndex worker, std::span<const Sealing> train) override;
  void begin_opening(Opening& opening) override;
  void decrypt_train(crypto::WorkerIndex worker, std::span<Opening> train) override;
  void finish_opening(Opening& opening) override;
  ReplayVerdict accept(std::uint64_t number, base::TimePoint now) override;
  KeyOverhead overhead() const override;
  bool wants_renegotiation() const override;

 private:
  using Nonce = std::array<std::uint8_t, wire::kNonceBytes>;

  // What a worker touches, and no other.
  struct Hands {
    crypto::PacketCipherHandle seal, open;
    // By place in the train: packet id, then the implicit IV.
    std::array<Nonce, kTrainPackets> send_nonces{}, receive_nonces{};
    PacketJobs sealing, opening;
    std::array<Opening*, kTrainPackets> opened{};  // as `opening` has them
  };

  void add_to_seal(Hands& hands, const Sealing& sealing) const;
  static void add_to_open(Hands& hands, Opening& opening);
  static void take_opened(Opening& opening, bool authentic);

  const wire::DataHeader header_;
  std::vector<Hands> hands_;  // by worker
  PacketIdSender ids_;
  AeadUsage sent_, received_;
  ReplayWindow window_;
};

}  // namespace data
