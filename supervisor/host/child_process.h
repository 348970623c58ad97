// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace host {

struct ChildOptions {
  std::string program;                             // absolute path
  std::vector<std::string> arguments;              // without argv[0]
  std::map<std::string, std::string> environment;  // the whole of it
  std::string folder;                              // to run in; empty: the caller's
  std::vector<int> descriptors = {};  // of the caller's, that the child finds at 3, 4, ...
  int output = -1;  // a descriptor of the caller's for both outputs; -1: the caller's own two
};

// Starts a child in a process group of its own that the kernel kills (SIGKILL) when the calling
// thread ends, with an empty signal mask, standard input from /dev/null, and no descriptor of ours
// but 1, 2 and those named in `options`. The caller reaps it by its pid (exit_of). Uses
// Boost.Process.
base::Result<int> start_child(const ChildOptions& options);

struct ChildExit {
  int code = 0;    // CLD_EXITED, CLD_KILLED or CLD_DUMPED, as systemd's ExecMainCode
  int status = 0;  // exit status, or the signal's number

  friend bool operator==(const ChildExit&, const ChildExit&) = default;
};
// Reaps `pid` if it has ended; nothing while it runs. A pid that is no child of ours counts as
// killed.
std::optional<ChildExit> exit_of(int pid);

// Runs a short program to its end and returns what it printed (standard output, `bytes_max` at
// most); nothing if it could not be started or took longer than `limit_ms`.
std::optional<std::string> output_of(const ChildOptions& options, int limit_ms,
                                     std::size_t bytes_max = 65536);

// Runs a program to its end, or kills it after `limit_ms`. Nothing: it could not be started.
std::optional<ChildExit> run_to_end(const ChildOptions& options, int limit_ms);

std::map<std::string, std::string> current_environment();

// A program of the system's, in the folders of root's PATH; empty: it is not there.
std::string find_tool(const std::string& name);

}  // namespace host
