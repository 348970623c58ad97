// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ovpn/directive.h"

namespace ovpn {

// Overwrites and empties every inline block of the profile: any of them may be a key.
void wipe_blocks(Profile& profile);

}  // namespace ovpn
