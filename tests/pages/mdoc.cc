// SPDX-License-Identifier: Apache-2.0
#include "tests/pages/mdoc.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/text.h"

namespace pages {
namespace {

bool is_macro(std::string_view line, std::string_view macro) {
  return line.size() > macro.size() + 1 && line[0] == '.' &&
         line.substr(1, macro.size()) == macro && line[macro.size() + 1] == ' ';
}

void add_words(std::string_view line, std::string_view macro, std::vector<std::string>& to) {
  for (const std::string_view word : base::split_words(line.substr(macro.size() + 2))) {
    if (word == "No" || word == "Ns") return;
    if (word != "," && word != "." && word != ";" && word != ":") to.emplace_back(word);
  }
}

std::string without_escapes(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line.substr(i, 2) == "\\e") {
      text += '\\';
      ++i;
    } else if (line.substr(i, 2) != "\\&") {
      text += line[i];
    } else {
      ++i;
    }
  }
  return text;
}

}  // namespace

Lines page(std::string_view name) {
  const auto text = base::read_file(std::string(TUNCTL_SOURCE_DIR) + "/man/" + std::string(name));
  if (!text) {
    ADD_FAILURE() << text.error().message;
    return {};
  }
  Lines lines;
  for (const std::string_view line : base::split(*text, '\n')) lines.emplace_back(line);
  return lines;
}

Lines section(const Lines& lines, std::string_view head) {
  Lines found;
  bool inside = false;
  const bool whole = is_macro(head, "Sh");
  for (const std::string& line : lines) {
    if (line == head) {
      inside = true;
    } else if (is_macro(line, "Sh") || (!whole && is_macro(line, "Ss"))) {
      inside = false;
    } else if (inside) {
      found.push_back(line);
    }
  }
  return found;
}

std::vector<std::string> words_of(const Lines& lines, std::string_view macro) {
  std::vector<std::string> words;
  for (const std::string& line : lines) {
    if (is_macro(line, macro)) add_words(line, macro, words);
  }
  return words;
}

Groups groups_of(const Lines& lines, std::string_view macro) {
  Groups groups;
  for (const std::string& line : lines) {
    if (is_macro(line, "It")) groups.push_back({line.substr(4), {}});
    if (!groups.empty() && is_macro(line, macro)) add_words(line, macro, groups.back().second);
  }
  return groups;
}

std::vector<std::string> displays(const Lines& lines) {
  std::vector<std::string> texts;
  bool inside = false;
  for (const std::string& line : lines) {
    if (is_macro(line, "Bd")) {
      inside = true;
      texts.emplace_back();
    } else if (line == ".Ed") {
      inside = false;
    } else if (inside) {
      texts.back() += without_escapes(line) + "\n";
    }
  }
  return texts;
}

}  // namespace pages
