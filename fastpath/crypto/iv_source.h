// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "fastpath/crypto/cbc_cipher.h"

namespace crypto {

inline constexpr std::size_t kIvSeedBytes = 32;

// Initialization vectors for CBC: the encryption of a nonce that is never used twice, under a key
// that lives in this process only (NIST SP 800-38A, appendix C, the first of its two methods). As
// unpredictable as random bytes to everyone else, cheaper, and we alone can tell later that an IV
// was made here: that is how a packet of ours that comes back is known. Used by one worker; several
// of one seed make the same IVs, so that each worker may have its own.
class IvSource {
 public:
  // `seed`: kIvSeedBytes unpredictable bytes.
  IvSource(Library& library, base::ByteSpan seed);

  // `iv`: at most 16 bytes. Consecutive nonces are cheapest: they are made many at a time.
  void make(std::uint64_t nonce, base::MutableByteSpan iv);
  bool made_here(std::uint64_t nonce, base::ByteSpan iv);

 private:
  static constexpr std::size_t kAtOnce = 64;
  static constexpr std::size_t kBlockBytes = 16;

  void encrypt_nonces(std::uint64_t first, base::MutableByteSpan blocks);

  CipherHandle cipher_;
  CipherContextHandle context_;
  std::uint64_t first_ = 0;
  bool filled_ = false;
  std::array<std::uint8_t, kAtOnce * kBlockBytes> ready_{};
};

}  // namespace crypto
