// SPDX-License-Identifier: Apache-2.0
#include "fastpath/crypto/aead_cipher.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace crypto {

std::size_t aead_key_bytes(const std::string& name) {
  if (name == "AES-128-GCM") return 16;
  if (name == "AES-192-GCM") return 24;
  if (name == "AES-256-GCM" || name == "CHACHA20-POLY1305") return 32;
  return 0;
}

AeadCipher::AeadCipher(Library& library, const std::string& name, base::ByteSpan key_block, Way way)
    : cipher_(library.cipher(name)), context_(EVP_CIPHER_CTX_new()) {
  const std::size_t key_bytes = aead_key_bytes(name);
  if (key_bytes == 0) {
    throw base::FatalError("cipher '" + name + "' is no AEAD cipher of OpenVPN; AES-256-GCM is one",
                           kExitConfig);
  }
  if (key_bytes > key_block.size()) {
    throw base::FatalError("cipher '" + name + "': the key is too short");
  }
  const base::ByteSpan key = key_block.first(key_bytes);
  if (std::all_of(key.begin(), key.end(), [](std::uint8_t byte) { return byte == 0; })) {
    throw base::FatalError("cipher '" + name + "': the key is all zeros");
  }
  const int encrypt = way == Way::kSeal ? 1 : 0;
  if (context_ == nullptr || EVP_CipherInit_ex2(context_.get(), cipher_.get(), key.data(), nullptr,
                                                encrypt, nullptr) != 1) {
    throw base::FatalError("cipher '" + name + "': the crypto library refuses the key");
  }
}

bool AeadCipher::run(base::ByteSpan nonce, base::ByteSpan associated, base::MutableByteSpan text) {
  EVP_CIPHER_CTX* context = context_.get();
  int written = 0;
  return nonce.size() == kNonceBytes &&
         EVP_CipherInit_ex2(context, nullptr, nullptr, nonce.data(), -1, nullptr) == 1 &&
         EVP_CipherUpdate(context, nullptr, &written, associated.data(),
                          static_cast<int>(associated.size())) == 1 &&
         EVP_CipherUpdate(context, text.data(), &written, text.data(),
                          static_cast<int>(text.size())) == 1 &&
         static_cast<std::size_t>(written) == text.size();
}

bool AeadCipher::seal(base::ByteSpan nonce, base::ByteSpan associated, base::MutableByteSpan text,
                      base::MutableByteSpan tag) {
  int written = 0;
  return tag.size() == kTagBytes && run(nonce, associated, text) &&
         EVP_CipherFinal_ex(context_.get(), text.data() + text.size(), &written) == 1 &&
         EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_GET_TAG, kTagBytes, tag.data()) == 1;
}

bool AeadCipher::open(base::ByteSpan nonce, base::ByteSpan associated, base::MutableByteSpan text,
                      base::ByteSpan tag) {
  // The interface takes a pointer to what it only reads.
  std::array<std::uint8_t, kTagBytes> expected;
  if (tag.size() != kTagBytes) return false;
  std::ranges::copy(tag, expected.begin());
  int written = 0;
  return run(nonce, associated, text) &&
         EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_SET_TAG, kTagBytes, expected.data()) ==
             1 &&
         EVP_CipherFinal_ex(context_.get(), text.data() + text.size(), &written) == 1;
}

}  // namespace crypto
