// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "base/unique_fd.h"

namespace engine {

// A file that tells --undo that what an engine leaves is taken over by the next one. It is there
// while that is so, and locked while an engine runs. Used by one thread.
class ComesBackMark {
 public:
  explicit ComesBackMark(std::string file) : file_(std::move(file)) {}  // empty: no mark

  // Why not, or nothing.
  std::string set();
  void clear();

 private:
  const std::string file_;
  base::UniqueFd held_;
};

enum class MarkState {
  kNone,
  kHeld,  // by an engine that runs
  kLeft,  // by one that does not any more
};
MarkState mark_state(const std::string& file);

}  // namespace engine
