// SPDX-License-Identifier: Apache-2.0
// The command-line half of the lexer, and its way back to text.
#include <utility>

#include "ovpn/lexer.h"
#include "ovpn/line_words.h"

namespace ovpn {

LexResult lex_arguments(std::span<const std::string> arguments) {
  LexResult result;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument.size() >= 3 && argument.starts_with("--")) {
      result.profile.directives.push_back({argument.substr(2), {}, std::nullopt, {}});
    } else if (i == 0) {
      result.profile.directives.push_back({"config", {argument}, std::nullopt, {}});
    } else if (result.profile.directives.empty() || argument == "--") {
      result.problems.push_back(
          {{}, "'" + argument + "' is no option", "write --NAME and its arguments"});
    } else {
      result.profile.directives.back().args.push_back(argument);
    }
  }
  return result;
}

std::string format_directive(const Directive& directive) {
  if (directive.body) {
    std::string text = quote_word("<" + directive.name + ">") + "\n" + *directive.body;
    if (!text.ends_with('\n')) text.push_back('\n');
    return text + "</" + directive.name + ">\n";
  }
  // The lexer takes one leading "--" off, so a name that begins with it needs a second one.
  std::string text = quote_word((directive.name.starts_with("--") ? "--" : "") + directive.name);
  for (const std::string& argument : directive.args) text += " " + quote_word(argument);
  return text + "\n";
}

}  // namespace ovpn
