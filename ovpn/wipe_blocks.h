// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ovpn/directive.h"

namespace ovpn {

// Overwrites and empties the text, which may have held a key.
void wipe(std::string& text);
// The same with every inline block of the profile: any of them may be a key.
void wipe_blocks(Profile& profile);

}  // namespace ovpn
