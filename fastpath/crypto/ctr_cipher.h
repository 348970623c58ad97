// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bytes.h"
#include "fastpath/crypto/cbc_cipher.h"
#include "fastpath/crypto/library.h"

namespace crypto {

// AES-256 in counter mode, as tls-crypt uses it (OpenVPN protocol: tls-crypt). Encrypting and
// decrypting are the same. Used by one thread.
class CtrCipher {
 public:
  static constexpr std::size_t kKeyBytes = 32;
  static constexpr std::size_t kCounterBytes = 16;

  // `key_block`: at least kKeyBytes; more is ignored.
  CtrCipher(Library& library, base::ByteSpan key_block);

  // `counter`: the first counter block, kCounterBytes, most significant byte first. False only if
  // the library fails.
  [[nodiscard]] bool run(base::ByteSpan counter, base::MutableByteSpan bytes);

 private:
  CipherHandle cipher_;
  CipherContextHandle context_;
};

}  // namespace crypto
