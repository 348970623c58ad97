// SPDX-License-Identifier: Apache-2.0
// Whether sites get into each other's way: ports, interfaces, addresses.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ip.h"
#include "ovpn/directive.h"
#include "supervisor/site/site_check.h"

namespace site {

// What of a site can collide, each with the place that says so. Made from the OpenVPN directives,
// which both forms of a site end in.
struct Footprint {
  std::string name;
  std::string owner;  // for messages: "site b", "openvpn-client@b.service"
  std::string dev;    // empty: no fixed name
  base::Place dev_place;
  std::optional<std::uint16_t> port;  // bound here; nothing: nobind or port 0
  std::string local;                  // bound address; empty: any
  bool tcp = false;
  base::Place port_place;
  std::vector<std::pair<base::Prefix, base::Place>> addresses;  // ifconfig, ifconfig-ipv6
  std::vector<std::pair<base::Prefix, base::Place>> routes;
};
// `owner` is "site NAME" until the caller sets another.
Footprint footprint_of(std::string_view name, const ovpn::Profile& profile);

// Problems of `one` with each of the others that has another name.
CheckResult cross_check(const Footprint& one, std::span<const Footprint> others);

}  // namespace site
