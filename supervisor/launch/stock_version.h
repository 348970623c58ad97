// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <utility>

namespace launch {

// {2, 6} of the first line of `openvpn --version`: "OpenVPN 2.6.14 x86_64-…".
std::optional<std::pair<int, int>> parse_stock_version(std::string_view text);

}  // namespace launch
