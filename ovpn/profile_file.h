// SPDX-License-Identifier: Apache-2.0
// A config file with everything it includes, and what its conditional lines leave of it.
#pragma once

#include <functional>
#include <string>

#include "base/error.h"
#include "ovpn/lexer.h"

namespace ovpn {

// Gives the bytes of a file; the place of a Problem it returns is replaced by that of the line that
// asked. "stdin" is handed over as it is: what it means is the reader's choice.
using FileReader = std::function<base::Result<std::string>(const std::string& path)>;

inline constexpr std::size_t kIncludedFilesMax = 256;  // stops a file that includes itself twice

// Reads `path` and, in place of each `config FILE` line, FILE. As in stock, a relative FILE is
// looked up from the working directory (not from the including file), after the `cd` lines so far.
LexResult read_profile(const std::string& path, const FileReader& reader);

// Expands the `config` directives of a profile that came from the command line, likewise.
LexResult expand_includes(const Profile& profile, const FileReader& reader);

// Where the `cd` lines of `profile` lead, one behind the other, from `start`.
std::string folder_after_cd(const Profile& profile, const std::string& start);

// What is to be obeyed: `setenv opt NAME args…` becomes the directive itself, and lines that
// `setenv opt`, `ignore-unknown-option` or `setenv FORWARD_COMPATIBLE 1` let stock OpenVPN on Linux
// pass over are left out. Places stay. Everything else is kept, unknown names too.
Profile effective_profile(const Profile& profile);

}  // namespace ovpn
