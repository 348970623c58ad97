// SPDX-License-Identifier: Apache-2.0
#include "fastpath/crypto/hmac_digest.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <array>

#include "base/error.h"

namespace crypto {
namespace {

struct MacRelease {
  void operator()(EVP_MAC* mac) const { EVP_MAC_free(mac); }
};

}  // namespace

void MacContextRelease::operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }

HmacDigest::HmacDigest(Library& library, const std::string& name, base::ByteSpan key_block) {
  const DigestHandle digest = library.digest(name);
  size_ = static_cast<std::size_t>(EVP_MD_get_size(digest.get()));
  const bool extendable = (EVP_MD_get_flags(digest.get()) & EVP_MD_FLAG_XOF) != 0;
  if (extendable || size_ == 0 || size_ > key_block.size()) {
    throw base::FatalError(
        "auth '" + name + "' cannot make an HMAC; write auth SHA256 at both " + "ends",
        kExitConfig);
  }
  const std::unique_ptr<EVP_MAC, MacRelease> mac(
      EVP_MAC_fetch(library.context(), OSSL_MAC_NAME_HMAC, nullptr));
  if (mac) context_.reset(EVP_MAC_CTX_new(mac.get()));
  std::string digest_name = name;
  const std::array params = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest_name.data(), 0),
      OSSL_PARAM_construct_end()};
  if (!context_ || EVP_MAC_init(context_.get(), key_block.data(), size_, params.data()) != 1) {
    throw base::FatalError("auth '" + name + "': the crypto library refuses the key", kExitConfig);
  }
}

bool HmacDigest::compute(base::ByteSpan message, base::MutableByteSpan out) {
  // Without a key the context returns to where the first init left it: the two keyed blocks of the
  // HMAC are hashed once for the life of the tunnel.
  std::size_t written = 0;
  return EVP_MAC_init(context_.get(), nullptr, 0, nullptr) == 1 &&
         EVP_MAC_update(context_.get(), message.data(), message.size()) == 1 &&
         EVP_MAC_final(context_.get(), out.data(), &written, out.size()) == 1 && written == size_;
}

bool HmacDigest::verify(base::ByteSpan message, base::ByteSpan expected) {
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest;
  return compute(message, base::MutableByteSpan(digest).first(size_)) &&
         equal_in_constant_time(base::ByteSpan(digest).first(size_), expected);
}

bool equal_in_constant_time(base::ByteSpan a, base::ByteSpan b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace crypto
