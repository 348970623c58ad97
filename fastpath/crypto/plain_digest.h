// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"

namespace crypto {

// The digest of a message, by OpenSSL's name for it ("MD5", "SHA-256"). Nothing if the library has
// none of that name or refuses it. For what happens rarely: it opens the library each time.
std::optional<base::Bytes> plain_digest(const std::string& name, base::ByteSpan message);

}  // namespace crypto
