// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fastpath/engine/load.h"
#include "ovpn/directive.h"

namespace engine {

// All options as text, before any of them is taken out. It may hold keys: wipe it.
std::string text_for_hash(const ovpn::Profile& profile);

// Over that text, and what was read from files because of it. Wipes `options`.
LoadedHash hash_of(std::string options, const Loaded& loaded);

}  // namespace engine
