// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dirent.h>

#include <memory>

namespace host {

struct FolderCloser {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
// An open folder being listed; null if it could not be opened.
using FolderHandle = std::unique_ptr<DIR, FolderCloser>;

}  // namespace host
