// SPDX-License-Identifier: Apache-2.0
#include "base/interface_name.h"

#include <algorithm>

namespace base {

bool is_interface_name(std::string_view name) {
  if (name.empty() || name.size() > kInterfaceNameCharsMax || name == "." || name == "..") {
    return false;
  }
  return std::none_of(name.begin(), name.end(), [](unsigned char c) {
    return c <= ' ' || c == 0x7f || c == '/' || c == ':' || c == '%';
  });
}

}  // namespace base
