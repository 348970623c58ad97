// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ovpn/options_string.h"

namespace control {

// How the peer's options string differs from what fits ours (OpenVPN protocol: OCC
// options string in TLS mode). Never a reason to stop. What NCP settles is left out.
std::vector<ovpn::OptionDifference> options_differences(std::string_view own,
                                                        std::string_view received);

}  // namespace control
