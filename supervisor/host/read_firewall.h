// SPDX-License-Identifier: Apache-2.0
// What packet filter rules say about ports and forwarding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "supervisor/host/network_facts.h"

namespace host {

// Asks `nft`, which needs root. Nothing: there is no such program, or it may not look. Rules of the
// older iptables-legacy are not among them; that there are some makes a gate that is opaque.
std::optional<Firewall> read_firewall();

// Pure: of `nft -j list ruleset` (libnftables-json(5)). Nothing: it is no such text. A gate is
// closed by its policy, or by a last rule that drops or rejects whatever comes. Which rules accept
// is taken from all chains: one that leads to another is not followed.
std::optional<Firewall> parse_ruleset(std::string_view json);

}  // namespace host
