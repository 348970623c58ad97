// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

#include "base/bytes.h"
#include "fastpath/crypto/library.h"

namespace crypto {

struct CipherContextRelease {
  void operator()(EVP_CIPHER_CTX* context) const;
};
using CipherContextHandle = std::unique_ptr<EVP_CIPHER_CTX, CipherContextRelease>;

// A block cipher in CBC mode with its key set once; a packet costs one IV and one pass. Whole
// blocks in place: the padding is the caller's, so that no last block is held back. Allocates
// nothing after construction. Used by one worker.
class CbcCipher {
 public:
  enum class Way { kEncrypt, kDecrypt };

  // `name` as OpenVPN writes it; `key_block` holds at least the cipher's key and more is ignored
  // (OpenVPN protocol: a static key gives 64 bytes per cipher). Throws base::FatalError if the name
  // is not known, is no CBC cipher, or the key is all zeros.
  CbcCipher(Library& library, const std::string& name, base::ByteSpan key_block, Way way);

  std::size_t block_bytes() const { return block_bytes_; }  // also the IV's size
  // `iv`: block_bytes(); `blocks`: a multiple of it. False only if the library fails.
  [[nodiscard]] bool run(base::ByteSpan iv, base::MutableByteSpan blocks);

 private:
  CipherHandle cipher_;
  CipherContextHandle context_;
  std::size_t block_bytes_ = 0;
};

}  // namespace crypto
