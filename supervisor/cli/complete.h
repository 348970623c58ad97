// SPDX-License-Identifier: Apache-2.0
// What could come next on a command line, for the shells' completion. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace cli {

struct Suggestion {
  std::string word;  // ":files" and ":folders" ask the shell for its own
  std::string help;

  friend bool operator==(const Suggestion&, const Suggestion&) = default;
};

// `words` are those after "tunctl"; the last one, perhaps empty, is being typed.
std::vector<Suggestion> complete(std::span<const std::string> words,
                                 std::span<const std::string> site_names);

}  // namespace cli
