// SPDX-License-Identifier: Apache-2.0
#include "supervisor/doctor/doctor.h"

#include "supervisor/doctor/looks.h"

namespace doctor {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kGood:
      return "good";
    case Verdict::kNote:
      return "note";
    case Verdict::kFault:
      return "fault";
    case Verdict::kUnknown:
      return "unknown";
  }
  return "";
}

std::vector<Finding> examine(const base::Machine& machine, const host::NetworkFacts& network,
                             const std::vector<TunnelFacts>& tunnels) {
  const Facts facts{machine, network, tunnels};
  Findings findings;
  look_at_clock(facts, findings);
  look_at_clock_rates(facts, findings);
  look_at_softirqs(facts, findings);
  look_at_cards(facts, findings);
  look_at_forwarding(facts, findings);
  for (const TunnelFacts& tunnel : tunnels) {
    look_at_config(tunnel, findings);
    look_at_cores(facts, tunnel, findings);
    look_at_cipher(facts, tunnel, findings);
    look_at_interface(facts, tunnel, findings);
    look_at_routes(facts, tunnel, findings);
    look_at_port(facts, tunnel, findings);
    look_at_mtu(tunnel, findings);
    look_at_buffers(tunnel, findings);
    look_at_offloads(tunnel, findings);
  }
  return findings;
}

}  // namespace doctor
