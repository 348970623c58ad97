// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fastpath/crypto/iv_source.h"
#include "fastpath/data/encrypt_then_mac.h"
#include "fastpath/data/key_slot.h"
#include "fastpath/data/packet_id_sender.h"

namespace data {

// OpenVPN protocol: CBC and HMAC in TLS mode, and cipher none or auth none there.
class CbcSlot final : public KeySlot {
 public:
  CbcSlot(crypto::Library& library, const crypto::DataKeys& keys, const KeySlotParts& parts,
          base::TimePoint now);

  std::optional<std::uint64_t> next_number() override;
  void seal_train(crypto::WorkerIndex worker, std::span<const Sealing> train) override;
  // One packet with the IV chosen by the caller, layers().layout().iv_bytes of it.
  void seal_with_iv(std::uint64_t number, base::ByteSpan iv, packet::Packet& packet);
  void begin_opening(Opening& opening) override;
  void decrypt_train(crypto::WorkerIndex worker, std::span<Opening> train) override;
  ReplayVerdict accept(std::uint64_t number, base::TimePoint now) override;
  KeyOverhead overhead() const override;
  bool wants_renegotiation() const override;

 private:
  void add_to_seal(crypto::WorkerIndex worker, std::uint64_t number, base::ByteSpan iv,
                   packet::Packet& packet);
  void add_header(packet::Packet& packet) const;
  bool numbered() const { return layers_.layout().packet_id_bytes != 0; }

  const wire::DataHeader header_;
  EncryptThenMac layers_;
  std::vector<crypto::IvSource> iv_sources_;  // by worker, all of one seed; none: no IVs
  PacketIdSender ids_;
  std::uint64_t unnumbered_ = 0;  // counts packets of `no-replay` for their IVs
  ReplayWindow window_;
};

}  // namespace data
