// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/log.h"
#include "fastpath/config/tunnel_config.h"

namespace engine {

// Where this process logs: `log`/`log-append` (which also take over stdout and stderr), `syslog` or
// `daemon` (syslog), the journal if stderr is its stream, else stderr with OpenVPN's timestamps.
// `verb` decides how much. Throws base::FatalError if the log file cannot be opened. Any thread may
// use the log.
base::Log make_log(const config::ProcessConfig& process);

// For what must be said before any config is known.
base::Log early_log();

}  // namespace engine
