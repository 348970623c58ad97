// SPDX-License-Identifier: Apache-2.0
#include "supervisor/site/plain_text.h"

namespace site {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

class Scanner {
 public:
  explicit Scanner(std::string_view toml) : rest_(toml) {
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  }

  std::optional<TextPosition> find() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (is_foreign(c)) return at_;
      if (c == '#') {
        skip_comment();
      } else if (c == '"' || c == '\'') {
        skip_string(c);
      } else {
        step();
      }
    }
    return std::nullopt;
  }

 private:
  static bool is_foreign(char c) { return static_cast<unsigned char>(c) >= 0x80; }

  void step() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    const bool continues = (static_cast<unsigned char>(c) & 0xc0) == 0x80;  // UTF-8
    if (c == '\n') {
      at_ = {at_.line + 1, 1};
    } else if (!continues) {
      ++at_.column;
    }
  }

  void step(std::size_t count) {
    for (; count > 0 && !rest_.empty(); --count) step();
  }

  void skip_comment() {
    while (!rest_.empty() && rest_.front() != '\n') step();
  }

  // "…", '…' end with their line at the latest; """…""" and '''…''' may run over many.
  void skip_string(char quote) {
    const std::string_view triple = quote == '"' ? "\"\"\"" : "'''";
    const bool many_lines = rest_.starts_with(triple);
    const std::string_view end = triple.substr(0, many_lines ? 3 : 1);
    step(end.size());
    while (!rest_.empty() && !rest_.starts_with(end)) {
      if (!many_lines && rest_.front() == '\n') return;
      step(quote == '"' && rest_.front() == '\\' ? 2 : 1);
    }
    step(end.size());
  }

  std::string_view rest_;
  TextPosition at_;
};

}  // namespace

std::optional<TextPosition> find_foreign_character(std::string_view toml) {
  return Scanner(toml).find();
}

}  // namespace site
