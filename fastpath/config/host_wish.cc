// SPDX-License-Identifier: Apache-2.0
#include "fastpath/config/host_wish.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "fastpath/config/reading.h"

namespace config {
namespace {

std::string arg(const ovpn::Directive& directive, std::size_t index) {
  return index < directive.args.size() ? directive.args[index] : std::string();
}

template <typename T>
LineFault append(std::vector<T>& list, const T& value) {
  if (std::find(list.begin(), list.end(), value) != list.end()) return std::nullopt;
  if (list.size() >= kDnsEntriesMax) return "too many name servers or domains";
  list.push_back(value);
  return std::nullopt;
}

LineFault append_domains(const ovpn::Directive& directive, std::size_t from,
                         std::vector<std::string>& to) {
  if (from >= directive.args.size()) return "a domain is missing";
  for (std::size_t i = from; i < directive.args.size(); ++i) {
    // `dhcp-option DOMAIN-SEARCH "a b"` is seen too.
    for (const std::string_view domain : base::split_words(directive.args[i])) {
      if (!ovpn::is_domain(domain)) return "'" + std::string(domain) + "' is no domain";
      if (auto fault = append(to, std::string(domain))) return fault;
    }
  }
  return std::nullopt;
}

DnsServer& server_of(int priority, DnsWish& wish) {
  auto at = std::find_if(wish.servers.begin(), wish.servers.end(),
                         [&](const DnsServer& server) { return server.priority >= priority; });
  if (at == wish.servers.end() || at->priority != priority) {
    at = wish.servers.emplace(at);
    at->priority = priority;
  }
  return *at;
}

LineFault read_dns_server(const ovpn::Directive& d, DnsWish& to) {
  if (to.servers.size() >= kDnsEntriesMax) return "too many name servers or domains";
  DnsWish next = to;  // a faulty line changes nothing
  DnsServer& server = server_of(base::parse_number<int>(arg(d, 1)).value_or(0), next);
  const std::string what = arg(d, 2);
  LineFault fault;
  if (what == "address") {
    for (std::size_t i = 3; i < d.args.size() && !fault; ++i) {
      const auto parsed = ovpn::parse_dns_address(d.args[i]);
      if (parsed) fault = append(server.addresses, DnsAddress{parsed->first, parsed->second});
    }
  } else if (what == "resolve-domains") {
    fault = append_domains(d, 3, server.domains);
  } else {
    (what == "dnssec" ? server.dnssec : what == "sni" ? server.sni : server.transport) = arg(d, 3);
  }
  if (!fault) to = std::move(next);
  return fault;
}

void set_flag(const std::string& flag, RedirectConfig& to) {
  if (flag == "!ipv4") to.ipv4 = false;
  const std::array<std::pair<std::string_view, bool*>, 7> flags{{{"def1", &to.def1},
                                                                 {"local", &to.local},
                                                                 {"autolocal", &to.autolocal},
                                                                 {"ipv6", &to.ipv6},
                                                                 {"bypass-dhcp", &to.bypass_dhcp},
                                                                 {"bypass-dns", &to.bypass_dns},
                                                                 {"block-local", &to.block_local}}};
  for (const auto& [name, value] : flags) {
    if (name == flag) *value = true;
  }
}

}  // namespace

LineFault read_redirect(const ovpn::Directive& directive, std::optional<RedirectConfig>& to) {
  if (auto fault = ovpn::redirect_fault(directive)) return fault;
  RedirectConfig next = to.value_or(RedirectConfig{});
  if (directive.name == "redirect-gateway") next.gateway = true;
  for (const std::string& flag : directive.args) set_flag(flag, next);
  to = next;
  return std::nullopt;
}

LineFault read_dhcp_option(const ovpn::Directive& directive, DnsWish& to) {
  const std::string type = arg(directive, 0);
  if (type == "DNS" || type == "DNS6") {
    const auto address = base::IpAddress::parse(arg(directive, 1));
    // Servers push IPv6 addresses with either word.
    if (!address) return "'" + arg(directive, 1) + "' is no address";
    return append(to.addresses, *address);
  }
  if (type == "DOMAIN" || type == "DOMAIN-SEARCH" || type == "ADAPTER_DOMAIN_SUFFIX") {
    return append_domains(directive, 1, to.domains);
  }
  // NetBIOS, WINS, NTP, proxies and whatever else: stock on Linux hands them to scripts only.
  return std::nullopt;
}

LineFault read_dns(const ovpn::Directive& directive, DnsWish& to) {
  if (auto fault = ovpn::dns_fault(directive)) return fault;
  if (arg(directive, 0) == "server") return read_dns_server(directive, to);
  return append_domains(directive, 1, to.search_domains);
}

namespace {

template <typename Read, typename To>
void read_line(Reading& r, const ovpn::Directive& d, Read read, To& to) {
  if (auto fault = read(d, to)) r.problem(d, *fault);
}

void redirect(Reading& r, const ovpn::Directive& d) {
  read_line(r, d, read_redirect, r.config.device.redirect);
}
// Stock on Linux takes anything here.
void dhcp_option(Reading& r, const ovpn::Directive& d) {
  const LineFault fault = read_dhcp_option(d, r.config.device.dns);
  if (fault) r.warning(d.place, "dhcp-option: " + *fault + "; passed over");
}
void dns(Reading& r, const ovpn::Directive& d) { read_line(r, d, read_dns, r.config.device.dns); }

void block_ipv6(Reading& r, const ovpn::Directive&) { r.config.device.block_ipv6 = true; }

constexpr ReadingRow kRows[] = {
    {"block-ipv6", block_ipv6},     {"dhcp-option", dhcp_option},   {"dns", dns},
    {"redirect-gateway", redirect}, {"redirect-private", redirect},
};

}  // namespace

std::span<const ReadingRow> host_wish_rows() { return kRows; }

}  // namespace config
