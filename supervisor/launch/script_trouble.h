// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "supervisor/host/file_store.h"

namespace launch {

// Why a unit could not run a program that a config names by its full path, as far as names and
// modes tell: it is not there, lies where the unit's sandbox shows nothing (ProtectHome=,
// PrivateTmp= of tunctl@.service), in a folder that its user may not enter, or may not be run.
// `is_program`: false for a library, which is read and not run. The problem has no place. Nothing:
// none is seen.
std::optional<base::Problem> script_trouble(host::FileStore& files, const std::string& path,
                                            bool is_program);

}  // namespace launch
