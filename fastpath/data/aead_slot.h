// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "fastpath/crypto/aead_cipher.h"
#include "fastpath/data/key_slot.h"
#include "fastpath/data/packet_id_sender.h"

namespace data {

// OpenVPN protocol: AEAD data channel of 2.4 and later, see wire/data_header.h.
class AeadSlot final : public KeySlot {
 public:
  AeadSlot(crypto::Library& library, const crypto::DataKeys& keys, const KeySlotParts& parts,
           base::TimePoint now);

  std::optional<std::uint64_t> next_number() override;
  void seal_with(std::uint64_t number, packet::Packet& packet) override;
  std::optional<std::uint64_t> decrypt(const wire::DataHeader& header,
                                       packet::Packet& packet) override;
  ReplayVerdict accept(std::uint64_t number, base::TimePoint now) override;
  KeyOverhead overhead() const override;
  bool wants_renegotiation() const override;

 private:
  using Nonce = std::array<std::uint8_t, wire::kNonceBytes>;

  const wire::DataHeader header_;
  crypto::AeadCipher seal_, open_;
  Nonce send_nonce_{}, receive_nonce_{};  // packet id, then the implicit IV
  PacketIdSender ids_;
  AeadUsage sent_, received_;
  ReplayWindow window_;
};

}  // namespace data
