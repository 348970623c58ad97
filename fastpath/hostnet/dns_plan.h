// SPDX-License-Identifier: Apache-2.0
// What this machine is to be told about name servers, as a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ip.h"

namespace hostnet {

struct DnsServerPlan {
  base::IpAddress address;
  std::uint16_t port = 0;  // 0: 53

  friend bool operator==(const DnsServerPlan&, const DnsServerPlan&) = default;
};

struct DnsPlan {
  std::vector<DnsServerPlan> servers;
  std::vector<std::string> search;   // completed with these; asked of these servers too
  std::vector<std::string> routing;  // names below these are asked of these servers
  // Everything else too (true), nothing else (false), or as the resolver thinks best.
  std::optional<bool> all_names;

  bool empty() const { return servers.empty() && search.empty() && routing.empty(); }
  friend bool operator==(const DnsPlan&, const DnsPlan&) = default;
};

}  // namespace hostnet
