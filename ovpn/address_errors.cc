// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "base/ip.h"
#include "base/problem_list.h"
#include "ovpn/lexer.h"
#include "ovpn/remote_list.h"
#include "ovpn/tunnel_addresses.h"
#include "ovpn/tunnel_kind.h"
#include "ovpn/value_errors.h"

namespace ovpn {
namespace {

bool is_v4(std::string_view text) {
  const auto address = base::IpAddress::parse(text);
  return address && address->is_v4();
}

bool is_netmask(std::string_view text) {
  const auto mask = base::IpAddress::parse(text);
  return mask && mask->is_v4() && base::netmask_length(*mask);
}

// "tcp6-client": "tcp-client".
std::string of_any_family(std::string_view proto) {
  std::string any(proto);
  std::erase_if(any, [](char c) { return c == '4' || c == '6'; });
  return any;
}

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

class AddressErrors {
 public:
  AddressErrors(const Profile& profile, base::Problems& problems)
      : profile_(profile), problems_(problems) {}

  void run() {
    // Stock warns of a bad route and goes on, and there are providers' configs that live by it.
    const bool tls = tunnel_mode(profile_) == TunnelMode::kTls;
    for (const Directive& directive : profile_.directives) {
      if (problems_.size() >= base::kProblemsMax) return;
      if (directive.name == "ifconfig") check_ifconfig(directive);
      if (directive.name == "ifconfig-ipv6") check_ifconfig_ipv6(directive);
      if (directive.name == "route-gateway") check_gateway(directive);
      if (directive.name == "route-ipv6-gateway") check_gateway_ipv6(directive);
      if (tls) continue;
      if (directive.name == "route") check_route(directive);
      if (directive.name == "route-ipv6") check_route_ipv6(directive);
    }
    check_pair();
    check_families();
    check_clashes();
  }

 private:
  void add(const base::Place& at, std::string message, std::string remedy) {
    problems_.push_back({at, std::move(message), std::move(remedy)});
  }

  void check_ifconfig(const Directive& line) {
    for (const std::string& address : line.args) {
      if (is_v4(address)) continue;
      add(line.place, in_quotes(address) + " is not an IPv4 address",
          "write 'ifconfig LOCAL REMOTE'");
    }
    if (line.args.size() == 2 && line.args[0] == line.args[1]) {
      add(line.place, "both addresses of 'ifconfig' are the same",
          "write this end's first, then the far end's");
    }
  }

  // Whether ifconfig's second word is the far end or a netmask depends on another line.
  void check_pair() {
    const Directive* line = profile_.last("ifconfig");
    if (line == nullptr || line->args.size() < 2 || !is_v4(line->args[1])) return;
    // A server may push the topology by which it is right.
    if (profile_.has("client") || profile_.has("pull")) return;
    if (device_type(profile_) == DeviceType::kTap) return;
    const std::string& second = line->args[1];
    const bool subnet = profile_.arg("topology") == "subnet";
    if (subnet && !is_netmask(second)) {
      add(line->place, "with 'topology subnet' " + in_quotes(second) + " must be a netmask",
          "write for example 255.255.255.0");
    } else if (!subnet && second.starts_with("255.")) {
      add(line->place, in_quotes(second) + " is a netmask, but the peer's address belongs there",
          "write the peer's address, or add 'topology subnet'");
    }
  }

  void check_ifconfig_ipv6(const Directive& line) {
    for (std::size_t i = 0; i < line.args.size(); ++i) {
      const auto prefix = base::Prefix::parse(line.args[i]);
      const bool plain = line.args[i].find('/') == std::string::npos;
      if (prefix && !prefix->address.is_v4() && (i == 0 || plain)) continue;
      add(line.place, in_quotes(line.args[i]) + " is not an IPv6 address",
          "write 'ifconfig-ipv6 LOCAL/BITS REMOTE'");
    }
  }

  // Stock asks a resolver for names, so only what can be no name is wrong for every engine.
  void check_route(const Directive& line) {
    if (line.args.empty()) return;
    if (looks_like_address(line.args[0]) && !is_v4(line.args[0])) {
      add(line.place, "route: " + in_quotes(line.args[0]) + " is not an IPv4 address",
          "write 'route NETWORK NETMASK'");
    }
    if (line.args.size() > 1 && line.args[1] != "default" && !is_netmask(line.args[1])) {
      add(line.place, "route: " + in_quotes(line.args[1]) + " is no netmask",
          "write for example 255.255.255.0");
    }
    if (line.args.size() > 2 && looks_like_address(line.args[2]) && !is_v4(line.args[2])) {
      add(line.place, "route: the gateway " + in_quotes(line.args[2]) + " is not an IPv4 address",
          "write the gateway's address, or leave it out");
    }
  }

  void check_route_ipv6(const Directive& line) {
    if (line.args.empty()) return;
    const auto network = base::Prefix::parse(line.args[0]);
    if (network && !network->address.is_v4()) return;
    add(line.place, "route-ipv6: " + in_quotes(line.args[0]) + " is no IPv6 network",
        "write 'route-ipv6 NETWORK/BITS'");
  }

  void check_gateway(const Directive& line) {
    if (line.args.empty() || !looks_like_address(line.args[0]) || is_v4(line.args[0])) return;
    add(line.place, "route-gateway: " + in_quotes(line.args[0]) + " is not an IPv4 address",
        "write the gateway's address");
  }

  void check_gateway_ipv6(const Directive& line) {
    const auto address = base::IpAddress::parse(line.args.empty() ? "" : line.args[0]);
    if (address && !address->is_v4()) return;
    add(line.place,
        "route-ipv6-gateway: " + in_quotes(line.args.empty() ? "" : line.args[0]) +
            " is not an IPv6 address",
        "write the gateway's address");
  }

  void check_clashes();
  void check_clash(const base::Place& at, std::string_view line, const std::string& host,
                   const std::vector<std::string>& inside);
  void check_families();
  void check_family(const base::Place& at, const std::string& what, const std::string& host,
                    std::string_view proto);

  const Profile& profile_;
  base::Problems& problems_;
};

void AddressErrors::check_family(const base::Place& at, const std::string& what,
                                 const std::string& host, std::string_view proto) {
  // "fe80::1%eth0": an address of one link, and which.
  const auto percent = host.find('%');
  const auto address = base::IpAddress::parse(host.substr(0, percent));
  const bool of_link = address && base::Prefix::parse("fe80::/10")->contains(*address);
  if (of_link && percent == std::string::npos) {
    add(at, what + " " + host + ": a link-local address without its interface",
        "write '" + host + "%' and the interface's name");
    return;
  }
  if (!address || (percent != std::string::npos && !of_link)) {
    if (looks_like_address(host)) {
      add(at, what + ": " + in_quotes(host) + " is no address",
          "write an address or a host's name");
    }
    return;
  }
  const bool v4_only = proto.ends_with('4') || proto.find("4-") != std::string_view::npos;
  const bool v6_only = proto.ends_with('6') || proto.find("6-") != std::string_view::npos;
  if (address->is_v4() ? !v6_only : !v4_only) return;
  add(at,
      what + " " + host + ": not an address of the family that 'proto " + std::string(proto) +
          "' asks for",
      "write 'proto " + of_any_family(proto) + "', or an address of that family");
}

// An address of the other family can be told without a resolver.
void AddressErrors::check_families() {
  const std::string proto = config_proto(profile_);
  const Directive* local = profile_.last("local");
  const std::string here = profile_.arg("local").value_or("");
  if (local != nullptr) check_family(local->place, "local", here, proto);
  const auto local_address = base::IpAddress::parse(here);
  const std::size_t before = problems_.size();
  bool one_is_good = false;
  for (const Remote& remote : remote_list(profile_)) {
    const std::size_t begin = problems_.size();
    const bool any = remote.proto == "udp" || remote.proto == "tcp";
    check_family(remote.place, "remote", remote.host, any ? proto : remote.proto);
    const auto address = base::IpAddress::parse(remote.host);
    if (local_address && address && local_address->family() != address->family()) {
      add(remote.place, "remote " + remote.host + ": not an address of the family of 'local'",
          "write an address of that family");
    }
    one_is_good = one_is_good || problems_.size() == begin;
  }
  // As with routes: stock goes on to the next.
  if (one_is_good && tunnel_mode(profile_) == TunnelMode::kTls) problems_.resize(before);
}

void AddressErrors::check_clash(const base::Place& at, std::string_view line,
                                const std::string& host, const std::vector<std::string>& inside) {
  if (auto clash = address_clash(line, host, inside)) {
    add(at, std::move(*clash), std::string(kAddressClashRemedy));
  }
}

void AddressErrors::check_clashes() {
  std::vector<std::string> inside;
  for (const std::string_view name : {"ifconfig", "ifconfig-ipv6"}) {
    const Directive* line = profile_.last(name);
    if (line != nullptr) inside.insert(inside.end(), line->args.begin(), line->args.end());
  }
  if (const Directive* local = profile_.last("local")) {
    check_clash(local->place, "local", profile_.arg("local").value_or(""), inside);
  }
  for (const Directive* block : profile_.all("connection")) {
    if (!block->body) continue;
    for (const Directive& line : lex_block(*block).profile.directives) {
      if (line.name != "local" || line.args.empty()) continue;
      check_clash(line.place, "local", line.args[0], inside);
    }
  }
  for (const Remote& remote : remote_list(profile_)) {
    check_clash(remote.place, "remote", remote.host, inside);
  }
}

}  // namespace

bool looks_like_address(std::string_view text) {
  if (text.find(':') != std::string_view::npos) return true;
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos &&
         text.find('.') != std::string_view::npos;
}

void find_address_errors(const Profile& profile, base::Problems& problems) {
  AddressErrors(profile, problems).run();
}

}  // namespace ovpn
