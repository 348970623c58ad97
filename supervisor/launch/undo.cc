// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/undo.h"

#include <sys/stat.h>

namespace launch {

std::vector<std::string> undo_command(host::FileStore& files, const site::Paths& paths,
                                      const Programs& programs, const std::string& site,
                                      uid_t owner) {
  std::vector<std::string> command{programs.fastpath, "--undo"};
  for (const std::string& folder : {paths.state_folder(site), paths.volatile_state_folder(site)}) {
    const auto status = files.status(folder);
    if (!status || !status->is_directory || status->is_link || status->owner != owner) continue;
    if ((status->mode & (S_IWGRP | S_IWOTH)) == 0) command.push_back(folder);
  }
  if (programs.fastpath.empty() || command.size() == 2) command.clear();
  return command;
}

}  // namespace launch
