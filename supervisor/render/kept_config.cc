// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/kept_config.h"

#include <algorithm>
#include <string_view>

#include "ovpn/lexer.h"

namespace render {
namespace {

const Edit* edit_of_line(const std::vector<Edit>& edits, std::size_t line) {
  const auto found = std::find_if(edits.begin(), edits.end(), [line](const Edit& edit) {
    return edit.from->place.line == line && !edit.from->body;
  });
  return found == edits.end() ? nullptr : &*found;
}

std::string_view take_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  const auto length = end == std::string_view::npos ? rest.size() : end + 1;
  const std::string_view line = rest.substr(0, length);
  rest.remove_prefix(length);
  return line;
}

std::string_view without_line_end(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::string apply_edits(const std::string& bytes, const std::vector<Edit>& edits,
                        const std::vector<ovpn::Directive>& added) {
  std::string text;
  std::string_view rest = bytes;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = take_line(rest);
    const Edit* edit = edit_of_line(edits, number);
    if (edit == nullptr) {
      text += line;
      continue;
    }
    text += edit->to.empty() ? "# tunctl leaves out: " : "# tunctl, in place of: ";
    text += std::string(without_line_end(line)) + "\n";
    for (const ovpn::Directive& directive : edit->to) text += ovpn::format_directive(directive);
  }
  if (added.empty()) return text;
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += "# tunctl adds:\n";
  for (const ovpn::Directive& directive : added) text += ovpn::format_directive(directive);
  return text;
}

ovpn::Profile apply_edits(const ovpn::Profile& profile, const std::vector<Edit>& edits,
                          const std::vector<ovpn::Directive>& added) {
  ovpn::Profile result;
  for (const ovpn::Directive& line : profile.directives) {
    const auto edit = std::find_if(edits.begin(), edits.end(),
                                   [&line](const Edit& e) { return e.from == &line; });
    if (edit == edits.end()) {
      result.directives.push_back(line);
    } else {
      result.directives.insert(result.directives.end(), edit->to.begin(), edit->to.end());
    }
  }
  result.directives.insert(result.directives.end(), added.begin(), added.end());
  return result;
}

}  // namespace render
