// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

#include <string>

namespace base {

// Zeroes what `text` holds now; copies made of it are their owners' to wipe. For values that carry
// a key as text: their destructors call it.
inline void wipe(std::string& text) {
  if (!text.empty()) ::explicit_bzero(text.data(), text.size());
}

}  // namespace base
