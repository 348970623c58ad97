// SPDX-License-Identifier: Apache-2.0
// Keys and self-signed certificates of one's own, for peers that know each other by fingerprint.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace pki {

// A key on the curve P-256, which every TLS library of the last ten years takes, as PEM (PKCS#8,
// without a passphrase). The caller wipes it. Throws base::FatalError if OpenSSL has no randomness.
std::string make_key();

// A certificate of that key, signed by it, with the name as CN. Who is known by his fingerprint is
// trusted until that is taken back, so it does not expire (RFC 5280, 4.1.2.5), and it begins long
// ago: a machine without a clock battery makes one that is good as well.
base::Result<std::string> make_certificate(const std::string& key_file, std::string_view key_pem,
                                           const std::string& name);

}  // namespace pki
