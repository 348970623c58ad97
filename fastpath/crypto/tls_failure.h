// SPDX-License-Identifier: Apache-2.0
// One line for a person about why TLS did not come about, with the date and the remedy.
#pragma once

#include <openssl/types.h>

#include <string>

#include "base/time.h"

namespace crypto {

// Empty: `certificate` is valid at `now`. `whose`: "the peer's certificate".
std::string validity_trouble(const X509* certificate, base::UnixSeconds now,
                             const std::string& whose);
// Empty: every revocation list of who issued `certificate` is in date.
std::string list_trouble(X509_STORE_CTX* store, const X509* certificate, base::UnixSeconds now);
// Of a chain that OpenSSL does not accept, from a verify callback.
std::string chain_trouble(X509_STORE_CTX* store);
// Whether the error queue is about the certificate of either end; it is left as it is.
bool is_certificate_trouble();
// Of a handshake that failed, from the error queue, which is emptied.
std::string handshake_trouble();

}  // namespace crypto
