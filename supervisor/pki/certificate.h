// SPDX-License-Identifier: Apache-2.0
// What the supervisor has to know of certificates and keys: PEM texts in, facts out. `file` is for
// the messages alone. Nothing here keeps a key.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"

namespace pki {

struct Certificate {
  std::string fingerprint;  // SHA-256, as `openssl x509 -fingerprint -sha256` prints it
  std::string subject;      // "CN = site-a"; control characters escaped
  base::UnixSeconds not_before = 0, not_after = 0;
};

// The first certificate of the text.
base::Result<Certificate> read_certificate(const std::string& file, std::string_view pem);

// Empty: `now` lies within its time. Else "certificate CN = a expired on 2024-05-01", of the day in
// UTC; nothing about a remedy.
std::string validity_trouble(const Certificate& certificate, base::UnixSeconds now);

// What is wrong with a private key, alone and beside its certificate, or nothing. One that wants a
// passphrase is refused: no unit can ask for it.
std::optional<base::Problem> key_trouble(const std::string& file, std::string_view key_pem,
                                         std::string_view certificate_pem);

}  // namespace pki
