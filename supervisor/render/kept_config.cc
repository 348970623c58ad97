// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/kept_config.h"

#include <map>
#include <string_view>

#include "ovpn/lexer.h"

namespace render {
namespace {

// Configs of thousands of lines are edited as well, so no line looks through all edits.
std::map<std::size_t, const Edit*> edits_by_line(const std::vector<Edit>& edits) {
  std::map<std::size_t, const Edit*> by_line;
  for (const Edit& edit : edits) {
    if (!edit.from->body) by_line.emplace(edit.from->place.line, &edit);
  }
  return by_line;
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

std::string with_options(std::string bytes, const std::vector<std::string>& options) {
  if (options.empty()) return bytes;
  if (!bytes.empty() && bytes.back() != '\n') bytes += '\n';
  bytes += "# options of the site file:\n";
  for (const std::string& line : options) bytes += line + "\n";
  return bytes;
}

std::string apply_edits(const std::string& bytes, const std::vector<Edit>& edits,
                        const std::vector<ovpn::Directive>& added) {
  std::string text;
  std::string_view rest = bytes;
  const auto by_line = edits_by_line(edits);
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = take_line(rest);
    const auto found = by_line.find(number);
    if (found == by_line.end()) {
      text += line;
      continue;
    }
    const Edit* edit = found->second;
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
  std::map<const ovpn::Directive*, const Edit*> by_directive;
  for (const Edit& edit : edits) by_directive.emplace(edit.from, &edit);
  ovpn::Profile result;
  for (const ovpn::Directive& line : profile.directives) {
    const auto found = by_directive.find(&line);
    if (found == by_directive.end()) {
      result.directives.push_back(line);
    } else {
      const auto& to = found->second->to;
      result.directives.insert(result.directives.end(), to.begin(), to.end());
    }
  }
  result.directives.insert(result.directives.end(), added.begin(), added.end());
  return result;
}

}  // namespace render
