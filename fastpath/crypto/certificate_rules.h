// SPDX-License-Identifier: Apache-2.0
// What the config wants of the peer's certificate beyond a chain to a trusted one (OpenVPN
// protocol: TLS verification order).
#pragma once

#include <openssl/types.h>

#include <string>

#include "fastpath/crypto/tls_context.h"

namespace crypto {

// Empty: the certificate at `depth` of the peer's chain keeps every rule; else why it does not.
std::string broken_rule(const TlsContext& context, X509* certificate, int depth);

// A text of a certificate as logs and scripts may have it: bounded, control characters as '_'.
std::string harmless(std::string text);
std::string subject_of(const X509* certificate);  // "C=DE, O=Example, CN=server"
// What x509-username-field names, CN by default; empty: there is none.
std::string username_of(const config::CertificateConfig& config, X509* certificate);
// "6E:3C:…", as openssl prints it and peer-fingerprint takes it.
std::string fingerprint_of(Library& library, const X509* certificate, const std::string& digest);

}  // namespace crypto
