// SPDX-License-Identifier: Apache-2.0
#include "fastpath/crypto/tls1_prf.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <array>
#include <memory>

namespace crypto {
namespace {

struct KdfRelease {
  void operator()(EVP_KDF* kdf) const { EVP_KDF_free(kdf); }
  void operator()(EVP_KDF_CTX* context) const { EVP_KDF_CTX_free(context); }
};

}  // namespace

bool tls1_prf(Library& library, base::ByteSpan secret, std::string_view label, base::ByteSpan seed,
              base::MutableByteSpan out) {
  const std::unique_ptr<EVP_KDF, KdfRelease> kdf(
      EVP_KDF_fetch(library.context(), "TLS1-PRF", nullptr));
  const std::unique_ptr<EVP_KDF_CTX, KdfRelease> context(kdf ? EVP_KDF_CTX_new(kdf.get())
                                                             : nullptr);
  // The library takes these as pointers to what it may change, but only reads them.
  auto* secret_bytes = const_cast<std::uint8_t*>(secret.data());
  auto* seed_bytes = const_cast<std::uint8_t*>(seed.data());
  std::array<char, 9> digest = {"MD5-SHA1"};
  std::array<OSSL_PARAM, 5> params = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SECRET, secret_bytes, secret.size()),
      // Seeds are put together in the order in which they come.
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SEED, const_cast<char*>(label.data()),
                                        label.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SEED, seed_bytes, seed.size()),
      OSSL_PARAM_construct_end()};
  const bool done = context != nullptr &&
                    EVP_KDF_derive(context.get(), out.data(), out.size(), params.data()) == 1;
  ERR_clear_error();
  return done;
}

}  // namespace crypto
