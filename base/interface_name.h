// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace base {

inline constexpr std::size_t kInterfaceNameCharsMax = 15;  // IFNAMSIZ without its NUL

// Whether the kernel takes this as a network interface's name, as it stands: what '%' begins would
// be replaced by a number, and ':' belongs to the aliases of old.
bool is_interface_name(std::string_view name);

}  // namespace base
