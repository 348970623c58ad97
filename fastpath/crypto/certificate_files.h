// SPDX-License-Identifier: Apache-2.0
// Certificates and keys from the texts that the config's files hold, into an SSL_CTX.
#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>

#include "fastpath/config/tls_config.h"
#include "fastpath/crypto/library.h"

namespace crypto {

struct CertificateRelease {
  void operator()(X509* certificate) const;
};
struct KeyRelease {
  void operator()(EVP_PKEY* key) const;
};
using CertificateHandle = std::unique_ptr<X509, CertificateRelease>;
using KeyHandle = std::unique_ptr<EVP_PKEY, KeyRelease>;

// All throw base::FatalError with the file's name and a remedy.
void use_own_certificate(SSL_CTX* context, Library& library,
                         const config::CertificateConfig& config);
// Whom to trust, and who is revoked.
void use_authorities(SSL_CTX* context, Library& library, const config::CertificateConfig& config,
                     bool server);
void use_dh_parameters(SSL_CTX* context, Library& library, const config::ConfigFile& file);

}  // namespace crypto
