// SPDX-License-Identifier: Apache-2.0
// Running one program and waiting for its end.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"

namespace hostnet {

using Environment = std::vector<std::pair<std::string, std::string>>;

// Called every 50 ms or oftener while a program runs, with how long it has been running: whoever
// waits may be waited for himself.
using WhileRunning = std::function<void(base::Duration)>;

struct ChildEnd {
  int spawn_errno = 0;  // it could not be started
  int status = 0;       // as of waitpid(2)

  bool good() const { return spawn_errno == 0 && status == 0; }
  std::string text() const;  // "ended with status 3", "was killed by signal 9"
};

// Runs `words` (a path, and its arguments) and waits without limit. Descriptors of ours are all
// close-on-exec; signals are set back to their defaults. Of two entries of one name in
// `environment` the later wins; a PATH is added where there is none. `input`: what stands on its
// standard input, instead of ours.
ChildEnd run_child(std::vector<std::string> words, const Environment& environment,
                   const WhileRunning& meanwhile,
                   const std::optional<std::string>& input = std::nullopt);

}  // namespace hostnet
