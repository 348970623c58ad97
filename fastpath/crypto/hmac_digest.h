// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

#include "base/bytes.h"
#include "fastpath/crypto/library.h"

namespace crypto {

struct MacContextRelease {
  void operator()(EVP_MAC_CTX* context) const;
};
using MacContextHandle = std::unique_ptr<EVP_MAC_CTX, MacContextRelease>;

// HMAC (RFC 2104) with its key set once. Used by one worker.
class HmacDigest {
 public:
  // `key_block` holds at least as many bytes as the digest has and more is ignored (OpenVPN
  // protocol: a static key gives 64 bytes per HMAC). Throws base::FatalError if the digest is not
  // known or cannot be used.
  HmacDigest(Library& library, const std::string& name, base::ByteSpan key_block);

  std::size_t size() const { return size_; }
  // `out`: size() bytes. False only if the library fails.
  [[nodiscard]] bool compute(base::ByteSpan message, base::MutableByteSpan out);
  // Compares in constant time.
  [[nodiscard]] bool verify(base::ByteSpan message, base::ByteSpan expected);

 private:
  MacContextHandle context_;
  std::size_t size_ = 0;
};

// Takes as long whatever the bytes are; sizes are no secret and must be equal.
bool equal_in_constant_time(base::ByteSpan a, base::ByteSpan b);

}  // namespace crypto
