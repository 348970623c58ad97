// SPDX-License-Identifier: Apache-2.0
#include "fastpath/crypto/plain_digest.h"

#include <openssl/evp.h>

#include "base/error.h"
#include "fastpath/crypto/library.h"

namespace crypto {

std::optional<base::Bytes> plain_digest(const std::string& name, base::ByteSpan message) {
  base::Bytes digest(EVP_MAX_MD_SIZE);
  std::size_t size = 0;
  const Library library;
  if (EVP_Q_digest(library.context(), name.c_str(), nullptr, message.data(), message.size(),
                   digest.data(), &size) != 1) {
    return std::nullopt;
  }
  digest.resize(size);
  return digest;
}

}  // namespace crypto
