// SPDX-License-Identifier: Apache-2.0
// The key file of a tls-crypt-v2 client.
#pragma once

#include <string_view>

#include "base/bytes.h"
#include "base/error.h"
#include "base/secret_bytes.h"

namespace ovpn {

// OpenVPN protocol: tls-crypt-v2. A wrapped client key is T[32], encrypted key and metadata, and
// its own length in the last two bytes.
inline constexpr std::size_t kWrappedKeyBytesMin = 290;
inline constexpr std::size_t kWrappedKeyBytesMax = 1024;

struct ClientKey {
  base::SecretBytes key;  // kStaticKeyBytes
  base::Bytes wrapped;    // the same as only the server can read it
};

// Problems carry `place` and never a byte of the key.
base::Result<ClientKey> parse_client_key(const base::Place& place, std::string_view text);

}  // namespace ovpn
