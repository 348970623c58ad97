// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/machine.h"
#include "supervisor/host/tree_reader.h"

namespace host {

// Interfaces with a device behind them, and the interrupts that bear the name of the interface, of
// its device, or of the USB bus it hangs on. Numbers are never relied on: they change with a boot.
std::vector<base::Nic> read_nics(const TreeReader& tree);

}  // namespace host
