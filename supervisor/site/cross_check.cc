// SPDX-License-Identifier: Apache-2.0
#include "supervisor/site/cross_check.h"

#include <string_view>

#include "base/text.h"
#include "ovpn/remote_list.h"
#include "supervisor/site/address_words.h"

namespace site {
namespace {

constexpr std::uint16_t kDefaultPort = 1194;

void read_port(Footprint& print, const ovpn::Profile& profile) {
  if (profile.has("nobind")) return;
  // A client binds no port that nobody named.
  const bool waits_for_bind = profile.has("client") || profile.has("pull");
  const ovpn::Directive* named = profile.last("lport");
  if (named == nullptr) named = profile.last("port");
  if (named == nullptr && waits_for_bind) return;
  print.port = kDefaultPort;
  if (named == nullptr || named->args.empty()) return;
  print.port_place = named->place;
  print.port = base::parse_number<std::uint16_t>(named->args[0]);  // a service name: not compared
  if (print.port == 0) print.port.reset();
}

void add_prefix(std::vector<std::pair<base::Prefix, base::Place>>& to, std::string_view text,
                const base::Place& place) {
  if (const auto prefix = base::Prefix::parse(text)) to.emplace_back(network_of(*prefix), place);
}

void read_addresses(Footprint& print, const ovpn::Profile& profile) {
  if (const auto* line = profile.last("ifconfig"); line != nullptr && !line->args.empty()) {
    add_prefix(print.addresses, line->args[0], line->place);
  }
  if (const auto* line = profile.last("ifconfig-ipv6"); line != nullptr && !line->args.empty()) {
    add_prefix(print.addresses, line->args[0].substr(0, line->args[0].find('/')), line->place);
  }
}

void read_routes(Footprint& print, const ovpn::Profile& profile) {
  for (const auto* line : profile.all("route")) {
    if (line->args.empty()) continue;
    const auto network = base::IpAddress::parse(line->args[0]);
    const auto mask = base::IpAddress::parse(line->args.size() > 1 ? line->args[1] : "");
    const auto length = mask ? base::netmask_length(*mask) : std::optional(32);
    if (network && network->is_v4() && length) {
      print.routes.emplace_back(network_of({*network, *length}), line->place);
    }
  }
  for (const auto* line : profile.all("route-ipv6")) {
    if (!line->args.empty()) add_prefix(print.routes, line->args[0], line->place);
  }
}

bool same_local(const Footprint& a, const Footprint& b) {
  return a.local.empty() || b.local.empty() || a.local == b.local;
}

// The other way out, where what is in the way is a site of ours.
std::string or_remove(const Footprint& other) {
  return is_site_name(other.name) ? ", or `tunctl remove " + other.name + "`" : "";
}

void compare_routes(CheckResult& result, const Footprint& one, const Footprint& other) {
  for (const auto& [prefix, place] : one.routes) {
    for (const auto& [taken, where] : other.routes) {
      if (prefix == taken) {
        result.problems.push_back({place,
                                   other.owner + " already routes " + taken.to_string() + " (" +
                                       base::to_string(where) + ")",
                                   "let it lie behind one of them only" + or_remove(other)});
      } else if (prefix.overlaps(taken)) {
        result.warnings.push_back(
            {place, prefix.to_string() + " overlaps " + taken.to_string() + " of " + other.owner,
             "the longer prefix wins"});
      }
    }
  }
}

void compare(CheckResult& result, const Footprint& one, const Footprint& other) {
  if (!one.dev.empty() && one.dev == other.dev) {
    result.problems.push_back({one.dev_place,
                               "interface " + one.dev + " is also " + other.owner + "'s",
                               "name another one with dev" + or_remove(other)});
  }
  if (one.port && one.port == other.port && one.tcp == other.tcp && same_local(one, other)) {
    result.problems.push_back(
        {one.port_place, "port " + std::to_string(*one.port) + " is also " + other.owner + "'s",
         "give one of them another port (at its far end as well), or bind each to its own local "
         "address" +
             or_remove(other)});
  }
  for (const auto& [prefix, place] : one.addresses) {
    for (const auto& [taken, where] : other.addresses) {
      if (!prefix.overlaps(taken)) continue;
      result.problems.push_back(
          {place, "address " + prefix.address.to_string() + " is also " + other.owner + "'s",
           "give each tunnel its own addresses" + or_remove(other)});
    }
  }
  compare_routes(result, one, other);
}

}  // namespace

Footprint footprint_of(std::string_view name, const ovpn::Profile& profile) {
  Footprint print;
  print.name = name;
  print.owner = "site " + print.name;
  if (const auto* dev = profile.last("dev"); dev != nullptr && !dev->args.empty()) {
    print.dev_place = dev->place;
    const std::string& word = dev->args[0];
    if (word != "tun" && word != "tap" && word != "null") print.dev = word;
  }
  print.local = profile.arg("local").value_or("");
  print.tcp = !ovpn::uses_udp(profile);
  read_port(print, profile);
  read_addresses(print, profile);
  read_routes(print, profile);
  return print;
}

CheckResult cross_check(const Footprint& one, std::span<const Footprint> others) {
  CheckResult result;
  for (const Footprint& other : others) {
    if (other.name != one.name) compare(result, one, other);
  }
  return result;
}

}  // namespace site
