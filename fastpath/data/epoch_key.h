// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "fastpath/crypto/packet_cipher.h"
#include "fastpath/data/aead_usage.h"
#include "fastpath/data/epoch_schedule.h"

namespace data {

// The key of one epoch in one direction. Any worker of the library's may run it, under its own
// index; everything else is its owner's.
class EpochKey {
 public:
  EpochKey(crypto::Library& library, const std::string& cipher, crypto::Way way,
           const EpochSchedule& at, std::uint64_t usage_limit);

  std::uint16_t epoch() const { return epoch_; }
  AeadUsage& usage() { return usage_; }
  const AeadUsage& usage() const { return usage_; }

  // Seals or opens. `number`: the whole packet id. See crypto::PacketJob.
  [[nodiscard]] bool run(crypto::WorkerIndex worker, std::uint64_t number,
                         base::ByteSpan associated, base::MutableByteSpan text,
                         base::MutableByteSpan tag) const;

 private:
  using Nonce = std::array<std::uint8_t, wire::kNonceBytes>;

  EpochKey(crypto::Library& library, const std::string& cipher, crypto::Way way,
           std::uint16_t epoch, const EpochSchedule::Material& material, std::uint64_t usage_limit);
  Nonce nonce(std::uint64_t number) const;

  const std::uint16_t epoch_;
  std::vector<crypto::PacketCipherHandle> ciphers_;  // by worker
  Nonce iv_{};
  AeadUsage usage_;
};

}  // namespace data
