// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/process.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/error.h"
#include "base/file.h"
#include "fastpath/engine/exit_status.h"

namespace engine {
namespace {

bool is_regular(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);  // not by a link
}

std::string own_pid_line() { return std::to_string(::getpid()) + "\n"; }

}  // namespace

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

void hide_memory() { ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

PidFile::PidFile(const std::string& file) : file_(file) {
  if (file_.empty()) return;
  const std::string failure = base::write_named_file(file_, own_pid_line(), 0644);
  if (!failure.empty()) throw base::FatalError("writepid: " + failure, kExitLasting);
}

// Only what was made here: a device, a pipe or a link was there before, and what somebody else put
// in its place meanwhile holds another pid.
PidFile::~PidFile() {
  if (file_.empty() || !is_regular(file_)) return;
  const auto text = base::read_file(file_);
  if (text && *text == own_pid_line()) ::unlink(file_.c_str());
}

}  // namespace engine
