// SPDX-License-Identifier: Apache-2.0
// CPU lists as taskset(1) and systemd's CPUAffinity= write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace base {

inline constexpr int kCpusMax = 4096;

// "2-5", "0,3-", "0-7:2" -> ascending CPU numbers without doubles. An open end runs to
// `cpu_count - 1`. CPUs at or above `cpu_count` are kept: whether they exist is the caller's check.
// The Problem carries no place.
Result<std::vector<int>> parse_cpu_list(std::string_view text, int cpu_count);
std::string format_cpu_list(const std::vector<int>& cpus);  // "0,2-5"

// The kernel's masks, and taskset's: hexadecimal, the lowest CPU last, with commas anywhere:
// "3c", "0x3c", "00000000,0000003c". Nothing: it is none, or names CPUs from kCpusMax on.
std::optional<std::vector<int>> parse_cpu_mask(std::string_view text);

// The calling thread's (pid 0) or another process's affinity as the kernel holds it; empty on
// error.
std::vector<int> affinity_of(int pid);
// Binds thread or process `pid` (0: the calling thread). Empty on success, else what failed.
[[nodiscard]] std::string set_affinity(int pid, const std::vector<int>& cpus);
int configured_cpu_count();  // CPUs that may ever come online here

}  // namespace base
