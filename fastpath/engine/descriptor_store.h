// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/unique_fd.h"

namespace engine {

// Descriptors that the service manager keeps for the next run (sd_pid_notify_with_fds(3),
// FDSTORE=1), and those that it kept from the last (sd_listen_fds(3)). A manager that keeps none
// takes no notice. Used by the main thread.
class DescriptorStore {
 public:
  DescriptorStore();  // takes what LISTEN_FDS tells of

  bool has(const std::string& name) const { return given_.contains(name); }
  // Of the last run; it stays in the store. Nothing, the second time.
  base::UniqueFd take(const std::string& name);
  void keep(const std::string& name, int fd);  // in place of what has that name
  // Returns when the manager has closed its own: only then a device or a port is free again.
  void forget(const std::string& name);
  // The same without waiting.
  void forget_all();

 private:
  std::map<std::string, base::UniqueFd> given_;
  std::set<std::string> kept_;
};

}  // namespace engine
