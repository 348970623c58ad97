// SPDX-License-Identifier: Apache-2.0
// What becomes of the programs that a config has run, where its site is made by `import` or
// `adopt`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "ovpn/directive.h"

namespace cli {

struct ScriptVerdict {
  base::Problems problems;  // lines that cannot be left out, and are not allowed
  base::Problems warnings;
  std::vector<std::string> notes;
  bool off = false;                // lines are left out by run.scripts = "off"
  bool sets_name_servers = false;  // lines are left out because dns.use does what they do
};

// `allowed`: --allow-scripts. `off_words`: what is said of a line that is left out, such as "does
// not run". Pure.
ScriptVerdict judge_scripts(const ovpn::Profile& profile, bool allowed, std::string_view off_words);

// A line as it would stand in a config.
std::string line_text(const ovpn::Directive& line);

}  // namespace cli
