// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "base/ip.h"

namespace io {

// Whether the kernel would send a datagram there now, by its routes and its own addresses; nothing
// is sent. True also where it cannot be told.
bool reaches(const base::Endpoint& to, std::optional<std::uint32_t> mark);

}  // namespace io
