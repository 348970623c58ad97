// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

#include "base/time.h"
#include "fastpath/config/tls_config.h"
#include "fastpath/crypto/find_file.h"
#include "fastpath/crypto/library.h"

namespace crypto {

struct TlsContextRelease {
  void operator()(SSL_CTX* context) const;
};
using TlsContextHandle = std::unique_ptr<SSL_CTX, TlsContextRelease>;

// Certificates, keys and rules of one tunnel, from which its TLS sessions are made. Immutable after
// construction; sessions must be gone before it. Used by one thread.
class TlsContext {
 public:
  // `config` must outlive it. `find_file` serves crl-verify DIR dir; without it nothing can be
  // told. Throws base::FatalError that names the file and the remedy.
  TlsContext(Library& library, const config::CertificateConfig& config, config::TlsRole role,
             FindFile find_file);

  // Why this end's own certificate will not be accepted at `now`; empty: nothing wrong with it.
  std::string own_certificate_trouble(base::UnixSeconds now) const;

  SSL_CTX* handle() const { return context_.get(); }
  Library& library() const { return library_; }
  const config::CertificateConfig& config() const { return config_; }
  config::TlsRole role() const { return role_; }
  FileFound find_file(const std::string& path) const {
    return find_file_ ? find_file_(path) : FileFound::kCannotTell;
  }
  // peer-fingerprint without ca: the fingerprint alone says whom to trust.
  bool trusts_fingerprint_only() const { return fingerprint_only_; }

 private:
  Library& library_;
  const config::CertificateConfig& config_;
  const config::TlsRole role_;
  const FindFile find_file_;
  bool fingerprint_only_ = false;
  TlsContextHandle context_;
};

}  // namespace crypto
