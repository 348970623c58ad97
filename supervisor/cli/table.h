// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace cli {

// Columns as wide as their widest cell, two blanks between, none at a line's end. A cell's width
// counts characters, not bytes; colour escapes count nothing.
std::string format_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace cli
