// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/table.h"

#include <algorithm>
#include <cstddef>

#include "base/printable.h"
#include "base/text.h"

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

std::string wrapped(const std::string& head, std::string_view text, std::size_t margin,
                    std::size_t columns) {
  const std::string clean = base::printable(text);
  std::string lines, line = base::printable(head);
  std::size_t begin = line.size();  // of the words in this line
  for (std::string_view word : base::split_words(clean)) {
    const bool blank = line.size() > begin;
    if (blank && line.size() + 1 + word.size() > columns) {
      lines += line + "\n";
      line = std::string(margin, ' ');
      begin = margin;
    } else if (blank) {
      line += " ";
    }
    while (line.size() + word.size() > columns) {  // a long list of CPUs has no blank
      const std::size_t fits = columns - line.size();
      lines += line + std::string(word.substr(0, fits)) + "\n";
      word.remove_prefix(fits);
      line = std::string(margin, ' ');
      begin = margin;
    }
    line += word;
  }
  return lines + line + "\n";
}

}  // namespace cli
