// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/judge_scripts.h"

#include <utility>

#include "ovpn/directive_table.h"
#include "ovpn/lexer.h"
#include "supervisor/render/file_directives.h"
#include "supervisor/render/foreign_code.h"
#include "supervisor/render/host_scripts.h"

namespace cli {
namespace {

constexpr const char* kAllow = "--allow-scripts has it run, as the unit's user";

// These change how the tunnel is made, and judge nobody.
bool lets_nobody_in(const std::string& directive) {
  return directive == "iproute" || directive == "dns-updown";
}

}  // namespace

std::string line_text(const ovpn::Directive& line) {
  std::string text = ovpn::format_directive(line);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

ScriptVerdict judge_scripts(const ovpn::Profile& profile, bool allowed,
                            std::string_view off_words) {
  ScriptVerdict verdict;
  for (const ovpn::Directive& written : profile.directives) {
    const ovpn::Directive line = ovpn::unwrap_setenv_opt(written);
    const std::string words = line_text(line);
    if (render::sets_name_servers(line)) {
      verdict.sets_name_servers = true;
      verdict.notes.push_back(words + ": left out, name servers are tunctl's own business");
    } else if (render::changes_host(line) && allowed) {
      verdict.warnings.push_back({line.place, words + ": runs as the unit's user",
                                  "see that it needs no right of root's"});
    } else if (render::changes_host(line)) {
      verdict.off = true;
      verdict.warnings.push_back({line.place, words + ": " + std::string(off_words), kAllow});
    } else if (render::runs_program(line.name) && !render::foreign_code(line).empty() && !allowed) {
      verdict.problems.push_back(
          {line.place,
           words + (lets_nobody_in(line.name) ? ": left out the tunnel would be another one"
                                              : ": left out it would let in whom it keeps out"),
           kAllow});
    }
  }
  return verdict;
}

}  // namespace cli
