// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "ovpn/frame_size.h"
#include "ovpn/remote_list.h"
#include "supervisor/doctor/looks.h"

namespace doctor {
namespace {

const host::InterfaceFacts* find_interface(const Facts& facts, const std::string& name) {
  const auto& all = facts.network.interfaces;
  const auto found =
      std::find_if(all.begin(), all.end(), [&name](const auto& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

bool listens(const ovpn::Profile& profile) {
  return ovpn::remote_list(profile).empty() && !profile.has("nobind");
}

// The largest outer packet that TCP inside makes; nothing: it is not limited.
std::optional<int> outer_bytes_max(const ovpn::Profile& profile, bool ipv6) {
  const int tun_mtu = base::parse_number<int>(profile.arg("tun-mtu").value_or("")).value_or(1500);
  ovpn::MssfixRule rule = ovpn::default_mssfix(tun_mtu);
  if (const auto bytes = base::parse_number<int>(profile.arg("mssfix").value_or(""))) {
    rule.bytes = *bytes;
    const auto meaning = ovpn::mssfix_meaning(profile.arg("mssfix", 1).value_or(""));
    if (meaning) rule.meaning = *meaning;
  }
  constexpr int kIpv4AndUdp = 28, kIpv6AndUdp = 48;
  if (rule.bytes == 0) return std::nullopt;
  if (rule.meaning == ovpn::MssfixRule::Meaning::kPayload) {
    return rule.bytes + (ipv6 ? kIpv6AndUdp : kIpv4AndUdp);
  }
  return rule.bytes;
}

bool holds(const std::vector<std::pair<std::uint16_t, std::uint16_t>>& ranges, std::uint16_t port) {
  return std::any_of(ranges.begin(), ranges.end(), [port](const auto& range) {
    return range.first <= port && port <= range.second;
  });
}

}  // namespace

void look_at_config(const TunnelFacts& tunnel, Findings& findings) {
  for (const base::Problem& warning : tunnel.warnings) {
    findings.push_back(fault("config", tunnel.site,
                             to_string(base::Problem{warning.place, warning.message, {}}),
                             warning.remedy));
  }
  if (tunnel.warnings.empty()) {
    findings.push_back(good("config", tunnel.site, "`tunctl check` finds nothing to say"));
  }
}

void look_at_interface(const Facts& facts, const TunnelFacts& tunnel, Findings& findings) {
  const host::InterfaceFacts* interface = find_interface(facts, tunnel.interface);
  if (interface == nullptr) return;
  if (!interface->manager.empty()) {
    const bool networkd = interface->manager == "systemd-networkd";
    findings.push_back(fault(
        "manager", tunnel.site,
        interface->manager + " takes " + interface->name +
            " for one of its own, and may "
            "take its addresses away",
        networkd ? "`Unmanaged=yes` for it in a file of /etc/systemd/network that comes before "
                   "the one that matches, then `networkctl reload`"
                 : "`nmcli device set " + interface->name +
                       " managed no`, and "
                       "`unmanaged-devices=interface-name:" +
                       interface->name + "` in /etc/NetworkManager/conf.d to make it last"));
  } else {
    findings.push_back(good("manager", tunnel.site, "nobody else sets up " + interface->name));
  }
  const auto drops = facts.network.rp_filter_drops.value_or(0);
  if (interface->rp_filter == 1 && drops > 0) {
    findings.push_back(note(
        "rp_filter", tunnel.site,
        fmt::format("{} packets were dropped since boot because no route leads back to where they "
                    "came from, and {} is strict about it (rp_filter 1)",
                    drops, interface->name),
        fmt::format("a `route` for the networks behind the far end, or `sysctl -w "
                    "net.ipv4.conf.{}.rp_filter=2`",
                    interface->name)));
  }
}

// The same network into two interfaces: one of them never gets a packet.
void look_at_routes(const Facts& facts, const TunnelFacts& tunnel, Findings& findings) {
  bool seen = false, doubled = false;
  for (const host::RouteFacts& ours : facts.network.routes) {
    if (ours.interface != tunnel.interface) continue;
    seen = true;
    for (const host::RouteFacts& other : facts.network.routes) {
      if (other.destination != ours.destination || other.interface == ours.interface) continue;
      if (other.metric > ours.metric) continue;
      doubled = true;
      const std::string which = other.metric < ours.metric ? ", which comes first" : "";
      findings.push_back(fault("routes", tunnel.site,
                               ours.destination.to_string() + " leads into " + ours.interface +
                                   " and into " + other.interface + which,
                               "another network at one of the far ends, or `pull-filter ignore "
                               "\"route ...\"` in one of the configs"));
    }
  }
  if (seen && !doubled) {
    findings.push_back(good("routes", tunnel.site, "none is in the way of another"));
  }
}

void look_at_port(const Facts& facts, const TunnelFacts& tunnel, Findings& findings) {
  if (!listens(tunnel.profile) || !facts.network.firewall) return;
  const auto port = base::parse_number<std::uint16_t>(ovpn::local_port(tunnel.profile));
  if (!port) return;
  const bool udp = ovpn::uses_udp(tunnel.profile);
  const host::Firewall& firewall = *facts.network.firewall;
  const char* protocol = udp ? "udp" : "tcp";
  if (holds(udp ? firewall.udp_ports : firewall.tcp_ports, *port)) {
    findings.push_back(
        good("port", tunnel.site,
             fmt::format("a rule of the firewall accepts {} port {}", protocol, *port)));
    return;
  }
  for (const auto& gate : firewall.gates) {
    if (gate.hook != "input" || (!gate.closed && !gate.opaque)) continue;
    const std::string evidence =
        fmt::format("the far end has to reach {} port {}", protocol, *port);
    if (gate.opaque) {
      findings.push_back(unknown("port", tunnel.site,
                                 evidence + ", and whether the firewall lets it in cannot be seen: "
                                            "its rules are iptables'",
                                 fmt::format("look for --dport {} in `iptables -S INPUT`", *port)));
    } else {
      findings.push_back(
          fault("port", tunnel.site,
                evidence + ", and the firewall's " + gate.chain +
                    " drops what no rule takes, and no rule names it",
                fmt::format("`nft insert rule {} {} dport {} accept`, or your firewall program's "
                            "way to say so",
                            gate.chain, protocol, *port)));
    }
    return;
  }
  findings.push_back(good("port", tunnel.site, "no firewall here is in the way of callers"));
}

void look_at_mtu(const TunnelFacts& tunnel, Findings& findings) {
  if (!tunnel.path) {
    if (!tunnel.path_trouble.empty()) {
      findings.push_back(unknown("mtu", tunnel.site, tunnel.path_trouble));
    }
    return;
  }
  const auto outer = outer_bytes_max(tunnel.profile, tunnel.far_end_is_ipv6);
  const int path = tunnel.path->bytes;
  const std::string size = fmt::format("packets of up to {} bytes reach the far end whole", path);
  if (!ovpn::uses_udp(tunnel.profile) || (outer && *outer <= path) ||
      tunnel.profile.has("fragment")) {
    findings.push_back(good("mtu", tunnel.site, size));
    return;
  }
  const std::string made =
      outer ? fmt::format("this tunnel makes packets of {}", *outer) : "mssfix is off";
  const std::string remedy = fmt::format("`mssfix {} mtu` at both ends, and restart", path);
  if (tunnel.path->silent) {
    findings.push_back(
        fault("mtu", tunnel.site,
              size + ", larger ones vanish without a word (a black hole), and " + made, remedy));
  } else {
    findings.push_back(note("mtu", tunnel.site,
                            size + ", and " + made + ", which are sent in two pieces", remedy));
  }
}

void look_at_buffers(const TunnelFacts& tunnel, Findings& findings) {
  if (!tunnel.socket_drops) return;
  if (*tunnel.socket_drops == 0) {
    findings.push_back(good("buffers", tunnel.site, "no datagram was lost for want of room"));
  } else {
    findings.push_back(
        note("buffers", tunnel.site,
             fmt::format("{} datagrams were dropped because the engine's socket was "
                         "full",
                         *tunnel.socket_drops),
             "a faster core (run.cpus), or `rcvbuf` larger than it is in the config"));
  }
}

void look_at_offloads(const TunnelFacts& tunnel, Findings& findings) {
  if (tunnel.offload.value_or("").empty()) return;
  std::vector<std::string_view> wanted{"tso", "uso"};
  if (ovpn::uses_udp(tunnel.profile)) wanted.insert(wanted.end(), {"gso", "gro"});
  std::string missing;
  for (const std::string_view name : wanted) {
    const auto there = base::split(*tunnel.offload, ',');
    if (std::find(there.begin(), there.end(), name) != there.end()) continue;
    missing.append(missing.empty() ? "" : ", ").append(name);
  }
  if (missing.empty()) {
    findings.push_back(
        good("offload", tunnel.site, "the kernel carries packets in trains both ways"));
  } else {
    findings.push_back(note("offload", tunnel.site,
                            "this kernel does not do " + missing + ": more work per packet",
                            "a newer kernel (6.2 has them all)"));
  }
}

}  // namespace doctor
