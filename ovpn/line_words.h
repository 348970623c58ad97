// SPDX-License-Identifier: Apache-2.0
// One config line to words: OpenVPN's quoting, as used in config files and on its management
// interface (OpenVPN protocol: word splitting and quoting).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ovpn {

struct LineError {
  std::size_t column = 0;  // in bytes, from 1
  std::string message;
  std::string remedy;
};

struct LineWords {
  std::vector<std::string> words;  // unquoted; a comment is not among them
  std::size_t column = 0;          // of the first word, from 1; 0 if there is none
  std::optional<LineError> error;
};

// `line` may end with its newline, which is white space like any other.
LineWords split_config_line(std::string_view line);

// The word as split_config_line() reads it back: bare where that is possible, else in quotes.
std::string quote_word(std::string_view word);

}  // namespace ovpn
