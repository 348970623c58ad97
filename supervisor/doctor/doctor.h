// SPDX-License-Identifier: Apache-2.0
// What is wrong with a machine and its tunnels, from facts that others read. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/machine.h"
#include "ovpn/directive.h"
#include "supervisor/host/network_facts.h"

namespace doctor {

enum class Verdict {
  kGood,
  kNote,     // costs something, or may be meant so
  kFault,    // wrong, or in the way
  kUnknown,  // it could not be looked at, and the evidence says why
};
std::string_view to_string(Verdict verdict);  // "good", "note", "fault", "unknown"

struct Finding {
  std::string check;  // "mtu", one word; tunctl(8) lists them
  std::string site;   // empty: of the whole machine
  Verdict verdict = Verdict::kGood;
  std::string evidence;  // what was seen, a clause
  std::string remedy;    // what to type or write; empty if nothing need be done

  friend bool operator==(const Finding&, const Finding&) = default;
};

// What is known of one tunnel. Of one that does not run, what its config says.
struct TunnelFacts {
  std::string site;
  bool running = false;
  std::string interface;
  ovpn::Profile profile;  // as its engine gets it
  std::vector<int> cpus;  // where its busiest thread may run; empty: not known
  // Of the native engine, connected: ovpn::StatusLine::offload; nothing, or empty: not known.
  std::optional<std::string> offload;
  bool far_end_is_ipv6 = false;
  std::optional<std::uint64_t> socket_drops;
  // To the far end, and what was in the way of measuring it otherwise.
  std::optional<host::PathMtu> path;
  std::string path_trouble;
  base::Problems warnings;  // of `check`: certificates' dates among them
};

// In a fixed order: the machine's first, then each tunnel's, as they are given. What concerns no
// tunnel here, such as forwarding on a machine without one that needs it, is left out.
std::vector<Finding> examine(const base::Machine& machine, const host::NetworkFacts& network,
                             const std::vector<TunnelFacts>& tunnels);

// Both ends of one tunnel, from their configs alone: everything in which they do not fit together.
// `here` and `there` are what the ends are called. Keys are compared where both texts hold them.
std::vector<Finding> compare_ends(std::string_view here, const ovpn::Profile& a,
                                  std::string_view there, const ovpn::Profile& b);

}  // namespace doctor
