// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cli {

inline constexpr std::size_t kNameCharsMax = 15;  // of a site, as of an interface

// "Home Office (2)" -> "home-office-2": what a site name may hold, and nothing doubled. "tap" is
// taken and becomes "tap-1"; of what has no letters nothing is left, and it becomes "site".
std::string derived_name(std::string_view wish);
// For those two, why so; empty: the name speaks for itself.
std::string why_derived(std::string_view wish);

}  // namespace cli
