// SPDX-License-Identifier: Apache-2.0
// What a config or a server wants of the host beside addresses and single routes: the default route
// and name servers. Plain values, and the reading of their lines, which is the same for both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ip.h"
#include "ovpn/directive.h"
#include "ovpn/host_words.h"

namespace config {

// redirect-gateway and redirect-private (OpenVPN protocol: options of a push). Flags of several
// lines add up.
struct RedirectConfig {
  bool gateway = false;  // false: redirect-private alone, which leaves the default route
  bool ipv4 = true;      // false: !ipv4
  bool ipv6 = false;
  bool def1 = false;       // two halves instead of replacing the default route
  bool local = false;      // the peer is on this link: no route of its own to it
  bool autolocal = false;  // the same, if it turns out to be so
  bool bypass_dhcp = false, bypass_dns = false;
  bool block_local = false;  // the local network goes into the tunnel too

  friend bool operator==(const RedirectConfig&, const RedirectConfig&) = default;
};

struct DnsAddress {
  base::IpAddress address;
  std::uint16_t port = 0;  // 0: the usual one

  friend bool operator==(const DnsAddress&, const DnsAddress&) = default;
};

// `dns server N …` (2.6 and later). The lowest number counts.
struct DnsServer {
  int priority = 0;
  std::vector<DnsAddress> addresses;
  std::vector<std::string> domains;  // resolve-domains; empty: all
  std::string dnssec, transport, sni;

  friend bool operator==(const DnsServer&, const DnsServer&) = default;
};

// Name servers, by `dhcp-option` and by `dns`. As in stock, `dns` lines make dhcp-option's void.
struct DnsWish {
  std::vector<base::IpAddress> addresses;   // dhcp-option DNS, DNS6
  std::vector<std::string> domains;         // dhcp-option DOMAIN, DOMAIN-SEARCH, …-SUFFIX
  std::vector<std::string> search_domains;  // dns search-domains
  std::vector<DnsServer> servers;           // by priority, the first one counts

  bool empty() const {
    return addresses.empty() && domains.empty() && search_domains.empty() && servers.empty();
  }
  friend bool operator==(const DnsWish&, const DnsWish&) = default;
};

inline constexpr std::size_t kDnsEntriesMax = 32;  // of each list; a resolver takes far fewer

using ovpn::LineFault;

// `directive`: redirect-gateway or redirect-private.
LineFault read_redirect(const ovpn::Directive& directive, std::optional<RedirectConfig>& to);
LineFault read_dhcp_option(const ovpn::Directive& directive, DnsWish& to);
LineFault read_dns(const ovpn::Directive& directive, DnsWish& to);

}  // namespace config
