// SPDX-License-Identifier: Apache-2.0
// What a directive means inside a unit, where systemd does what OpenVPN's process options do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ovpn/directive.h"

namespace render {

// The reason why the unit has no use for this directive, as a short clause ("the unit runs as a
// user of its own"); nothing if it stays.
std::optional<std::string_view> dropped_in_unit(std::string_view directive);

// The directives that are left for the engine: what decides which engine runs it.
ovpn::Profile profile_in_unit(const ovpn::Profile& profile);

}  // namespace render
