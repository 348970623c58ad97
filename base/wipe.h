// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

#include <string>

namespace base {

// Overwrites and empties `text`, which may have held a key: all its memory, for what was there
// before may have been longer. Copies made of it are their owners' to wipe; values that carry a key
// as text call it in their destructors. Never throws: nothing is allocated.
inline void wipe(std::string& text) {
  text.resize(text.capacity());
  ::explicit_bzero(text.data(), text.size());
  text.clear();
}

}  // namespace base
