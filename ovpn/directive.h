// SPDX-License-Identifier: Apache-2.0
// A line of an OpenVPN config as a neutral node: words and a place, no meaning yet.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ovpn {

struct Directive {
  std::string name;               // without a leading "--"
  std::vector<std::string> args;  // unquoted, escapes undone
  std::optional<std::string>
      body;           // inline block's content with its newlines (LF), without the tags
  base::Place place;  // of the directive's first word; for a block, of its opening tag

  friend bool operator==(const Directive&, const Directive&) = default;
};

// A whole config, in the order written. `<connection>` blocks stay one Directive named "connection"
// whose body the lexer can read again.
struct Profile {
  std::vector<Directive> directives;

  // OpenVPN lets later scalars win and lets list-like ones accumulate; which is which is the
  // caller's knowledge. nullptr if there is none. Pointers live as long as the profile.
  const Directive* last(std::string_view name) const;
  std::vector<const Directive*> all(std::string_view name) const;
  bool has(std::string_view name) const { return last(name) != nullptr; }
  // args[index] of the last such directive, or nothing.
  std::optional<std::string> arg(std::string_view name, std::size_t index = 0) const;
};

}  // namespace ovpn
