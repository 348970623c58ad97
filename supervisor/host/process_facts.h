// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace host {

struct ThreadFacts {
  int tid = 0;
  std::string name;       // /proc/PID/task/TID/comm
  std::vector<int> cpus;  // as the kernel holds the affinity now

  friend bool operator==(const ThreadFacts&, const ThreadFacts&) = default;
};

// What /proc says of a process. A process of another user hides its program from all but root.
struct ProcessFacts {
  bool exists = false;
  std::string program;           // /proc/PID/exe without " (deleted)"; empty: not allowed to see
  bool program_deleted = false;  // the file it runs from was replaced or removed
  std::vector<ThreadFacts> threads;
  std::vector<int> children;  // pids, direct ones

  friend bool operator==(const ProcessFacts&, const ProcessFacts&) = default;
};

ProcessFacts read_process(int pid);

// CPUs of /sys/devices/system/cpu/online; without it as many as are counted, from 0. Never empty.
std::vector<int> online_cpus();

}  // namespace host
