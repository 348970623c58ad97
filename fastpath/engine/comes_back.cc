// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/comes_back.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"

namespace engine {

std::string ComesBackMark::set() {
  if (file_.empty() || held_) return {};
  held_.reset(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (held_ && ::flock(held_.get(), LOCK_EX | LOCK_NB) == 0) return {};
  std::string failure = base::errno_text("cannot mark " + file_, errno);
  held_.reset();
  return failure;
}

void ComesBackMark::clear() {
  if (!file_.empty()) ::unlink(file_.c_str());
  held_.reset();
}

MarkState mark_state(const std::string& file) {
  const base::UniqueFd mark(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!mark) return MarkState::kNone;
  return ::flock(mark.get(), LOCK_SH | LOCK_NB) == 0 ? MarkState::kLeft : MarkState::kHeld;
}

}  // namespace engine
