// SPDX-License-Identifier: Apache-2.0
// Edits of a site file that leave every other byte as its author wrote it. Lines are counted from
// 1, as base::Place does. Whoever edits reads the result again: an unusual spelling must not become
// another site.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cli {

// The text with `value` behind the '=' of that line; nothing if what stands there does not end on
// the same line.
std::optional<std::string> with_value(const std::string& text, std::size_t line,
                                      std::string_view value);
// The text with `lines` (each with its line end) in place of that line; nothing as above.
std::optional<std::string> with_lines_for(const std::string& text, std::size_t line,
                                          std::string_view lines);
// The text with a line behind that one.
std::string with_line_behind(const std::string& text, std::size_t line, std::string_view added);

}  // namespace cli
