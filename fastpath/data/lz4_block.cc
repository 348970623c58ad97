// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/lz4_block.h"

#include <lz4.h>

namespace data {

std::optional<std::size_t> unpack_lz4(base::ByteSpan block, base::MutableByteSpan out) {
  // The library counts in int.
  if (block.empty() || block.size() > LZ4_MAX_INPUT_SIZE || out.size() > LZ4_MAX_INPUT_SIZE) {
    return std::nullopt;
  }
  // Characters are what the library calls bytes.
  const int filled =
      LZ4_decompress_safe(reinterpret_cast<const char*>(block.data()),
                          reinterpret_cast<char*>(out.data()), static_cast<int>(block.size()),
                          static_cast<int>(out.size()));
  if (filled < 0) return std::nullopt;
  return static_cast<std::size_t>(filled);
}

}  // namespace data
