// SPDX-License-Identifier: Apache-2.0
// What `tunctl topology` shows: a machine's cores, what runs where, and how fast they do ciphers.
#pragma once

#include <string>
#include <vector>

#include "base/machine.h"
#include "supervisor/pki/cipher_speed.h"
#include "supervisor/placement/core_classes.h"
#include "supervisor/placement/placement.h"

namespace cli {

struct Topology {
  base::Machine machine;
  placement::CoreClasses kinds;
  std::vector<placement::Neighbour> tunnels;  // whose engines are bound to CPUs
  std::vector<pki::CipherSpeed> speeds;
  placement::CpuChoice choice;  // of one more tunnel with cpus = "auto"
};

// At most 80 columns wide, whatever machine it is.
std::string topology_text(const Topology& topology);
// {"schema": "tunctl.topology/1", ...}; what is not known is left out.
std::string topology_json(const Topology& topology);

// The cores of one class as boxes, a row of them at a time. Pure, like the two above.
std::string core_picture(const Topology& topology, const placement::CoreClass& kind);

}  // namespace cli
