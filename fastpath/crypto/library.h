// SPDX-License-Identifier: Apache-2.0
// The crypto library as this program uses it: its own OpenSSL library context, so that neither
// openssl.cnf nor another user of the library in this process changes what is available.
#pragma once

#include <openssl/types.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "fastpath/crypto/cipher_choice.h"

namespace crypto {

class MultiBuffer;

// Threads that run packet ciphers have numbers, from 0 on: whoever owns everything else is the
// first. A cipher is made for one of them.
using WorkerIndex = std::size_t;
inline constexpr WorkerIndex kLead = 0;

// Exit status of a config that no restart can mend (sysexits.h EX_CONFIG).
inline constexpr int kExitConfig = 78;

struct CipherRelease {
  void operator()(EVP_CIPHER* cipher) const;
};
struct DigestRelease {
  void operator()(EVP_MD* digest) const;
};
using CipherHandle = std::unique_ptr<EVP_CIPHER, CipherRelease>;
using DigestHandle = std::unique_ptr<EVP_MD, DigestRelease>;

// A resource; everything fetched from it must be gone before it. Used by one thread, but for the
// ciphers that it made for others.
class Library {
 public:
  // Throws base::FatalError if OpenSSL's default provider does not load. `choice`: what does the
  // packet ciphers made with it, for so many `workers`.
  explicit Library(const CipherChoice& choice = {}, std::size_t workers = 1);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  // From the default provider, else from the legacy one, which is loaded only when it is needed
  // (BF-CBC, DES-CBC, CAST5-CBC, MD4 ...). Throws base::FatalError with the remedy and kExitConfig
  // if there is no such thing, or if legacy.so is not installed.
  CipherHandle cipher(const std::string& name);
  DigestHandle digest(const std::string& name);
  OSSL_LIB_CTX* context() const { return context_; }
  // For what has its own way of fetching (old private keys, PKCS#12 files). False: not installed.
  bool load_legacy();

  const CipherChoice& choice() const { return choice_; }
  std::size_t workers() const { return workers_; }
  // Each worker has its own, made when it is first asked for; nothing if `choice` never uses it.
  MultiBuffer* multi_buffer(WorkerIndex worker = kLead);
  static std::string version();  // "OpenSSL 3.0.15"

 private:
  OSSL_LIB_CTX* context_ = nullptr;
  OSSL_PROVIDER* default_ = nullptr;
  OSSL_PROVIDER* legacy_ = nullptr;
  const CipherChoice choice_;
  const std::size_t workers_;
  std::vector<std::unique_ptr<MultiBuffer>> multi_buffers_;  // by worker
};

}  // namespace crypto
