// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "base/wipe.h"

namespace plan {

enum class ActionKind {
  kMakeFolder,
  kWriteFile,
  kStop,
  kDisable,
  kMask,    // nothing can start it any more
  kRemove,  // a file, or a folder that is empty by then
  kDaemonReload,
  kUnmask,
  kEnable,
};

// One step that changes the machine, as a value.
struct Action {
  ActionKind kind = ActionKind::kWriteFile;
  std::string target;  // path or unit; empty for a reload
  std::string bytes;   // of kWriteFile
  mode_t mode = 0;     // of kMakeFolder and kWriteFile

  ~Action() { base::wipe(bytes); }  // a key, perhaps

  friend bool operator==(const Action&, const Action&) = default;
};

// "write /etc/tunctl/sites/site-a.toml (0644, 512 bytes)"; never a byte of the content.
std::string describe(const Action& action);

}  // namespace plan
