// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "base/interface_name.h"
#include "fastpath/config/link_mtu.h"
#include "fastpath/config/reading.h"
#include "ovpn/tunnel_kind.h"

namespace config {
namespace {

constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();
constexpr int kTunMtuMin = 100;    // OpenVPN's TUN_MTU_MIN
constexpr int kTunMtuMax = 65535;  // what the kernel's tun takes
constexpr int kFragmentMin = 68;   // what every IPv4 path carries

void dev(Reading& r, const ovpn::Directive& d) {
  const std::string name = word(d, 0);
  auto& device = r.config.device;
  if (name == "null") {
    device.kind = DeviceKind::kNull;
    device.name = name;
    return;
  }
  if (!base::is_interface_name(name)) {
    r.problem(d, "'" + name + "' is no interface name",
              "write at most 15 characters without '/', ':', '%' and blanks");
    return;
  }
  device.kind = DeviceKind::kTun;
  device.name = name;
}

void tun_mtu(Reading& r, const ovpn::Directive& d) {
  number_into(r, d, 0, kTunMtuMin, kTunMtuMax, r.config.device.mtu);
}

// What it leaves for the tunnel depends on the rest: see finish_link_mtu().
void link_mtu(Reading& r, const ovpn::Directive& d) {
  const auto bytes = number(r, d, 0, kTunMtuMin, kTunMtuMax);
  if (bytes) r.link_mtu = static_cast<int>(*bytes);
  r.link_mtu_place = d.place;
}

void txqueuelen(Reading& r, const ovpn::Directive& d) {
  number_into(r, d, 0, 0, kInt32Max, r.config.device.txqueuelen);
}

bool ipv4(const std::string& text) {
  const auto address = base::IpAddress::parse(text);
  return address && address->is_v4();
}

bool ipv6(const std::string& text) {
  const auto address = base::IpAddress::parse(text);
  return address && !address->is_v4();
}

void ifconfig(Reading& r, const ovpn::Directive& d) {
  for (const std::string& text : {word(d, 0), word(d, 1)}) {
    if (!ipv4(text)) {
      r.problem(d, "'" + text + "' is no IPv4 address", "write for example 10.8.0.1 10.8.0.2");
      return;
    }
  }
  r.config.device.ifconfig_local = word(d, 0);
  r.config.device.ifconfig_remote_or_mask = word(d, 1);
}

void ifconfig_ipv6(Reading& r, const ovpn::Directive& d) {
  const auto prefix = base::Prefix::parse(word(d, 0));
  if (!prefix || prefix->address.is_v4() || word(d, 0).find('/') == std::string::npos) {
    r.problem(d, "'" + word(d, 0) + "' is no IPv6 address with its prefix length",
              "write for example fd00::1/64 fd00::2");
    return;
  }
  if (!ipv6(word(d, 1))) {
    r.problem(d, "'" + word(d, 1) + "' is no IPv6 address", "write the peer's, without a length");
    return;
  }
  r.config.device.ifconfig_ipv6_local = word(d, 0);
  r.config.device.ifconfig_ipv6_remote = word(d, 1);
}

void topology(Reading& r, const ovpn::Directive& d) {
  const std::string how = word(d, 0);
  if (how != "net30" && how != "p2p" && how != "subnet") {
    r.problem(d, "'" + how + "' is no topology", "write p2p or subnet");
    return;
  }
  r.config.device.topology_subnet = how == "subnet";
}

void ifconfig_noexec(Reading& r, const ovpn::Directive&) { r.config.device.ifconfig_noexec = true; }
void ifconfig_nowarn(Reading& r, const ovpn::Directive&) { r.config.device.ifconfig_nowarn = true; }
void route_noexec(Reading& r, const ovpn::Directive&) { r.config.device.route_noexec = true; }

std::optional<std::uint32_t> metric_of(Reading& r, const ovpn::Directive& d, std::size_t index) {
  if (d.args.size() <= index || word(d, index) == "default") return std::nullopt;
  const auto value = number(r, d, index, 0, 0x7fffffff);
  return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

void bad_route(Reading& r, const ovpn::Directive& d, std::string_view what, std::string remedy) {
  r.bad_routes.push_back(
      {d.place,
       d.name + ": '" + word(d, what == "netmask" ? 1 : 0) + "' is no " + std::string(what),
       std::move(remedy)});
}

std::string unless_default(const std::string& text) { return text == "default" ? "" : text; }

void route(Reading& r, const ovpn::Directive& d) {
  RouteConfig route{word(d, 0), unless_default(word(d, 1)), unless_default(word(d, 2)),
                    metric_of(r, d, 3), d.place};
  const auto mask = base::IpAddress::parse(route.netmask);
  if (!route.netmask.empty() && (!mask || !base::netmask_length(*mask))) {
    return bad_route(r, d, "netmask", "write for example 255.255.255.0");
  }
  r.config.device.routes.push_back(route);
}

void route_ipv6(Reading& r, const ovpn::Directive& d) {
  const auto prefix = base::Prefix::parse(word(d, 0));
  if (!prefix || prefix->address.is_v4()) {
    return bad_route(r, d, "IPv6 network", "write for example fd01::/64");
  }
  r.config.device.routes_ipv6.push_back(
      {word(d, 0), "", unless_default(word(d, 1)), metric_of(r, d, 2), d.place});
}

void route_metric(Reading& r, const ovpn::Directive& d) {
  r.config.device.route_metric = metric_of(r, d, 0);
}

void route_gateway(Reading& r, const ovpn::Directive& d) {
  if (!ipv4(word(d, 0))) {
    r.problem(d, "'" + word(d, 0) + "' is no IPv4 address", "write the gateway's address");
    return;
  }
  r.config.device.route_gateway = word(d, 0);
}

void route_ipv6_gateway(Reading& r, const ovpn::Directive& d) {
  if (!ipv6(word(d, 0))) {
    r.problem(d, "'" + word(d, 0) + "' is no IPv6 address", "write the gateway's address");
    return;
  }
  r.config.device.route_ipv6_gateway = word(d, 0);
}

void route_delay(Reading& r, const ovpn::Directive& d) {
  int seconds = 0;
  number_into(r, d, 0, 0, kInt32Max, seconds);
  r.config.device.route_delay_seconds = seconds;
  if (d.args.size() < 2) return;
  r.warning(d.place, "route-delay: the second number is for Windows and does nothing here",
            "leave it out");
}

void persist_tun(Reading& r, const ovpn::Directive&) { r.config.device.persist_tun = true; }

void mssfix(Reading& r, const ovpn::Directive& d) {
  auto& to = r.config.mssfix;
  to = {};
  if (d.args.empty()) return;
  to.given = true;
  number_into(r, d, 0, 0, 65535, to.bytes);
  const std::string how = word(d, 1);
  if (const auto meaning = ovpn::mssfix_meaning(how)) {
    to.meaning = *meaning;
  } else {
    r.problem(d, "'" + how + "' is not a meaning it knows", "write mtu, fixed or nothing");
  }
}

void fragment(Reading& r, const ovpn::Directive& d) {
  auto& to = r.config.fragment;
  number_into(r, d, 0, kFragmentMin, 65535, to.bytes);
  const std::string how = word(d, 1);
  to.with_ip = how == "mtu";
  if (!how.empty() && how != "mtu") {
    r.problem(d, "'" + how + "' is not a meaning it knows", "write mtu or nothing");
  }
}

bool goes_over_tcp(const LinkConfig& link) {
  const auto over_tcp = [](Transport transport) { return transport != Transport::kUdp; };
  return link.remotes.empty()
             ? over_tcp(link.transport)
             : std::ranges::any_of(link.remotes, over_tcp, &RemoteConfig::transport);
}

// Stock refuses it too: a stream is cut up by TCP.
void check_fragment(Reading& r, const ovpn::Profile& profile) {
  const ovpn::Directive* directive = profile.last("fragment");
  if (directive == nullptr || !goes_over_tcp(r.config.link)) return;
  r.problem(*directive, "fragment is for UDP only", "leave it out, or write proto udp");
}

// OpenVPN 2.6: with link-mtu no segment size is corrected unless the config says how.
void finish_link_mtu(Reading& r, const ovpn::Profile& profile) {
  if (!r.link_mtu) return;
  if (const ovpn::Directive* other = profile.last("tun-mtu")) {
    return r.problem(*other, "only one of tun-mtu and link-mtu can be", "take link-mtu out");
  }
  const int mtu = tun_mtu_of_link_mtu(r.config, *r.link_mtu, goes_over_tcp(r.config.link));
  if (mtu < kTunMtuMin) {
    r.problems.push_back({r.link_mtu_place,
                          "link-mtu: of its " + std::to_string(*r.link_mtu) +
                              " bytes too few are left for the tunnel",
                          "write at least " + std::to_string(*r.link_mtu - mtu + kTunMtuMin)});
    return;
  }
  r.config.device.mtu = mtu;
  auto& mssfix = r.config.mssfix;
  if (!mssfix.given && r.config.fragment.bytes == 0) {
    mssfix = {0, MssfixConfig::Meaning::kMtu, true};
  }
}

constexpr ReadingRow kRows[] = {
    {"dev", dev},
    {"fragment", fragment},
    {"ifconfig", ifconfig},
    {"ifconfig-ipv6", ifconfig_ipv6},
    {"ifconfig-noexec", ifconfig_noexec},
    {"ifconfig-nowarn", ifconfig_nowarn},
    {"link-mtu", link_mtu},
    {"mssfix", mssfix},
    {"persist-tun", persist_tun},
    {"route", route},
    {"route-delay", route_delay},
    {"route-gateway", route_gateway},
    {"route-ipv6", route_ipv6},
    {"route-ipv6-gateway", route_ipv6_gateway},
    {"route-metric", route_metric},
    {"route-noexec", route_noexec},
    {"topology", topology},
    {"tun-mtu", tun_mtu},
    {"txqueuelen", txqueuelen},
    {"udp-mtu", link_mtu},
};

}  // namespace

void check_ifconfig(Reading& r) {
  const auto& device = r.config.device;
  if (device.ifconfig_local.empty()) return;
  const auto second = base::IpAddress::parse(device.ifconfig_remote_or_mask);
  if (device.topology_subnet && !base::netmask_length(*second)) {
    r.problems.push_back({{},
                          "ifconfig: with `topology subnet` '" + device.ifconfig_remote_or_mask +
                              "' must be a netmask",
                          "write for example 255.255.255.0"});
  }
  // A server may push the topology by which it is right; Applier::finish_addresses() asks again.
  if (!device.topology_subnet && second->v4_value() >> 24 == 255 && !r.tls.pull.pull) {
    r.problems.push_back({{},
                          "ifconfig: '" + device.ifconfig_remote_or_mask +
                              "' is a netmask, but the peer's address belongs there",
                          "write the peer's address, or add `topology subnet`"});
  }
  if (device.ifconfig_local == device.ifconfig_remote_or_mask) {
    r.problems.push_back({{},
                          "ifconfig: both addresses are " + device.ifconfig_local,
                          "write this end's address first and the peer's second"});
  }
}

std::span<const ReadingRow> device_rows() { return kRows; }

void finish_device(Reading& r, const ovpn::Profile& profile) {
  auto& device = r.config.device;
  const bool null = ovpn::device_type(profile) == ovpn::DeviceType::kNull;
  if (null) device.kind = DeviceKind::kNull;
  if (device.name.empty() && r.problems.empty()) {
    r.problems.push_back({{}, "no `dev` line", "write for example `dev tun0`"});
  }
  // In TLS mode stock warns of a bad route and goes on, and there are providers' configs that live
  // by it.
  for (base::Problem& bad : r.bad_routes) {
    if (!r.tls_mode()) {
      r.problems.push_back(std::move(bad));
    } else {
      r.warning(bad.place, bad.message + ", so it is left out", bad.remedy);
    }
  }
  check_fragment(r, profile);
  finish_link_mtu(r, profile);
  r.config.mssfix = mssfix_for(r.config.mssfix, device.mtu, r.config.fragment.bytes);
  check_ifconfig(r);
}

// OpenVPN 2.6: without a number segments shall fit one fragment; and else, with another MTU than
// 1500, the tunnel's MTU alone.
MssfixConfig mssfix_for(const MssfixConfig& mssfix, int mtu, int fragment_bytes) {
  if (mssfix.given) return mssfix;
  if (fragment_bytes > 0) return {fragment_bytes, MssfixConfig::Meaning::kMtu, false};
  if (mtu == 1500) return mssfix;
  return {mtu, MssfixConfig::Meaning::kFixed, false};
}

}  // namespace config
