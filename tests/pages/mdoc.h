// SPDX-License-Identifier: Apache-2.0
// A manual page as far as tests read it: lines of mdoc(7), by section.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pages {

using Lines = std::vector<std::string>;

// The lines of man/NAME; fails the test if the file cannot be read.
Lines page(std::string_view name);

// The lines behind a line ".Sh TITLE" or ".Ss TITLE", up to the next such line (with .Sh, up to the
// next .Sh). Empty if there is none.
Lines section(const Lines& lines, std::string_view head);

// The words of all lines that begin with ".MACRO ", without punctuation and what follows " No ".
std::vector<std::string> words_of(const Lines& lines, std::string_view macro);

// A tagged list: for each ".It HEAD" the words of `macro` lines up to the next one.
using Groups = std::vector<std::pair<std::string, std::vector<std::string>>>;
Groups groups_of(const Lines& lines, std::string_view macro);

// The texts between ".Bd -literal …" and ".Ed", with mdoc's escapes undone.
std::vector<std::string> displays(const Lines& lines);

}  // namespace pages
