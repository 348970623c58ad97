// SPDX-License-Identifier: Apache-2.0
#include "ovpn/lexer.h"

#include <optional>
#include <utility>

#include "base/problem_list.h"
#include "base/text.h"
#include "ovpn/line_words.h"
#include "ovpn/static_key.h"

namespace ovpn {
namespace {

constexpr std::size_t kKeyTextBytesMax = 1024;
constexpr std::string_view kUtf8Bom = "\xef\xbb\xbf";

// Stock reads lines with their newline; so do we, because the newline counts for the length.
class LineSource {
 public:
  explicit LineSource(std::string_view bytes) : rest_(bytes) {}

  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    const auto newline = rest_.find('\n');
    const auto length = newline == std::string_view::npos ? rest_.size() : newline + 1;
    const std::string_view line = rest_.substr(0, length);
    rest_.remove_prefix(length);
    ++number_;
    return line;
  }
  std::size_t number() const { return number_; }  // of the line returned last, from 1

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

// By its mark, or by the NUL beside the first letter where that is left out.
bool is_utf16(std::string_view bytes) {
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) return true;
  return bytes.size() >= 4 && (bytes[0] == '\0') != (bytes[1] == '\0') &&
         (bytes[2] == '\0') == (bytes[0] == '\0') && (bytes[3] == '\0') == (bytes[1] == '\0');
}

bool is_conflict_marker(std::string_view line) {
  return line.starts_with("<<<<<<<") || line.starts_with(">>>>>>>") ||
         line.starts_with("|||||||") || base::trim(line) == "=======";
}

// What a provider's download gives instead of the config when a login has run out.
bool is_web_page(std::string_view bytes) {
  const std::string begin = base::to_lower(base::trim(bytes).substr(0, 9));
  return begin.starts_with("<!doctype") || begin.starts_with("<html");
}

// A lone CR is white space to OpenVPN, so an old-Macintosh file is one long line to it.
bool has_bare_cr(std::string_view line) {
  const auto at = line.find('\r');
  return at != std::string_view::npos && at + 1 < line.size() && line[at + 1] != '\n';
}

class ConfigLexer {
 public:
  ConfigLexer(std::string_view file, std::string_view bytes) : file_(file), lines_(bytes) {}

  LexResult run() {
    while (const auto line = lines_.next()) {
      if (result_.problems.size() >= base::kProblemsMax) break;
      take_line(*line);
    }
    refuse_lone_file_name();
    return std::move(result_);
  }

 private:
  void take_line(std::string_view line);
  void take_block(Directive directive);
  bool refuse_by_line(std::string_view line);
  void refuse_lone_file_name();
  void complain(std::size_t column, std::string message, std::string remedy) {
    result_.problems.push_back(
        {{file_, lines_.number(), column}, std::move(message), std::move(remedy)});
  }

  std::string file_;
  LineSource lines_;
  LexResult result_;
};

// True if the line cannot be read at all; the problem is noted.
bool ConfigLexer::refuse_by_line(std::string_view line) {
  if (is_conflict_marker(line)) {
    complain(1, "this is a git conflict marker, not a directive",
             "settle the conflict and remove the marker lines");
    return true;
  }
  if (line.size() > kLineBytesMax) {
    const std::string size = std::to_string(line.size());
    const std::string limit = std::to_string(kLineBytesMax - 1);
    complain(1, "the line is " + size + " bytes long",
             has_bare_cr(line) ? "its line ends are bare CR (old Macintosh); convert them to LF"
                               : "OpenVPN reads " + limit + " characters and a newline at most");
    return true;
  }
  return false;
}

void ConfigLexer::take_line(std::string_view line) {
  if (refuse_by_line(line)) return;
  LineWords words = split_config_line(line);
  if (words.error) {
    complain(words.error->column, words.error->message, words.error->remedy);
    return;
  }
  if (words.words.empty()) return;
  Directive directive;
  directive.place = {file_, lines_.number(), words.column};
  directive.name = std::move(words.words.front());
  directive.args.assign(std::make_move_iterator(words.words.begin() + 1),
                        std::make_move_iterator(words.words.end()));
  if (directive.name.size() >= 3 && directive.name.starts_with("--")) directive.name.erase(0, 2);
  if (directive.args.empty() && directive.name.starts_with('<') && directive.name.ends_with('>')) {
    take_block(std::move(directive));
  } else {
    result_.profile.directives.push_back(std::move(directive));
  }
}

// Inside a block no word is split and no line is too long; only the closing tag ends it.
void ConfigLexer::take_block(Directive directive) {
  directive.name =
      directive.name.substr(1, directive.name.size() < 2 ? 0 : directive.name.size() - 2);
  if (directive.name.starts_with('/')) {
    complain(directive.place.column, "closing tag <" + directive.name + "> without an opening one",
             "remove it, or write <" + directive.name.substr(1) + "> before the block");
    return;
  }
  const std::string closing = "</" + directive.name + ">";
  std::string body;
  // A key's text does not outgrow this, so that no part of it stays behind in memory given back.
  body.reserve(kKeyTextBytesMax);
  while (const auto line = lines_.next()) {
    if (base::trim(*line).starts_with(closing)) {
      directive.body = std::move(body);
      result_.profile.directives.push_back(std::move(directive));
      return;
    }
    if (is_conflict_marker(*line) && result_.problems.size() < base::kProblemsMax) {
      complain(1, "git conflict marker inside <" + directive.name + ">",
               "settle the conflict and remove the marker lines");
    }
    std::string_view text = *line;
    if (text.ends_with('\n')) text.remove_suffix(1);
    while (text.ends_with('\r')) text.remove_suffix(1);
    body.append(text).push_back('\n');
  }
  result_.problems.push_back({directive.place, "the block <" + directive.name + "> is never closed",
                              "write " + closing + " on a line of its own after it"});
}

// A symbolic link checked out on a system without them is a text that holds only a path.
void ConfigLexer::refuse_lone_file_name() {
  if (!result_.problems.empty() || result_.profile.directives.size() != 1) return;
  const Directive& only = result_.profile.directives.front();
  if (!only.args.empty() || only.body || looks_like_key(only.name)) return;
  const bool looks_like_path = only.name.find('/') != std::string::npos ||
                               only.name.ends_with(".ovpn") || only.name.ends_with(".conf");
  if (!looks_like_path) return;
  result_.problems.push_back(
      {only.place, "the text is only the name of another file, '" + only.name + "'",
       "give that file itself (a symbolic link was probably copied as text)"});
}

std::size_t line_of_offset(std::string_view bytes, std::size_t offset) {
  std::size_t line = 1;
  for (const char c : bytes.substr(0, offset)) line += c == '\n' ? 1 : 0;
  return line;
}

}  // namespace

LexResult lex_config(std::string_view file, std::string_view bytes) {
  LexResult refused;
  if (is_utf16(bytes)) {
    refused.problems.push_back({{std::string(file), 1, 1},
                                "the text is UTF-16, not UTF-8",
                                "save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"});
    return refused;
  }
  if (const auto nul = bytes.find('\0'); nul != std::string_view::npos) {
    refused.problems.push_back({{std::string(file), line_of_offset(bytes, nul), 0},
                                "the text holds a NUL byte",
                                "give a plain text file in UTF-8"});
    return refused;
  }
  if (bytes.starts_with(kUtf8Bom)) bytes.remove_prefix(kUtf8Bom.size());
  if (is_web_page(bytes)) {
    refused.problems.push_back({{std::string(file), 1, 1},
                                "the text is a web page (HTML)",
                                "fetch the config again; the page may say what was wrong"});
    return refused;
  }
  return ConfigLexer(file, bytes).run();
}

LexResult lex_block(const Directive& block) {
  LexResult result = lex_config(block.place.file, block.body.value_or(""));
  // The body begins on the line after the opening tag.
  for (Directive& directive : result.profile.directives) directive.place.line += block.place.line;
  for (base::Problem& problem : result.problems) problem.place.line += block.place.line;
  return result;
}

}  // namespace ovpn
