// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/table.h"

#include <algorithm>
#include <cstddef>

namespace cli {
namespace {

std::size_t width(const std::string& cell) {
  std::size_t count = 0;
  bool escape = false;
  for (const char c : cell) {
    if (c == '\033') escape = true;
    const bool continues = (static_cast<unsigned char>(c) & 0xc0) == 0x80;  // UTF-8
    if (!escape && !continues) ++count;
    if (escape && c == 'm') escape = false;
  }
  return count;
}

}  // namespace

std::string format_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t at = 0; at < row.size(); ++at)
      widths[at] = std::max(widths[at], width(row[at]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t at = 0; at < row.size(); ++at) {
      line += row[at];
      if (at + 1 < row.size()) line += std::string(widths[at] - width(row[at]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace cli
