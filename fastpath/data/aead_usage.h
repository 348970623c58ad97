// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace data {

// How much one AEAD key was used in one direction, against what is safe (OpenVPN protocol: AEAD
// usage limits). Ciphertext blocks of 16 bytes and packets count alike, so that an attacker's
// advantage stays below 2^-57 for AES-GCM; CHACHA20-POLY1305 has no limit that a link could reach.
// Failed verifications are forgeries tried.
class AeadUsage {
 public:
  static constexpr std::uint64_t kGcmLimit = (std::uint64_t{1} << 36) - 1;
  static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
  static constexpr std::uint64_t kFailuresWish = std::uint64_t{1} << 35;
  static constexpr std::uint64_t kFailuresMax = std::uint64_t{1} << 36;

  explicit AeadUsage(std::uint64_t limit = kNoLimit) : limit_(limit) {}

  void count(std::size_t packet_bytes) { used_ += (packet_bytes + 15) / 16 + 1; }
  void count_failure() { ++failures_; }

  bool reached() const { return used_ > limit_; }
  // Time for another key: well before the limit, for a handshake takes its time.
  bool near() const { return used_ > limit_ / 8 * 7 || failures_ > kFailuresWish; }
  bool worn_out() const { return failures_ > kFailuresMax; }  // nothing more may be tried

 private:
  std::uint64_t limit_;
  std::uint64_t used_ = 0;
  std::uint64_t failures_ = 0;
};

}  // namespace data
