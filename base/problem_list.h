// SPDX-License-Identifier: Apache-2.0
// How many problems are enough.
#pragma once

#include <cstddef>

#include "base/error.h"

namespace base {

// Whoever reads a stranger's bytes stops here: a file with more wrong lines than this is not of the
// kind asked for, and each problem costs time and memory.
inline constexpr std::size_t kProblemsMax = 1000;
// As many as a person reads in one go.
inline constexpr std::size_t kProblemsShown = 20;

// The first `most` of them, and "and N more" in place of the rest.
Problems shortened(Problems problems, std::size_t most = kProblemsShown);

}  // namespace base
