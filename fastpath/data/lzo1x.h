// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "base/bytes.h"

namespace data {

// Unpacks one LZO1X block, which is what `comp-lzo` peers send. The stream's format is a published
// one: Documentation/staging/lzo.rst of the Linux kernel, whose version 0 this is.
//
// Returns how many bytes of `out` the block filled. Nothing: the block is damaged, asks for bytes
// from before its start, wants more room than `out` has, or does not end where `block` ends; `out`
// then holds whatever came so far. No byte outside of the two spans is read or written, and the
// work is bounded by their sizes. The spans must not overlap.
[[nodiscard]] std::optional<std::size_t> unpack_lzo1x(base::ByteSpan block,
                                                      base::MutableByteSpan out);

}  // namespace data
