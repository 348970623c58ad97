// SPDX-License-Identifier: Apache-2.0
#include "base/problem_list.h"

namespace base {

Problems shortened(Problems problems, std::size_t most) {
  if (problems.size() <= most) return problems;
  // Whoever stopped looking at the limit does not know how many there are.
  const bool counted = problems.size() < kProblemsMax;
  const std::string rest = std::to_string(problems.size() - most);
  const std::string file = problems.front().place.file;
  problems.resize(most);
  problems.push_back({{file, 0, 0},
                      "and " + rest + (counted ? "" : " or more") + " other problems",
                      "is this the right file?"});
  return problems;
}

}  // namespace base
