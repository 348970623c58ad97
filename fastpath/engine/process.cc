// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/process.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/error.h"
#include "base/file.h"
#include "fastpath/engine/exit_status.h"

namespace engine {

std::string working_directory() {
  char* path = ::getcwd(nullptr, 0);
  const std::string result = path == nullptr ? "/" : path;
  std::free(path);
  return result;
}

void become_daemon(const config::ProcessConfig& process) {
  if (!process.daemon) return;
  // A log file already is stdout and stderr; without one they go to /dev/null. The working
  // directory stays: relative names in the config count from there.
  const int keep_output = process.log_file.empty() ? 0 : 1;
  if (::daemon(1, keep_output) != 0) throw base::FatalError(base::errno_text("daemon", errno));
}

void set_priorities(const config::ProcessConfig& process, const base::Log& log) {
  if (process.nice != 0 && ::setpriority(PRIO_PROCESS, 0, process.nice) != 0) {
    log.warning(base::errno_text("nice " + std::to_string(process.nice), errno));
  }
  if (process.mlock && ::mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
    log.warning(base::errno_text("mlock", errno));
  }
}

PidFile::PidFile(const std::string& file) : file_(file) {
  if (file_.empty()) return;
  const std::string failure =
      base::write_file_atomically(file_, std::to_string(::getpid()) + "\n", 0644);
  if (!failure.empty()) throw base::FatalError("writepid: " + failure, kExitLasting);
}

PidFile::~PidFile() {
  if (!file_.empty()) ::unlink(file_.c_str());
}

}  // namespace engine
