// SPDX-License-Identifier: Apache-2.0
#include "fastpath/crypto/cbc_cipher.h"

#include <openssl/evp.h>

#include <algorithm>

#include "base/error.h"

namespace crypto {

void CipherContextRelease::operator()(EVP_CIPHER_CTX* context) const {
  EVP_CIPHER_CTX_free(context);
}

CbcCipher::CbcCipher(Library& library, const std::string& name, base::ByteSpan key_block, Way way)
    : cipher_(library.cipher(name)), context_(EVP_CIPHER_CTX_new()) {
  if (EVP_CIPHER_get_mode(cipher_.get()) != EVP_CIPH_CBC_MODE) {
    throw base::FatalError("cipher '" + name + "' is no CBC cipher, and static-key mode has only " +
                               "those and none; write cipher AES-256-CBC at both ends",
                           kExitConfig);
  }
  block_bytes_ = static_cast<std::size_t>(EVP_CIPHER_get_block_size(cipher_.get()));
  const auto key_bytes = static_cast<std::size_t>(EVP_CIPHER_get_key_length(cipher_.get()));
  if (key_bytes > key_block.size()) {
    throw base::FatalError("cipher '" + name + "' needs a longer key than a static key holds",
                           kExitConfig);
  }
  const base::ByteSpan key = key_block.first(key_bytes);
  if (std::all_of(key.begin(), key.end(), [](std::uint8_t byte) { return byte == 0; })) {
    throw base::FatalError("the static key is all zeros where its cipher key is; make another one",
                           kExitConfig);
  }
  const int encrypt = way == Way::kEncrypt ? 1 : 0;
  if (context_ == nullptr || EVP_CipherInit_ex2(context_.get(), cipher_.get(), key.data(), nullptr,
                                                encrypt, nullptr) != 1) {
    throw base::FatalError("cipher '" + name + "': the crypto library refuses the key");
  }
  EVP_CIPHER_CTX_set_padding(context_.get(), 0);
}

bool CbcCipher::run(base::ByteSpan iv, base::MutableByteSpan blocks) {
  EVP_CIPHER_CTX* context = context_.get();
  int written = 0;
  return EVP_CipherInit_ex2(context, nullptr, nullptr, iv.data(), -1, nullptr) == 1 &&
         EVP_CipherUpdate(context, blocks.data(), &written, blocks.data(),
                          static_cast<int>(blocks.size())) == 1 &&
         static_cast<std::size_t>(written) == blocks.size();
}

}  // namespace crypto
