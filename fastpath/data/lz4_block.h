// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "base/bytes.h"

namespace data {

// Unpacks one LZ4 block without frame, which is what peers with `compress lz4` and lz4-v2 send.
// Returns how many bytes of `out` it filled. Nothing: the block is damaged, or wants more room than
// `out` has. No byte outside of the two spans is read or written. They must not overlap.
[[nodiscard]] std::optional<std::size_t> unpack_lz4(base::ByteSpan block,
                                                    base::MutableByteSpan out);

}  // namespace data
