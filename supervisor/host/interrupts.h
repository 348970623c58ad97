// SPDX-License-Identifier: Apache-2.0
// The texts of /proc/interrupts and /proc/softirqs (proc(5)), whose columns are CPUs.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "base/machine.h"

namespace host {

// The numbered interrupts. Lines that are none, or that were cut off, are left out.
std::vector<base::Interrupt> parse_interrupts(std::string_view text);
// One row, without its zeros: {{0, 12}, {3, 4}} of "NET_RX".
std::map<int, std::uint64_t> parse_softirqs(std::string_view text, std::string_view row);

// Whether the words of an interrupt name that device: "eth0" is in "i40e-eth0-TxRx-0" and not in
// "eth01".
bool names_device(std::string_view words, std::string_view device);

}  // namespace host
