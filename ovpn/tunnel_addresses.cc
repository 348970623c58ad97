// SPDX-License-Identifier: Apache-2.0
#include "ovpn/tunnel_addresses.h"

#include <algorithm>

namespace ovpn {

bool is_tunnel_address(const base::IpAddress& address, std::span<const std::string> words) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    const auto inside = base::Prefix::parse(word);
    return inside && inside->address == address.unmapped();
  });
}

std::optional<std::string> address_clash(std::string_view line, std::string_view host,
                                         std::span<const std::string> words) {
  const auto address = base::IpAddress::parse(host);
  if (!address || !is_tunnel_address(*address, words)) return std::nullopt;
  return std::string(line) + " " + std::string(host) +
         " is an address inside of this tunnel too (" +
         (address->unmapped().is_v4() ? "ifconfig" : "ifconfig-ipv6") + ")";
}

}  // namespace ovpn
