// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "supervisor/doctor/looks.h"

namespace doctor {
namespace {

constexpr int kSlowLineMbit = 100;

// Networks behind the far end that others than this machine may want to reach, or the other way
// round: it joins two networks.
bool joins_networks(const TunnelFacts& tunnel) {
  return tunnel.profile.has("route") || tunnel.profile.has("route-ipv6");
}

std::string sites_text(const Facts& facts, bool (*which)(const TunnelFacts&)) {
  std::string names;
  for (const TunnelFacts& tunnel : facts.tunnels) {
    if (!which(tunnel)) continue;
    names += (names.empty() ? "" : ", ") + tunnel.site;
  }
  return names;
}

void look_at_gates(const Facts& facts, const std::string& sites, Findings& findings) {
  if (!facts.network.firewall) return;
  for (const auto& gate : facts.network.firewall->gates) {
    if (gate.hook != "forward" || !gate.closed) continue;
    const auto& trusted = facts.network.firewall->interfaces;
    const bool all_named =
        std::all_of(facts.tunnels.begin(), facts.tunnels.end(), [&](const TunnelFacts& tunnel) {
          return !joins_networks(tunnel) ||
                 std::any_of(trusted.begin(), trusted.end(), [&](const std::string& name) {
                   return name == tunnel.interface ||
                          (name.ends_with('*') &&
                           tunnel.interface.starts_with(name.substr(0, name.size() - 1)));
                 });
        });
    if (all_named) continue;
    if (gate.opaque) {
      findings.push_back(unknown(
          "forward", "",
          "the firewall's " + gate.chain + " drops what no rule takes, and its rules are iptables'",
          "look for the tunnel's interface in `iptables -S FORWARD`"));
      continue;
    }
    findings.push_back(fault(
        "forward", "",
        "the firewall's " + gate.chain +
            " drops what is forwarded, and no rule names the interface "
            "of " +
            sites,
        fmt::format("`nft add rule {} iifname NAME accept` and the same with oifname, or a zone of "
                    "your firewall program",
                    gate.chain)));
  }
}

}  // namespace

void look_at_clock(const Facts& facts, Findings& findings) {
  if (!facts.network.clock_synchronized) return;
  if (*facts.network.clock_synchronized) {
    findings.push_back(good("clock", "", "the clock is synchronized"));
  } else {
    findings.push_back(note("clock", "", "the clock is not synchronized with a time server",
                            "`timedatectl set-ntp true`; certificates and replay protection go by "
                            "the clock"));
  }
}

void look_at_forwarding(const Facts& facts, Findings& findings) {
  const std::string sites = sites_text(facts, &joins_networks);
  if (sites.empty()) return;
  const bool ipv6 = std::any_of(facts.tunnels.begin(), facts.tunnels.end(), [](const auto& tunnel) {
    return tunnel.profile.has("route-ipv6");
  });
  struct Family {
    const char* name;
    std::optional<bool> on;
    const char* key;
    bool wanted;
  };
  const std::array families{
      Family{"IPv4", facts.network.forwards_ipv4, "net.ipv4.ip_forward", true},
      Family{"IPv6", facts.network.forwards_ipv6, "net.ipv6.conf.all.forwarding", ipv6}};
  for (const Family& family : families) {
    if (!family.on || !family.wanted) continue;
    if (*family.on) {
      findings.push_back(good("forwarding", "", std::string(family.name) + " is forwarded"));
      continue;
    }
    findings.push_back(fault(
        "forwarding", "",
        fmt::format("{} is not forwarded: what is behind this machine cannot use {}", family.name,
                    sites),
        fmt::format("`sysctl -w {}=1`, and that line in /etc/sysctl.d/tunctl.conf", family.key)));
  }
  look_at_gates(facts, sites, findings);
}

void look_at_cards(const Facts& facts, Findings& findings) {
  for (const host::InterfaceFacts& card : facts.network.interfaces) {
    if (!card.hardware || !card.up) continue;
    if (card.receive_offload == false) {
      findings.push_back(fault("card", "",
                               card.name + " hands over packets one by one (GRO is off)",
                               "`ethtool -K " + card.name + " gro on`"));
    }
    if (card.speed_mbit && *card.speed_mbit <= kSlowLineMbit) {
      findings.push_back(note("card", "",
                              fmt::format("the line of {} runs at {} Mbit/s: no tunnel is faster",
                                          card.name, *card.speed_mbit),
                              "look at cable and switch, if both ends could do more"));
    }
  }
}

}  // namespace doctor
