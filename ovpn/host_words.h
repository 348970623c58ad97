// SPDX-License-Identifier: Apache-2.0
// What a line may say of the host's default route and name servers: asked by the engine for what a
// server pushes too, and by config_errors() for what an admin wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/ip.h"
#include "ovpn/directive.h"

namespace ovpn {

// What is wrong with a line, or nothing.
using LineFault = std::optional<std::string>;

// redirect-gateway and redirect-private: the flags.
LineFault redirect_fault(const Directive& directive);
// `dns server N …` and `dns search-domains …` (OpenVPN 2.6 and later).
LineFault dns_fault(const Directive& directive);

// A domain becomes a line of resolv.conf or an argument to a resolver: nothing but a name may pass.
bool is_domain(std::string_view text);
// "10.0.0.1", "10.0.0.1:53", "fd00::1", "[fd00::1]:53"; port 0: the usual one.
std::optional<std::pair<base::IpAddress, std::uint16_t>> parse_dns_address(std::string_view text);

}  // namespace ovpn
