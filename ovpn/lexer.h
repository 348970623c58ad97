// SPDX-License-Identifier: Apache-2.0
// OpenVPN's config grammar: words, quotes, escapes, comments, inline blocks, CRLF, BOM.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ovpn/directive.h"

namespace ovpn {

inline constexpr std::size_t kLineBytesMax =
    255;  // with its newline; longer ones are refused as stock does
inline constexpr std::size_t kWordsMax = 16;  // per line
inline constexpr std::size_t kIncludeDepthMax = 10;

struct LexResult {
  Profile profile;          // what could be read, also when there are problems
  base::Problems problems;  // all of them, in order of lines
};

// Pure: reads bytes, not files. `config FILE` lines are returned as directives; who may read files
// expands them. `file` is used in places only.
LexResult lex_config(std::string_view file, std::string_view bytes);

// The directives inside a `<connection>` block, with their places in the file that holds it.
LexResult lex_block(const Directive& block);

// `--name arg arg --name …` as on OpenVPN's command line; a first argument without "--" is a config
// file's name and comes back as directive "config". Places carry no line.
LexResult lex_arguments(std::span<const std::string> arguments);

// The text of a directive as a config line that lexes to the same directive again (quoted where
// needed; a body as an inline block). Ends with a newline.
std::string format_directive(const Directive& directive);

}  // namespace ovpn
