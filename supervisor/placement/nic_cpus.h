// SPDX-License-Identifier: Apache-2.0
// Which CPUs do the work of the network cards.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/machine.h"

namespace placement {

// CPU -> what it does for the network, in words: "eth0's interrupts". Cards that are up count, or
// all cards where none is.
std::map<int, std::string> nic_cpus(const base::Machine& machine);

// Where an interrupt arrives: as the kernel says, else where it has arrived since boot, else where
// alone it may. Empty: not known.
std::vector<int> delivered_to(const base::Interrupt& interrupt);

// Of memory, that the card is nearest to; -1: not known.
int nic_node(const base::Machine& machine);

}  // namespace placement
