// SPDX-License-Identifier: Apache-2.0
// From what the config and the server say about name servers to what this machine is told. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fastpath/config/host_wish.h"
#include "fastpath/hostnet/dns.h"

namespace engine {

// The engine's own option --dns.
struct DnsPolicy {
  bool off = false;                      // --dns off: leave everything as it is
  bool whole_machine = false;            // --dns pushed, or addresses: see DnsSetup::set
  std::vector<base::IpAddress> instead;  // --dns ADDRESS...: these, not the server's
};

// The words behind --dns; nothing: they make no sense.
std::optional<DnsPolicy> read_dns_policy(const std::vector<std::string>& words);

// With redirect-gateway all names go through the tunnel, since so does the traffic to any other
// server; with `dns server … resolve-domains` only those; else as the resolver thinks best.
hostnet::DnsPlan plan_dns(const config::DnsWish& wish,
                          const std::optional<config::RedirectConfig>& redirect,
                          const DnsPolicy& policy);

}  // namespace engine
