// SPDX-License-Identifier: Apache-2.0
// The short spellings of remotes and routes in a site file, taken apart.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/ip.h"

namespace site {

// "host", "host:port", "10.0.0.1:2011", "fd00::1", "[fd00::1]:2011"; then perhaps a blank and a
// protocol, as the key `proto` takes it: "host:443 tcp".
struct RemoteWords {
  std::string host;         // name or literal, without brackets
  std::optional<int> port;  // nothing: the site's port
  std::string proto;        // empty: the site's
};
std::optional<RemoteWords> parse_remote(std::string_view text);

// "192.168.40.0/24", then perhaps a gateway (address, vpn_gateway, net_gateway), then a metric.
struct RouteWords {
  base::Prefix network;
  std::string gateway;  // empty: the tunnel's far address
  std::optional<int> metric;
};
std::optional<RouteWords> parse_route(std::string_view text, base::IpFamily family);

bool has_host_bits(const base::Prefix& prefix);       // 10.0.0.1/24
base::Prefix network_of(const base::Prefix& prefix);  // 10.0.0.0/24
bool is_host_name(std::string_view text);             // a name; literals are none

}  // namespace site
