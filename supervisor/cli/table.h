// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

// Columns as wide as their widest cell, two blanks between, none at a line's end. A cell's width
// counts characters, not bytes; colour escapes count nothing.
std::string format_table(const std::vector<std::vector<std::string>>& rows);

// `head`, and words behind it, made printable; those that would not fit go on in the next lines,
// behind a margin. Ends with a newline.
std::string wrapped(const std::string& head, std::string_view text, std::size_t margin,
                    std::size_t columns = 80);

}  // namespace cli
