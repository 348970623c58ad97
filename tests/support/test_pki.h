// SPDX-License-Identifier: Apache-2.0
// Certificates for tests, made when they are wanted: no private key lies in the tree.
#pragma once

#include <memory>
#include <string>

#include "base/time.h"

namespace support {

// When the tests play.
inline constexpr base::UnixSeconds kTestNow = 1'800'000'000;  // 2027-01-15 08:00 UTC

struct CertificateWish {
  std::string common_name = {};
  std::string key_usage = "digitalSignature,keyAgreement";  // empty: no such extension
  std::string extended_key_usage = {};                      // "serverAuth"; empty: none
  base::UnixSeconds from = kTestNow - 86400, until = kTestNow + 86400;
  bool authority = false;
  long serial = 2;
  const char* digest = "SHA256";
  unsigned rsa_bits = 0;  // 0: a key on the curve P-256
};

struct Identity {
  std::string certificate, key;  // PEM
  std::string fingerprint;       // SHA-256, colon-separated
};

class TestPki {
 public:
  explicit TestPki(const std::string& name);  // with an authority of this common name
  TestPki(TestPki&&) noexcept;
  ~TestPki();

  const std::string& ca() const { return ca_; }
  Identity issue(const CertificateWish& wish) const;
  Identity self_signed(const CertificateWish& wish) const;
  // A revocation list with one serial number.
  std::string revoke(long serial, base::UnixSeconds next_update = kTestNow + 86400) const;
  // The private key as PKCS#8 that this passphrase opens.
  static std::string encrypted(const std::string& key, const std::string& passphrase);
  // Key, certificate and authority in one, raw.
  std::string bundle(const Identity& identity, const std::string& passphrase) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::string ca_;
};

// The one that most tests share, with a server and a client.
struct SharedPki {
  TestPki pki{"test-ca"};
  Identity server, client;
};
const SharedPki& shared_pki();

}  // namespace support
