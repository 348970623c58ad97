// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "supervisor/host/file_store.h"
#include "supervisor/launch/programs.h"
#include "supervisor/site/paths.h"

namespace launch {

// The command that gives back what a killed native engine of `site` left on the machine, as its
// state folders tell; empty: there is nothing to run it for. Only folders of `owner`, who will run
// it: root must not obey notes that a unit's user wrote (that user's unit does it itself).
std::vector<std::string> undo_command(host::FileStore& files, const site::Paths& paths,
                                      const Programs& programs, const std::string& site,
                                      uid_t owner);

}  // namespace launch
