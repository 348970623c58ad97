// SPDX-License-Identifier: Apache-2.0
#include "fastpath/crypto/ctr_cipher.h"

#include <openssl/evp.h>

#include "base/error.h"

namespace crypto {

CtrCipher::CtrCipher(Library& library, base::ByteSpan key_block)
    : cipher_(library.cipher("AES-256-CTR")), context_(EVP_CIPHER_CTX_new()) {
  if (context_ == nullptr || key_block.size() < kKeyBytes ||
      EVP_EncryptInit_ex2(context_.get(), cipher_.get(), key_block.data(), nullptr, nullptr) != 1) {
    throw base::FatalError("the crypto library refuses AES-256-CTR for tls-crypt");
  }
}

bool CtrCipher::run(base::ByteSpan counter, base::MutableByteSpan bytes) {
  int written = 0;
  return counter.size() == kCounterBytes &&
         EVP_EncryptInit_ex2(context_.get(), nullptr, nullptr, counter.data(), nullptr) == 1 &&
         EVP_EncryptUpdate(context_.get(), bytes.data(), &written, bytes.data(),
                           static_cast<int>(bytes.size())) == 1 &&
         static_cast<std::size_t>(written) == bytes.size();
}

}  // namespace crypto
