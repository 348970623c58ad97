// SPDX-License-Identifier: Apache-2.0
// Addresses that are in use on both sides of one tunnel. What is sent to a link's end of that
// address goes into the tunnel, or stays on this machine, for ever; OpenVPN 2.6 refuses it as well
// (options.c, of IPv4 and of what is no name).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/ip.h"

namespace ovpn {

// Whether `address`, of the link, is one of the tunnel's own: `words` are those of `ifconfig` and
// `ifconfig-ipv6`, as written, with or without /length. A netmask among them does no harm.
bool is_tunnel_address(const base::IpAddress& address, std::span<const std::string> words);

// What a person is told of a line that names such a one, and what to write instead: "remote
// 10.0.0.2 is an address inside of this tunnel too (ifconfig)". `line`: "remote" or "local". `host`
// may be a name, of which nothing is known here. Nothing: all is well.
std::optional<std::string> address_clash(std::string_view line, std::string_view host,
                                         std::span<const std::string> words);
inline constexpr std::string_view kAddressClashRemedy =
    "give the tunnel addresses that neither end has outside of it";

}  // namespace ovpn
