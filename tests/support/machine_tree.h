// SPDX-License-Identifier: Apache-2.0
// A machine in a few lines, laid out as the kernel shows it.
#pragma once

#include <string>
#include <string_view>

namespace support {

// Makes below `root` the parts of /sys and /proc that host::read_machine() reads:
//
//   model TEXT
//   cpu LIST [part=41:d03] [capacity=N] [khz=N] [smt=pairs | smt=+N] [cache=N] [node=N] [info]
//   nic NAME DEVICE-PATH [node=N] [down]
//   irq NUMBER WORDS @CPU:COUNT[,...] [on=LIST] [may=LIST]
//   queue NIC rx-0 MASK
//   file PATH TEXT
//
// `cache=4`: groups of four share the last one. `smt=+4`: CPU n has its second thread at n + 4.
// `info`: this kernel writes its kind of core once, at the end of cpuinfo. Blanks in WORDS are '_'.
void plant_machine(const std::string& root, std::string_view lines);

}  // namespace support
