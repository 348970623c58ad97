// SPDX-License-Identifier: Apache-2.0
// One row for every directive of OpenVPN 2.4 to 2.7: what it takes and what the fast path does with
// it.
#pragma once

#include <span>
#include <string_view>

#include "ovpn/directive.h"

namespace ovpn {

enum class NativeUse {
  kHonoured,  // the fast path does what it says
  kTls,       // the same, in TLS mode; else, and until the engine runs TLS, it stops as kRefused
  kHarmless,  // leaving it out changes neither meaning nor safety
  kRefused,   // the fast path names it and stops; the supervisor runs stock OpenVPN instead
  kRemoved,   // no OpenVPN of today takes it; the note says what to write instead
};

struct DirectiveRow {
  std::string_view name;
  int args_min;  // without an inline body, which counts as one argument
  int args_max;
  NativeUse native;
  bool inline_allowed;    // may be written as <name>…</name>
  std::string_view note;  // for kTls, kRefused, kRemoved: the reason or the remedy, a short clause
  // The stock releases for Linux that take it: 2.SINCE to 2.UNTIL, seen from 2.4 to 2.7. Both 0:
  // none does (directives of Windows, of patched builds, and those gone before 2.4).
  int stock_since = 4;
  int stock_until = 7;

  bool stock_takes(int minor) const { return stock_since <= minor && minor <= stock_until; }
};

std::span<const DirectiveRow> directive_table();  // sorted by name
const DirectiveRow* find_row(std::string_view name);

// `setenv opt NAME args…` is NAME args…; anything else is returned as it is.
Directive unwrap_setenv_opt(const Directive& directive);

// Unknown and removed names, wrong argument counts and forbidden inline blocks, as one Problem each
// with a nearest-name hint; honours `setenv opt`, `ignore-unknown-option` and `setenv
// FORWARD_COMPATIBLE 1` (what those cover comes back in `warnings`), and looks into `<connection>`.
struct TableCheck {
  base::Problems problems;
  base::Problems warnings;
};
TableCheck check_directives(const Profile& profile);

}  // namespace ovpn
