// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/machine.h"
#include "ovpn/directive.h"

namespace render {

// The ciphers that a config's data may come to be protected with, as it names them; with nothing
// said, those that TLS mode begins with or that a static key has.
std::vector<std::string> data_ciphers(const ovpn::Profile& profile);

// What of a config's crypto costs this machine more than need be, or does nothing, a sentence each.
std::vector<std::string> cipher_advice(const ovpn::Profile& profile, const base::Machine& machine);

}  // namespace render
