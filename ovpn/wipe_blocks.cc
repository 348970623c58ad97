// SPDX-License-Identifier: Apache-2.0
#include "ovpn/wipe_blocks.h"

#include <string.h>

namespace ovpn {

void wipe(std::string& text) {
  // What was there may have been longer.
  text.resize(text.capacity());
  ::explicit_bzero(text.data(), text.size());
  text.clear();
}

void wipe_blocks(Profile& profile) {
  for (Directive& directive : profile.directives) {
    if (directive.body) wipe(*directive.body);
  }
}

}  // namespace ovpn
