// SPDX-License-Identifier: Apache-2.0
// IPv4 addresses inside IPv6 ones, as a NAT64 of the network translates them (RFC 6052), and how
// its prefix is found (RFC 7050).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/ip.h"

namespace base {

// A name that has IPv4 addresses only, by decree. What a network's name server gives as its IPv6
// addresses holds the prefix.
inline constexpr std::string_view kNat64Name = "ipv4only.arpa";

// The prefix in which `answers`, the IPv6 addresses of kNat64Name, hold its known IPv4 addresses;
// the first that leaves no doubt. Nothing: there is no NAT64.
std::optional<Prefix> nat64_prefix(const std::vector<IpAddress>& answers);

// `address`, IPv4, in `prefix`, whose length is one that RFC 6052 knows; else this aborts.
IpAddress nat64_address(const Prefix& prefix, const IpAddress& address);

}  // namespace base
