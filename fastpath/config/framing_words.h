// SPDX-License-Identifier: Apache-2.0
// Private to this room: `comp-lzo` and `compress` as config and server write them.
#pragma once

#include <optional>

#include "fastpath/config/tunnel_config.h"
#include "ovpn/directive.h"

namespace config {

// Nothing: a word that asks for something else, which is `migrate` or a mistake.
std::optional<Framing> framing_of_words(const ovpn::Directive& comp_lzo_or_compress);

}  // namespace config
