// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/log.h"

namespace engine {

// `mute N`: of lines that follow each other and are of one kind, N are written; how many were left
// out is told before the next line of another kind. Two lines are of one kind if they have the same
// level and the same text up to the first digit. `lines_max` 0: every line is written. Any thread
// may use the sink if it may use `to`.
base::Log::Sink muted(base::Log::Sink to, int lines_max);

}  // namespace engine
