// SPDX-License-Identifier: Apache-2.0
// What a tunnel wants of the kernel's addresses and routes, as values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ip.h"

namespace hostnet {

struct AddressPlan {
  base::Prefix local;                   // length 32 with a peer, the network's length without
  std::optional<base::IpAddress> peer;  // point-to-point: the other end

  friend bool operator==(const AddressPlan&, const AddressPlan&) = default;
};

struct RoutePlan {
  base::Prefix destination;  // host bits are cleared when it is set
  std::optional<base::IpAddress> gateway;
  std::string device;  // empty: where the gateway is reached
  std::optional<std::uint32_t> metric;
  base::Place place = {};    // of the line that asked for it
  bool unreachable = false;  // packets are refused with ICMP; neither gateway nor device

  friend bool operator==(const RoutePlan&, const RoutePlan&) = default;
};

// The kernel has at most one of both: they differ in where they lead, if at all.
inline bool same_place(const RoutePlan& a, const RoutePlan& b) {
  return a.destination.length == b.destination.length && a.metric == b.metric &&
         a.destination.contains(b.destination.address);
}

// How an address is reached: on a link, or through a router.
struct Hop {
  std::optional<base::IpAddress> via;
  std::string device;

  friend bool operator==(const Hop&, const Hop&) = default;
};

struct InterfacePlan {
  std::string device;
  int mtu = 1500;
  int txqueuelen = 0;    // 0: leave
  bool existed = false;  // the device outlives us, so everything set on it must be undone
  std::vector<AddressPlan> addresses;

  friend bool operator==(const InterfacePlan&, const InterfacePlan&) = default;
};

}  // namespace hostnet
