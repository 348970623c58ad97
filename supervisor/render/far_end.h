// SPDX-License-Identifier: Apache-2.0
// The other machine's config, derived from this one's.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "ovpn/directive.h"
#include "supervisor/site/site.h"

namespace render {

struct FarEndResult {
  ovpn::Profile profile;
  std::vector<std::string> notes;  // directives that are this machine's own business
};

// What the far end of a described TLS site is called and whom it trusts; empty for every other
// tunnel.
struct FarIdentity {
  std::string name;                // its files are NAME.crt and NAME.key
  std::string peer_fingerprint{};  // this end's, in mode fingerprint
  bool same_authority = false;     // mode pki: the same ca signs both ends

  bool known() const { return same_authority || !peer_fingerprint.empty(); }
};

// Swaps what has two sides (ifconfig, ports, key direction, roles of TCP and TLS), keeps what both
// ends must share and leaves out the rest by name. `remote`: how the far end reaches this machine;
// empty: it waits to be called. Problems: a TLS config without a FarIdentity (its far end has keys
// of its own), or two ends that would both wait.
base::Result<FarEndResult, base::Problems> far_end_of(const ovpn::Profile& near,
                                                      const site::FarEnd& wishes,
                                                      const std::vector<std::string>& remote,
                                                      const FarIdentity& identity = {});

}  // namespace render
