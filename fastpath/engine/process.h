// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/log.h"
#include "fastpath/config/tunnel_config.h"

namespace engine {

std::string working_directory();  // "/" if it cannot be told

// Into the background, as `daemon` asks: before any thread, after the config was read.
void become_daemon(const config::ProcessConfig& process);
// nice, mlock. What the kernel refuses is a warning.
void set_priorities(const config::ProcessConfig& process, const base::Log& log);

// From debuggers of the same user, and from cores.
void hide_memory();

// The file of `writepid`; gone again with this object if it was made, not if it was written
// through to a device, a pipe or a link's target. Throws base::FatalError.
class PidFile {
 public:
  explicit PidFile(const std::string& file);
  ~PidFile();
  PidFile(const PidFile&) = delete;
  PidFile& operator=(const PidFile&) = delete;

 private:
  std::string file_;
};

}  // namespace engine
