// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cli {

inline constexpr std::size_t kNameCharsMax = 15;  // of a site, as of an interface

// "Home Office (2)" -> "home-office-2": what a site name may hold, and nothing doubled.
std::string derived_name(std::string_view wish);

}  // namespace cli
