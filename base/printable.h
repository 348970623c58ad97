// SPDX-License-Identifier: Apache-2.0
// Texts of strangers in front of a person: configs, certificates and peers may hold bytes that a
// terminal obeys, and that would hide or forge the lines around them.
#pragma once

#include <string>
#include <string_view>

namespace base {

// UTF-8 stays; control characters (C0, DEL, C1), what turns the direction of writing around, and
// bytes that are no UTF-8 become \xNN, byte by byte. Line breaks and tabs stay: they are where we
// put them.
std::string printable(std::string_view text);

// The same for one line of a log, where a line break would begin another.
std::string printable_line(std::string_view line);

// A text of a peer in a log line: bounded as well, with "..." at the end of one that was longer.
std::string loggable(std::string_view text);

}  // namespace base
