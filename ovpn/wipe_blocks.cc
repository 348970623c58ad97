// SPDX-License-Identifier: Apache-2.0
#include "ovpn/wipe_blocks.h"

#include "base/wipe.h"

namespace ovpn {

void wipe_blocks(Profile& profile) {
  for (Directive& directive : profile.directives) {
    if (directive.body) base::wipe(*directive.body);
  }
}

}  // namespace ovpn
