// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"

namespace base {

// SHA-256 (FIPS 180-4), for fingerprints that people compare. The data path has OpenSSL's.
std::array<std::uint8_t, 32> sha256(ByteSpan bytes);

}  // namespace base
