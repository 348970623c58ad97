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

// What this machine has to be named on a command line.
struct Names {
  std::vector<std::string> sites;
  std::vector<std::string> units;  // of stock OpenVPN, as `adopt` takes them
};

// `words` are those after "tunctl"; the last one, perhaps empty, is being typed.
std::vector<Suggestion> complete(std::span<const std::string> words, const Names& names);

}  // namespace cli
