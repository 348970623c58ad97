// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace site {

struct TextPosition {
  std::size_t line = 1, column = 1;  // columns count characters
};

// The first character beyond ASCII that stands outside of TOML's strings and comments, where the
// grammar has no place for it: most often a typographic quote or a blank from a web page. (toml++
// 3.3 also runs into undefined behaviour over some of them.) A byte order mark in front is fine.
std::optional<TextPosition> find_foreign_character(std::string_view toml);

}  // namespace site
