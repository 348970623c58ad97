// SPDX-License-Identifier: Apache-2.0
#include "fastpath/crypto/library.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include "base/error.h"
#include "fastpath/crypto/multi_buffer.h"

namespace crypto {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& name, bool legacy_loaded) {
  ERR_clear_error();
  if (legacy_loaded) {
    throw base::FatalError(what + " '" + name + "' is not known to the crypto library; write one " +
                               "that is, for example " +
                               (what == "cipher" ? "AES-256-CBC" : "SHA256") + ", at both ends",
                           kExitConfig);
  }
  throw base::FatalError(what + " '" + name + "' is not in OpenSSL's default provider and its " +
                             "legacy provider does not load; install it (Debian 12: package " +
                             "libssl3, Debian 13: package openssl-provider-legacy) or write " +
                             (what == "cipher" ? "cipher AES-256-CBC" : "auth SHA256") +
                             " at both ends",
                         kExitConfig);
}

}  // namespace

void CipherRelease::operator()(EVP_CIPHER* cipher) const { EVP_CIPHER_free(cipher); }
void DigestRelease::operator()(EVP_MD* digest) const { EVP_MD_free(digest); }

Library::Library(const CipherChoice& choice, std::size_t workers)
    : context_(OSSL_LIB_CTX_new()), choice_(choice), workers_(workers), multi_buffers_(workers) {
  if (context_ != nullptr) default_ = OSSL_PROVIDER_load(context_, "default");
  if (default_ != nullptr) return;
  OSSL_LIB_CTX_free(context_);
  throw base::FatalError("OpenSSL's default provider does not load; is libssl3 whole?");
}

Library::~Library() {
  if (legacy_ != nullptr) OSSL_PROVIDER_unload(legacy_);
  OSSL_PROVIDER_unload(default_);
  OSSL_LIB_CTX_free(context_);
}

MultiBuffer* Library::multi_buffer(WorkerIndex worker) {
  std::unique_ptr<MultiBuffer>& own = multi_buffers_[worker];
  if (!own && choice_.any()) own = MultiBuffer::make();
  return own.get();
}

std::string Library::version() {
  return std::string("OpenSSL ") + OpenSSL_version(OPENSSL_VERSION_STRING);
}

bool Library::load_legacy() {
  if (legacy_ == nullptr) legacy_ = OSSL_PROVIDER_load(context_, "legacy");
  ERR_clear_error();
  return legacy_ != nullptr;
}

CipherHandle Library::cipher(const std::string& name) {
  CipherHandle found(EVP_CIPHER_fetch(context_, name.c_str(), nullptr));
  if (!found && load_legacy()) found.reset(EVP_CIPHER_fetch(context_, name.c_str(), nullptr));
  if (!found) refuse("cipher", name, legacy_ != nullptr);
  return found;
}

DigestHandle Library::digest(const std::string& name) {
  DigestHandle found(EVP_MD_fetch(context_, name.c_str(), nullptr));
  if (!found && load_legacy()) found.reset(EVP_MD_fetch(context_, name.c_str(), nullptr));
  if (!found) refuse("auth", name, legacy_ != nullptr);
  return found;
}

}  // namespace crypto
