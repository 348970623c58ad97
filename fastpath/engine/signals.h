// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/unique_fd.h"

namespace engine {

// SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2 and ovpn::leave_signal() as something to read. Make it
// before any thread: they inherit the mask. SIGPIPE is ignored.
class Signals {
 public:
  Signals();
  int fd() const { return fd_.get(); }
  std::optional<int> next();

 private:
  base::UniqueFd fd_;
};

std::string signal_name(int signal);  // "sigterm", as OpenVPN tells its scripts

}  // namespace engine
