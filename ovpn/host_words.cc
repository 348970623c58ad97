// SPDX-License-Identifier: Apache-2.0
#include "ovpn/host_words.h"

#include <algorithm>

#include "base/problem_list.h"
#include "base/text.h"
#include "ovpn/value_errors.h"

namespace ovpn {
namespace {

constexpr std::string_view kRedirectFlags =
    "def1 local autolocal ipv6 !ipv4 bypass-dhcp bypass-dns block-local";

std::string arg(const Directive& directive, std::size_t index) {
  return index < directive.args.size() ? directive.args[index] : std::string();
}

LineFault not_one_of(const std::string& value, std::string_view choices) {
  const auto words = base::split_words(choices);
  if (std::find(words.begin(), words.end(), value) != words.end()) return std::nullopt;
  return "'" + value + "' is none of " + std::string(choices);
}

LineFault domains_fault(const Directive& directive, std::size_t from) {
  if (from >= directive.args.size()) return "a domain is missing";
  for (std::size_t i = from; i < directive.args.size(); ++i) {
    for (const std::string_view domain : base::split_words(directive.args[i])) {
      if (!is_domain(domain)) return "'" + std::string(domain) + "' is no domain";
    }
  }
  return std::nullopt;
}

LineFault addresses_fault(const Directive& directive) {
  if (directive.args.size() < 4) return "an address is missing";
  for (std::size_t i = 3; i < directive.args.size(); ++i) {
    if (!parse_dns_address(directive.args[i])) {
      return "'" + directive.args[i] + "' is no address";
    }
  }
  return std::nullopt;
}

LineFault dns_server_fault(const Directive& d) {
  const auto priority = base::parse_number<int>(arg(d, 1));
  if (!priority || *priority < -128 || *priority > 127) {
    return "'" + arg(d, 1) + "' is no priority from -128 to 127";
  }
  const std::string what = arg(d, 2);
  if (what == "address") return addresses_fault(d);
  if (what == "resolve-domains") return domains_fault(d, 3);
  if (what == "dnssec") return not_one_of(arg(d, 3), "yes no optional");
  if (what == "transport") return not_one_of(arg(d, 3), "plain DoT DoH");
  if (what != "sni") return "'" + what + "' is nothing it knows";
  if (!is_domain(arg(d, 3))) return "'" + arg(d, 3) + "' is no name";
  return std::nullopt;
}

}  // namespace

LineFault redirect_fault(const Directive& directive) {
  for (const std::string& flag : directive.args) {
    if (not_one_of(flag, kRedirectFlags)) return "'" + flag + "' is no flag of it";
  }
  return std::nullopt;
}

LineFault dns_fault(const Directive& directive) {
  const std::string what = arg(directive, 0);
  if (what == "search-domains") return domains_fault(directive, 1);
  if (what == "server") return dns_server_fault(directive);
  return "'" + what + "' is nothing it knows";
}

bool is_domain(std::string_view text) {
  constexpr std::size_t kDomainMax = 253;  // RFC 1035
  if (text.empty() || text.size() > kDomainMax || text.starts_with('-')) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  });
}

std::optional<std::pair<base::IpAddress, std::uint16_t>> parse_dns_address(std::string_view text) {
  std::string_view port_text;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    port_text = text.substr(end + 1);
    text = text.substr(1, end - 1);
  } else if (const auto colon = text.find(':');
             colon != std::string_view::npos && text.find(':', colon + 1) == text.npos) {
    port_text = text.substr(colon);
    text = text.substr(0, colon);
  }
  std::uint16_t port = 0;
  if (!port_text.empty()) {
    const auto number = base::parse_number<std::uint16_t>(port_text.substr(1));
    if (port_text[0] != ':' || !number || *number == 0) return std::nullopt;
    port = *number;
  }
  const auto address = base::IpAddress::parse(text);
  if (!address) return std::nullopt;
  return std::pair(*address, port);
}

void find_host_errors(const Profile& profile, base::Problems& problems) {
  for (const Directive& directive : profile.directives) {
    if (problems.size() >= base::kProblemsMax) return;
    const std::string& name = directive.name;
    if (name == "redirect-gateway" || name == "redirect-private") {
      if (const auto fault = redirect_fault(directive)) {
        problems.push_back({directive.place, name + ": " + *fault,
                            "write some of: " + std::string(kRedirectFlags)});
      }
    } else if (name == "dns") {
      if (const auto fault = dns_fault(directive)) {
        problems.push_back({directive.place, name + ": " + *fault,
                            "write for example 'dns server 0 address 10.8.0.1'"});
      }
    }
  }
}

}  // namespace ovpn
