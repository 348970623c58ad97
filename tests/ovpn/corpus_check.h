// SPDX-License-Identifier: Apache-2.0
// What our lexer, table and contradiction rules say about one config text, as one verdict.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "ovpn/directive_table.h"
#include "ovpn/lexer.h"
#include "ovpn/native_support.h"
#include "ovpn/profile_file.h"

namespace ovpn {

struct Verdict {
  base::Problems problems;
  bool accepted() const { return problems.empty(); }
  std::string first() const { return problems.empty() ? "" : base::to_string(problems.front()); }
};

inline Verdict judge_config(std::string_view file, std::string_view bytes) {
  const LexResult lexed = lex_config(file, bytes);
  Verdict verdict{lexed.problems};
  const TableCheck check = check_directives(lexed.profile);
  verdict.problems.insert(verdict.problems.end(), check.problems.begin(), check.problems.end());
  const Profile effective = effective_profile(lexed.profile);
  const base::Problems errors = config_errors(effective);
  verdict.problems.insert(verdict.problems.end(), errors.begin(), errors.end());
  // Called for every text, so that whatever the corpus holds cannot crash it.
  static_cast<void>(native_gaps(effective));
  return verdict;
}

}  // namespace ovpn
