// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/bytes.h"
#include "fastpath/crypto/library.h"

namespace crypto {

// The PRF of TLS 1.0 with MD5 and SHA-1 (RFC 2246 section 5), from which data keys come where the
// two ends did not agree on the TLS exporter. The label is the beginning of the seed. Fills `out`;
// false only if the library lacks it.
[[nodiscard]] bool tls1_prf(Library& library, base::ByteSpan secret, std::string_view label,
                            base::ByteSpan seed, base::MutableByteSpan out);

}  // namespace crypto
