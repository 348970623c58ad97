// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace data {

// The largest TCP payloads that fit the tunnel; 0: leave that family alone.
struct MssLimits {
  std::uint16_t ipv4 = 0;
  std::uint16_t ipv6 = 0;
};

// mssfix: lowers the MSS option of a TCP SYN (or SYN-ACK) to the limit and mends the checksum.
// Never raises it; never touches anything else, nor options that run over the header's end.
void clamp_mss(const MssLimits& limits, base::MutableByteSpan packet);

}  // namespace data
