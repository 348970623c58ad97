// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace host {

// Reads single values out of sysfs and procfs, or out of a copy of them below a folder. Entries may
// be missing, unreadable, absurd or gone a moment later: whatever is no value of its kind reads as
// none, and nothing is looked at twice. Used by one thread.
class TreeReader {
 public:
  explicit TreeReader(std::string root) : root_(std::move(root)) {}

  // Paths begin with '/'. A file's text without white space at its ends; empty: none.
  std::string text(const std::string& path) const;
  // From `min` to `max`.
  std::optional<std::int64_t> number(const std::string& path, std::int64_t min,
                                     std::int64_t max) const;
  std::vector<int> cpus(const std::string& path) const;             // a list; empty: none
  std::vector<int> mask(const std::string& path) const;             // a hexadecimal one; likewise
  std::vector<std::string> names(const std::string& folder) const;  // sorted
  bool exists(const std::string& path) const;
  // Where a path really leads, below the root; empty: nowhere, or out of it.
  std::string real(const std::string& path) const;

 private:
  std::string root_;
};

}  // namespace host
