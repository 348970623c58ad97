// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/site_text_edit.h"

#include <algorithm>
#include <utility>

namespace cli {
namespace {

struct Line {
  std::size_t begin, end;  // of the text; without the line end
};

Line find_line(const std::string& text, std::size_t number) {
  std::size_t begin = 0;
  for (std::size_t at = 1; at < number; ++at) begin = text.find('\n', begin) + 1;
  return {begin, std::min(text.find('\n', begin), text.size())};
}

// Where the value of a key begins and ends on its line, behind the '='; nothing if it does not end
// there.
std::optional<std::pair<std::size_t, std::size_t>> value_on(std::string_view line) {
  const auto equals = line.find('=');
  if (equals == line.npos) return std::nullopt;
  const auto begin = line.find_first_not_of(" \t", equals + 1);
  if (begin == line.npos) return std::nullopt;
  if (line.substr(begin).starts_with("\"\"\"") || line.substr(begin).starts_with("'''")) {
    return std::nullopt;
  }
  const char first = line[begin];
  if (first != '[' && first != '"' && first != '\'') {
    return std::pair(begin, std::min(line.find_first_of(" \t\r#", begin), line.size()));
  }
  const auto end = line.find(first == '[' ? ']' : first, begin + 1);
  if (end == line.npos) return std::nullopt;
  return std::pair(begin, end + 1);
}

}  // namespace

std::optional<std::string> with_value(const std::string& text, std::size_t line,
                                      std::string_view value) {
  const Line at = find_line(text, line);
  const std::string old = text.substr(at.begin, at.end - at.begin);
  const auto place = value_on(old);
  if (!place) return std::nullopt;
  return text.substr(0, at.begin + place->first) + std::string(value) +
         text.substr(at.begin + place->second);
}

std::optional<std::string> with_lines_for(const std::string& text, std::size_t line,
                                          std::string_view lines) {
  const Line at = find_line(text, line);
  if (!value_on(std::string_view(text).substr(at.begin, at.end - at.begin))) return std::nullopt;
  return text.substr(0, at.begin) + std::string(lines) +
         text.substr(std::min(at.end + 1, text.size()));
}

std::string with_line_behind(const std::string& text, std::size_t line, std::string_view added) {
  const Line at = find_line(text, line);
  return text.substr(0, at.end) + "\n" + std::string(added) + text.substr(at.end);
}

}  // namespace cli
