// SPDX-License-Identifier: Apache-2.0
// What the supervisor has to know of certificates and keys: PEM texts in, facts out. `file` is for
// the messages alone. Nothing here keeps a key.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"

namespace pki {

struct Certificate {
  std::string fingerprint;  // SHA-256, as `openssl x509 -fingerprint -sha256` prints it
  std::string subject;      // "CN = site-a"; control characters escaped
  base::UnixSeconds not_before = 0, not_after = 0;
  std::size_t line = 1;       // of the text, on which it begins
  bool names_itself = false;  // as its issuer: a root, or self-signed
  std::string digest;         // of its signature: "SHA256"; empty where there is none apart
  bool weak_digest = false;   // a collision can be made: SHA1, MD5 and older ones
  int signature_bits = 0;     // of security, as OpenSSL counts them
  int rsa_bits = 0;           // of its key; 0: another kind of key
  int key_security_bits = 0;
};

// The first certificate of the text.
base::Result<Certificate> read_certificate(const std::string& file, std::string_view pem);

struct CertificateList {
  std::vector<Certificate> certificates;
  std::size_t damaged_line = 0;  // where one begins that cannot be read; 0: all could
};
// All of a text up to one that cannot be read, which is what the engines take.
CertificateList read_certificates(std::string_view pem);

// The certificates of a PKCS#12 file, raw or as base64, the one of its key first. Empty: it is
// none, this passphrase does not open it, or only OpenSSL's legacy provider could.
std::vector<Certificate> read_pkcs12(std::string_view bytes, const std::string& passphrase);

std::string day_of(base::UnixSeconds time);  // "2024-05-01", in UTC

// Empty: `now` lies within its time. Else "certificate CN = a expired on 2024-05-01", of the day in
// UTC; nothing about a remedy.
std::string validity_trouble(const Certificate& certificate, base::UnixSeconds now);

// Whether there is a private key in it at all, with a passphrase or without.
bool holds_key(std::string_view pem);

// What is wrong with a private key, alone and beside its certificate, or nothing. One that wants a
// passphrase is refused: no unit can ask for it.
std::optional<base::Problem> key_trouble(const std::string& file, std::string_view key_pem,
                                         std::string_view certificate_pem);

}  // namespace pki
