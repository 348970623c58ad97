// SPDX-License-Identifier: Apache-2.0
#include "ovpn/line_words.h"

#include <utility>

#include "ovpn/lexer.h"

namespace ovpn {
namespace {

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

LineError bad_backslash(std::size_t column) {
  return {
      column, "a single backslash",
      "write \\\\ for one, or put the word in single quotes; a path of Windows leads nowhere here"};
}

class WordSplitter {
 public:
  explicit WordSplitter(std::string_view line) : line_(line) {}

  LineWords run() {
    while (skip_to_word()) {
      if (result_.column == 0) result_.column = at_ + 1;
      if (result_.words.size() == kWordsMax) {
        fail(at_ + 1, "more than " + std::to_string(kWordsMax) + " words on one line",
             "OpenVPN drops the rest without a word; write fewer");
        break;
      }
      std::string word;
      if (!take_word(word)) break;
      result_.words.push_back(std::move(word));
    }
    return std::move(result_);
  }

 private:
  bool fail(std::size_t column, std::string message, std::string remedy) {
    result_.error = LineError{column, std::move(message), std::move(remedy)};
    return false;
  }
  bool fail(LineError error) {
    result_.error = std::move(error);
    return false;
  }
  bool at_end() const { return at_ >= line_.size(); }

  bool skip_to_word();
  bool take_word(std::string& word);
  bool take_single_quoted(std::string& word);
  bool take_escaped(std::string& word, bool in_quotes);

  std::string_view line_;
  std::size_t at_ = 0;
  LineWords result_;
};

// False at the end or at a comment. An escaped blank or comment sign where a word could begin is
// what it is without the backslash: stock looks at the character alone there.
bool WordSplitter::skip_to_word() {
  while (!at_end()) {
    const bool escaped = line_[at_] == '\\' && at_ + 1 < line_.size();
    const char c = line_[at_ + (escaped ? 1 : 0)];
    if (c == '#' || c == ';') return false;
    if (!is_blank(c)) return true;
    at_ += escaped ? 2 : 1;
  }
  return false;
}

bool WordSplitter::take_word(std::string& word) {
  if (line_[at_] == '\'') return take_single_quoted(word);
  const bool quoted = line_[at_] == '"';
  const std::size_t start = at_;
  if (quoted) ++at_;
  while (!at_end()) {
    const char c = line_[at_];
    if (c == '\\') {
      if (!take_escaped(word, quoted)) return false;
      continue;
    }
    if (quoted ? c == '"' : is_blank(c)) {
      ++at_;
      return true;
    }
    word.push_back(c);
    ++at_;
  }
  if (!quoted) return true;
  return fail(start + 1, "no closing quote (\") for this word", "close it on the same line");
}

bool WordSplitter::take_single_quoted(std::string& word) {
  const auto closing = line_.find('\'', at_ + 1);
  if (closing == std::string_view::npos) {
    return fail(at_ + 1, "no closing quote (') for this word", "close it on the same line");
  }
  word = line_.substr(at_ + 1, closing - at_ - 1);
  at_ = closing + 1;
  return true;
}

bool WordSplitter::take_escaped(std::string& word, bool in_quotes) {
  if (at_ + 1 >= line_.size()) return fail(bad_backslash(at_ + 1));
  const char c = line_[at_ + 1];
  if (c == '\n' || c == '\r') {
    // Stock puts the newline itself into the word, which nobody has ever wanted.
    return fail(
        at_ + 1, "a backslash at the end of the line",
        in_quotes ? "close the quote on this line" : "OpenVPN cannot continue a line; remove it");
  }
  if (c != '\\' && c != '"' && !is_blank(c)) return fail(bad_backslash(at_ + 1));
  word.push_back(c);
  at_ += 2;
  return true;
}

bool needs_quotes(std::string_view word) {
  if (word.empty() || word[0] == '#' || word[0] == ';' || word[0] == '\'') return true;
  // At the beginning of a line these would be taken for a git conflict.
  for (const std::string_view marker : {"<<<<<<<", "=======", ">>>>>>>", "|||||||"}) {
    if (word.starts_with(marker)) return true;
  }
  for (const char c : word) {
    if (is_blank(c) || c == '"' || c == '\\') return true;
  }
  return false;
}

}  // namespace

LineWords split_config_line(std::string_view line) { return WordSplitter(line).run(); }

std::string quote_word(std::string_view word) {
  if (!needs_quotes(word)) return std::string(word);
  std::string text = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') text.push_back('\\');
    text.push_back(c);
  }
  return text + "\"";
}

}  // namespace ovpn
