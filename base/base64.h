// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace base {

std::string to_base64(ByteSpan bytes);  // RFC 4648 section 4, padded, on one line
// White space is skipped; missing padding is forgiven; any other character is nothing.
std::optional<Bytes> from_base64(std::string_view text);

}  // namespace base
