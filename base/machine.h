// SPDX-License-Identifier: Apache-2.0
// A machine's CPUs, and which of them its network cards keep busy, as values. What the kernel does
// not say is empty: nothing here is a guess.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace base {

struct Cpu {
  int number = 0;
  std::optional<int> capacity;          // 1 to 1024, the fastest of the machine having 1024
  std::optional<std::int64_t> max_khz;  // as the hardware can, not as it is limited
  std::optional<std::int64_t> now_khz;
  std::string governor;
  std::string part;           // "41:d09", ARM's implementer and part; "core", "atom" of Intel's
  std::vector<int> siblings;  // threads of the same core, itself among them
  std::vector<int> cache;     // who shares its last cache, itself among them
  int node = -1;              // of memory; -1: not known
  std::string rate_driver = {};  // "intel_pstate"; of some, governors mean other things

  friend bool operator==(const Cpu&, const Cpu&) = default;
};

struct Interrupt {
  int number = 0;                       // differs from boot to boot
  std::string words;                    // chip and users, as /proc/interrupts has them
  std::map<int, std::uint64_t> counts;  // by CPU, since boot; without those that are 0
  std::vector<int> allowed;             // where it may be delivered
  std::vector<int> effective;           // where it is; older kernels do not say

  friend bool operator==(const Interrupt&, const Interrupt&) = default;
};

struct NicQueue {
  std::string name;       // "rx-0", "tx-0"
  std::vector<int> cpus;  // RPS of rx, XPS of tx; empty: not set

  friend bool operator==(const NicQueue&, const NicQueue&) = default;
};

// A network interface with hardware, or a hypervisor's, behind it.
struct Nic {
  std::string name;
  bool up = false;
  int node = -1;  // of memory; -1: not known
  std::vector<Interrupt> interrupts;
  std::vector<NicQueue> queues;

  friend bool operator==(const Nic&, const Nic&) = default;
};

struct Machine {
  std::string model;          // "Hardkernel ODROID-N2", "Intel(R) Xeon(R) Processor"
  std::vector<Cpu> cpus;      // online, ascending
  std::vector<int> offline;   // present but not online
  std::vector<int> isolated;  // isolcpus=
  std::vector<int> allowed;   // the cpuset of this process; empty: no limit is known
  std::vector<Nic> nics;
  std::vector<std::string> features;               // instructions that ciphers use: "aes", "vaes"
  std::vector<std::string> throttled;              // what holds CPUs back now, or has done so
  std::map<int, std::uint64_t> net_rx;             // NET_RX softirqs by CPU, since boot
  std::map<int, std::uint64_t> net_rx_per_second;  // over an interval; empty: not measured

  friend bool operator==(const Machine&, const Machine&) = default;
};

}  // namespace base
