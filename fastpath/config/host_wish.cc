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

// A domain becomes a line of resolv.conf or an argument to a resolver: nothing but a name may pass.
bool is_domain(std::string_view text) {
  constexpr std::size_t kDomainMax = 253;  // RFC 1035
  if (text.empty() || text.size() > kDomainMax || text.starts_with('-')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  });
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
      if (!is_domain(domain)) return "'" + std::string(domain) + "' is no domain";
      if (auto fault = append(to, std::string(domain))) return fault;
    }
  }
  return std::nullopt;
}

// "10.0.0.1", "10.0.0.1:53", "fd00::1", "[fd00::1]:53".
std::optional<DnsAddress> dns_address(std::string_view text) {
  DnsAddress result;
  std::string_view port;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    port = text.substr(end + 1);
    text = text.substr(1, end - 1);
  } else if (const auto colon = text.find(':');
             colon != std::string_view::npos && text.find(':', colon + 1) == text.npos) {
    port = text.substr(colon);
    text = text.substr(0, colon);
  }
  if (!port.empty()) {
    const auto number = base::parse_number<std::uint16_t>(port.substr(1));
    if (port[0] != ':' || !number || *number == 0) return std::nullopt;
    result.port = *number;
  }
  const auto address = base::IpAddress::parse(text);
  if (!address) return std::nullopt;
  result.address = *address;
  return result;
}

LineFault one_of(const std::string& value, std::string_view choices, std::string& to) {
  for (const std::string_view choice : base::split_words(choices)) {
    if (choice == value) {
      to = value;
      return std::nullopt;
    }
  }
  return "'" + value + "' is none of " + std::string(choices);
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
  const auto priority = base::parse_number<int>(arg(d, 1));
  if (!priority || *priority < -128 || *priority > 127) {
    return "'" + arg(d, 1) + "' is no priority from -128 to 127";
  }
  if (to.servers.size() >= kDnsEntriesMax) return "too many name servers or domains";
  DnsWish next = to;  // a faulty line changes nothing
  DnsServer& server = server_of(*priority, next);
  const std::string what = arg(d, 2);
  LineFault fault;
  if (what == "address") {
    if (d.args.size() < 4) return "an address is missing";
    for (std::size_t i = 3; i < d.args.size(); ++i) {
      const auto address = dns_address(d.args[i]);
      if (!address) return "'" + d.args[i] + "' is no address";
      if ((fault = append(server.addresses, *address))) return fault;
    }
  } else if (what == "resolve-domains") {
    fault = append_domains(d, 3, server.domains);
  } else if (what == "dnssec") {
    fault = one_of(arg(d, 3), "yes no optional", server.dnssec);
  } else if (what == "transport") {
    fault = one_of(arg(d, 3), "plain DoT DoH", server.transport);
  } else if (what == "sni") {
    if (!is_domain(arg(d, 3))) return "'" + arg(d, 3) + "' is no name";
    server.sni = arg(d, 3);
  } else {
    fault = "'" + what + "' is nothing it knows";
  }
  if (!fault) to = std::move(next);
  return fault;
}

LineFault set_flag(const std::string& flag, RedirectConfig& to) {
  if (flag == "!ipv4") {
    to.ipv4 = false;
    return std::nullopt;
  }
  const std::array<std::pair<std::string_view, bool*>, 7> flags{{{"def1", &to.def1},
                                                                 {"local", &to.local},
                                                                 {"autolocal", &to.autolocal},
                                                                 {"ipv6", &to.ipv6},
                                                                 {"bypass-dhcp", &to.bypass_dhcp},
                                                                 {"bypass-dns", &to.bypass_dns},
                                                                 {"block-local", &to.block_local}}};
  for (const auto& [name, value] : flags) {
    if (name != flag) continue;
    *value = true;
    return std::nullopt;
  }
  return "'" + flag + "' is no flag of it";
}

}  // namespace

LineFault read_redirect(const ovpn::Directive& directive, std::optional<RedirectConfig>& to) {
  RedirectConfig next = to.value_or(RedirectConfig{});
  if (directive.name == "redirect-gateway") next.gateway = true;
  for (const std::string& flag : directive.args) {
    if (auto fault = set_flag(flag, next)) return fault;
  }
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
  const std::string what = arg(directive, 0);
  if (what == "search-domains") return append_domains(directive, 1, to.search_domains);
  if (what == "server") return read_dns_server(directive, to);
  return "'" + what + "' is nothing it knows";
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
    {"block-ipv6", block_ipv6},
    {"dhcp-option", dhcp_option},
    {"dns", dns},
    {"redirect-gateway", redirect},
    {"redirect-private", redirect},
};

}  // namespace

std::span<const ReadingRow> host_wish_rows() { return kRows; }

}  // namespace config
