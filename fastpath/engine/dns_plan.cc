// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/dns_plan.h"

namespace engine {

std::optional<DnsPolicy> read_dns_policy(const std::vector<std::string>& words) {
  DnsPolicy policy;
  policy.whole_machine = true;
  if (words == std::vector<std::string>{"pushed"}) return policy;
  if (words == std::vector<std::string>{"off"}) {
    policy.off = true;
    return policy;
  }
  for (const std::string& word : words) {
    const auto address = base::IpAddress::parse(word);
    if (!address) return std::nullopt;
    policy.instead.push_back(*address);
  }
  return policy.instead.empty() ? std::nullopt : std::optional(policy);
}

hostnet::DnsPlan plan_dns(const config::DnsWish& wish,
                          const std::optional<config::RedirectConfig>& redirect,
                          const DnsPolicy& policy) {
  hostnet::DnsPlan plan;
  if (policy.off) return plan;
  if (wish.servers.empty()) {
    for (const base::IpAddress& address : wish.addresses) plan.servers.push_back({address, 0});
    plan.search = wish.domains;
  } else {
    const config::DnsServer& first = wish.servers.front();
    for (const config::DnsAddress& address : first.addresses) {
      plan.servers.push_back({address.address, address.port});
    }
    plan.routing = first.domains;
    if (!plan.routing.empty()) plan.all_names = false;
  }
  if (!wish.search_domains.empty()) plan.search = wish.search_domains;
  if (!policy.instead.empty()) {
    plan.servers.clear();
    for (const base::IpAddress& address : policy.instead) plan.servers.push_back({address, 0});
  }
  if (plan.servers.empty()) return {};
  if (redirect && redirect->gateway && plan.routing.empty()) plan.all_names = true;
  return plan;
}

}  // namespace engine
