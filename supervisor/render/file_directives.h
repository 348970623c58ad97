// SPDX-License-Identifier: Apache-2.0
// Which directives of OpenVPN name a file or folder, and what a unit has to do about it.
#pragma once

#include <span>
#include <string_view>

namespace render {

enum class FileUse {
  kRead,    // copied beside the rendered config
  kPlace,   // a folder or script: a relative path is made absolute, nothing is copied
  kWritten  // the engine writes it: goes to the unit's own folder
};

struct FileDirective {
  std::string_view name;
  FileUse use;
  bool secret;  // key material or a password
};

std::span<const FileDirective> file_directives();
const FileDirective* find_file_directive(std::string_view name);

// Scripts and plugins: whoever writes such a line has the engine run a program.
bool runs_program(std::string_view directive);

}  // namespace render
