// SPDX-License-Identifier: Apache-2.0
#include "fastpath/crypto/iv_source.h"

#include <openssl/evp.h>

#include <algorithm>

#include "base/error.h"

namespace crypto {

IvSource::IvSource(Library& library, base::ByteSpan seed)
    : cipher_(library.cipher("AES-256-ECB")), context_(EVP_CIPHER_CTX_new()) {
  if (context_ == nullptr || seed.size() != kIvSeedBytes ||
      EVP_EncryptInit_ex2(context_.get(), cipher_.get(), seed.data(), nullptr, nullptr) != 1) {
    throw base::FatalError("the crypto library refuses AES-256 for initialization vectors");
  }
  EVP_CIPHER_CTX_set_padding(context_.get(), 0);
}

void IvSource::make(std::uint64_t nonce, base::MutableByteSpan iv) {
  if (!filled_ || nonce < first_ || nonce - first_ >= kAtOnce) {
    encrypt_nonces(nonce, ready_);
    first_ = nonce;
    filled_ = true;
  }
  std::copy_n(ready_.begin() + static_cast<std::ptrdiff_t>((nonce - first_) * kBlockBytes),
              iv.size(), iv.begin());
}

bool IvSource::made_here(std::uint64_t nonce, base::ByteSpan iv) {
  std::array<std::uint8_t, kBlockBytes> block;
  encrypt_nonces(nonce, block);
  return std::equal(iv.begin(), iv.end(), block.begin());
}

void IvSource::encrypt_nonces(std::uint64_t first, base::MutableByteSpan blocks) {
  std::fill(blocks.begin(), blocks.end(), std::uint8_t{0});
  for (std::size_t at = 0; at < blocks.size(); at += kBlockBytes) {
    base::store_be64(blocks.data() + at, first + at / kBlockBytes);
  }
  int written = 0;
  if (EVP_EncryptUpdate(context_.get(), blocks.data(), &written, blocks.data(),
                        static_cast<int>(blocks.size())) != 1) {
    // Going on with bytes that are not secret would break CBC, so nothing is sent at all.
    throw base::FatalError("the crypto library failed to make an initialization vector");
  }
}

}  // namespace crypto
