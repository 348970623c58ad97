// SPDX-License-Identifier: Apache-2.0
// Private to this room: the looks that examine() takes, each at facts of one kind.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "supervisor/doctor/doctor.h"

namespace doctor {

using Findings = std::vector<Finding>;

struct Facts {
  const base::Machine& machine;
  const host::NetworkFacts& network;
  const std::vector<TunnelFacts>& tunnels;
};

inline Finding good(std::string check, std::string site, std::string evidence) {
  return {std::move(check), std::move(site), Verdict::kGood, std::move(evidence), {}};
}
inline Finding note(std::string check, std::string site, std::string evidence, std::string remedy) {
  return {std::move(check), std::move(site), Verdict::kNote, std::move(evidence),
          std::move(remedy)};
}
inline Finding fault(std::string check, std::string site, std::string evidence,
                     std::string remedy) {
  return {std::move(check), std::move(site), Verdict::kFault, std::move(evidence),
          std::move(remedy)};
}
inline Finding unknown(std::string check, std::string site, std::string evidence,
                       std::string remedy = {}) {
  return {std::move(check), std::move(site), Verdict::kUnknown, std::move(evidence),
          std::move(remedy)};
}

// look_at_cpus.cc
void look_at_clock_rates(const Facts& facts, Findings& findings);
void look_at_softirqs(const Facts& facts, Findings& findings);
void look_at_cores(const Facts& facts, const TunnelFacts& tunnel, Findings& findings);
void look_at_cipher(const Facts& facts, const TunnelFacts& tunnel, Findings& findings);

// look_at_machine.cc
void look_at_clock(const Facts& facts, Findings& findings);
void look_at_forwarding(const Facts& facts, Findings& findings);
void look_at_cards(const Facts& facts, Findings& findings);

// look_at_tunnel.cc
void look_at_config(const TunnelFacts& tunnel, Findings& findings);
void look_at_interface(const Facts& facts, const TunnelFacts& tunnel, Findings& findings);
void look_at_routes(const Facts& facts, const TunnelFacts& tunnel, Findings& findings);
void look_at_port(const Facts& facts, const TunnelFacts& tunnel, Findings& findings);
void look_at_mtu(const TunnelFacts& tunnel, Findings& findings);
void look_at_buffers(const TunnelFacts& tunnel, Findings& findings);
void look_at_offloads(const TunnelFacts& tunnel, Findings& findings);

}  // namespace doctor
