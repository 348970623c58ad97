// SPDX-License-Identifier: Apache-2.0
// Any bytes as a config: every reader of a profile, and the way back to text.
#include <algorithm>
#include <cstdint>

#include "base/bytes.h"
#include "ovpn/directive_table.h"
#include "ovpn/lexer.h"
#include "ovpn/native_support.h"
#include "ovpn/profile_file.h"
#include "ovpn/remote_list.h"
#include "ovpn/tunnel_kind.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

bool has_long_line(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto newline = std::min(text.find('\n', at), text.size() - 1);
    if (newline + 1 - at > ovpn::kLineBytesMax) return true;
    at = newline + 1;
  }
  return false;
}

void check_round_trip(const ovpn::Directive& directive) {
  // The first line keeps a lone name from being taken for the text of a symbolic link.
  const std::string text = "verb 1\n" + ovpn::format_directive(directive);
  if (has_long_line(text)) return;
  ovpn::LexResult again = ovpn::lex_config("", text);
  FUZZ_CHECK(again.profile.directives.size() == 2);
  again.profile.directives[1].place = directive.place;
  FUZZ_CHECK(again.profile.directives[1] == directive);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ovpn::LexResult lexed = ovpn::lex_config("fuzz.conf", base::as_text({data, size}));
  const ovpn::TableCheck check = ovpn::check_directives(lexed.profile);
  for (const auto* problems : {&lexed.problems, &check.problems, &check.warnings}) {
    for (const base::Problem& problem : *problems) {
      FUZZ_CHECK(problem.place.line > 0 && !problem.message.empty());
    }
  }
  const ovpn::Profile profile = ovpn::effective_profile(lexed.profile);
  FUZZ_CHECK(profile.directives.size() <= lexed.profile.directives.size());
  static_cast<void>(ovpn::native_gaps(profile));
  static_cast<void>(ovpn::config_errors(profile));
  static_cast<void>(ovpn::remote_list(profile));
  static_cast<void>(ovpn::key_direction(profile));
  for (const ovpn::Directive& directive : lexed.profile.directives) check_round_trip(directive);
  return 0;
}
