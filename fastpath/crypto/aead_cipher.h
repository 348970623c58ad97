// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/bytes.h"
#include "fastpath/crypto/cbc_cipher.h"

namespace crypto {

// A cipher that encrypts and authenticates in one pass (RFC 5116): AES-128-GCM, AES-192-GCM,
// AES-256-GCM, CHACHA20-POLY1305. The key is set once; a packet costs one nonce and one pass, in
// place. Allocates nothing after construction. Used by one worker.
class AeadCipher {
 public:
  static constexpr std::size_t kNonceBytes = 12;
  static constexpr std::size_t kTagBytes = 16;
  enum class Way { kSeal, kOpen };

  // `name` as OpenVPN writes it; `key_block` holds at least the cipher's key and more is ignored.
  // Throws base::FatalError if the name is not known, is no such cipher, or the key is all zeros.
  AeadCipher(Library& library, const std::string& name, base::ByteSpan key_block, Way way);

  // `nonce`: kNonceBytes, never twice under one key. `tag`: kTagBytes, outside of `text`. False
  // only if the library fails; nothing may be sent then.
  [[nodiscard]] bool seal(base::ByteSpan nonce, base::ByteSpan associated,
                          base::MutableByteSpan text, base::MutableByteSpan tag);
  // False: not authentic; `text` is then unspecified and must not be used.
  [[nodiscard]] bool open(base::ByteSpan nonce, base::ByteSpan associated,
                          base::MutableByteSpan text, base::ByteSpan tag);

 private:
  bool run(base::ByteSpan nonce, base::ByteSpan associated, base::MutableByteSpan text);

  CipherHandle cipher_;
  CipherContextHandle context_;
};

// Bytes of the cipher's key; 0 if it is no AEAD cipher.
std::size_t aead_key_bytes(const std::string& name);

}  // namespace crypto
