// SPDX-License-Identifier: Apache-2.0
// Which directives of OpenVPN name a file or folder, and what a unit has to do about it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "ovpn/directive.h"

namespace render {

enum class FileUse {
  kRead,    // copied beside the rendered config
  kPlace,   // a folder or script: a relative path is made absolute, nothing is copied
  kWritten  // the engine writes it: goes to the unit's own folder
};

struct FileDirective {
  std::string_view name;
  FileUse use;
  bool secret;           // key material or a password
  std::size_t word = 0;  // which argument it is
  // What a person knows, and not only a file: the name it has below the site's keys (logins.h).
  std::string_view login = {};
};

std::span<const FileDirective> file_directives();
const FileDirective* find_file_directive(std::string_view name);

// The argument of such a line that names its file or folder; nullptr where none does: an inline
// block, or a word in a file's place (`dh none`, `http-proxy HOST PORT auto`).
const std::string* file_word(const FileDirective& row, const ovpn::Directive& line);

// Scripts and plugins: whoever writes such a line has the engine run a program.
bool runs_program(std::string_view directive);

}  // namespace render
