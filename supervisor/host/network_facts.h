// SPDX-License-Identifier: Apache-2.0
// What a machine does with packets besides routing them to a tunnel, as values. What the kernel
// does not say is empty: nothing here is a guess.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ip.h"

namespace host {

struct InterfaceFacts {
  std::string name;
  bool hardware = false;  // a card, or a hypervisor's
  bool up = false;
  std::optional<int> mtu;               // bytes
  std::optional<int> speed_mbit;        // of the line; a card without a cable says none
  std::optional<int> rp_filter;         // 0 off, 1 strict, 2 loose: the higher of its own and `all`
  std::optional<bool> receive_offload;  // GRO
  // Who takes this interface for one of his to set up: "systemd-networkd", "NetworkManager". Empty:
  // nobody that is known.
  std::string manager;

  friend bool operator==(const InterfaceFacts&, const InterfaceFacts&) = default;
};

struct RouteFacts {
  base::Prefix destination;
  std::string interface;
  std::uint32_t metric = 0;

  friend bool operator==(const RouteFacts&, const RouteFacts&) = default;
};

// Packet filter rules, as far as they say something about ports and forwarding.
struct Firewall {
  struct Gate {
    std::string chain;    // "inet filter input"
    std::string hook;     // "input", "forward"
    bool closed = false;  // what no rule takes is dropped
    bool opaque =
        false;  // it has rules, or leads to some, that cannot be read here (iptables' own)

    friend bool operator==(const Gate&, const Gate&) = default;
  };
  std::vector<Gate> gates;
  // Of rules that accept: ports of what comes in, from and to, and interfaces ("wg*" as written).
  std::vector<std::pair<std::uint16_t, std::uint16_t>> udp_ports, tcp_ports;
  std::vector<std::string> interfaces;

  friend bool operator==(const Firewall&, const Firewall&) = default;
};

struct NetworkFacts {
  std::vector<InterfaceFacts> interfaces;
  std::vector<RouteFacts> routes;  // of the main tables, IPv4 and IPv6
  std::optional<bool> forwards_ipv4, forwards_ipv6;
  std::optional<std::uint64_t> rp_filter_drops;  // since boot
  std::map<int, double> softirq_share;           // CPU -> of its time over an interval, 0 to 1
  std::optional<Firewall> firewall;              // nothing: it cannot be read
  std::optional<bool> clock_synchronized;

  friend bool operator==(const NetworkFacts&, const NetworkFacts&) = default;
};

// The largest packet that gets to an address unfragmented.
struct PathMtu {
  int bytes = 0;  // of the IP packet
  // Larger ones disappeared without a word: whoever sends them never learns why (RFC 2923).
  bool silent = false;

  friend bool operator==(const PathMtu&, const PathMtu&) = default;
};

}  // namespace host
