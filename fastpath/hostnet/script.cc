// SPDX-License-Identifier: Apache-2.0
#include "fastpath/hostnet/script.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "ovpn/line_words.h"

namespace hostnet {
namespace {

// The first folder on the way that this process may not enter; empty: none.
std::string closed_folder(const std::string& path) {
  for (auto slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    std::string folder = path.substr(0, slash);
    if (::access(folder.c_str(), X_OK) != 0 && errno == EACCES) return folder;
  }
  return {};
}

// EACCES has four reasons, each with another remedy.
base::Problem why_not_permitted(const std::string& program) {
  const std::string what = "cannot run script '" + program + "': ";
  if (const std::string folder = closed_folder(program); !folder.empty()) {
    return {{},
            what + "this user may not enter " + folder,
            "put it where everyone gets, such as below /usr/local; a unit sees neither /root nor "
            "/home"};
  }
  constexpr mode_t kAnyMayRun = 0111;
  struct stat status {};
  const bool known = ::stat(program.c_str(), &status) == 0;
  if (known && (status.st_mode & kAnyMayRun) == kAnyMayRun) {
    return {{}, what + "its file system is mounted noexec", "put it elsewhere"};
  }
  if (known && (status.st_mode & kAnyMayRun) != 0) {
    return {{}, what + "this user may not run it", "let it: chmod o+rx " + program};
  }
  return {{}, what + "Permission denied", "make it executable: chmod +x " + program};
}

// What the first line of a script names (#!) and is not there; empty: nothing is missing.
std::string missing_interpreter(const std::string& program) {
  const auto text = base::read_file(program);
  if (!text || !text->starts_with("#!")) return {};
  const auto line = base::split(std::string_view(*text).substr(2), '\n').front();
  const auto words = base::split_words(line);
  if (words.empty()) return {};
  const std::string interpreter(words.front());
  return ::access(interpreter.c_str(), F_OK) == 0 ? std::string() : interpreter;
}

// POSIX lets posix_spawn() report that a program cannot be had by this status of a child that there
// was, and so it comes where vfork() is a fork.
bool may_not_have_started(const ChildEnd& end) {
  constexpr int kNotStarted = 127;
  return end.spawn_errno != 0 || (WIFEXITED(end.status) && WEXITSTATUS(end.status) == kNotStarted);
}

}  // namespace

base::Result<std::vector<std::string>> split_command(const std::string& command) {
  ovpn::LineWords line = ovpn::split_config_line(command);
  if (line.error) return base::Problem{{}, line.error->message, line.error->remedy};
  if (line.words.empty()) return base::Problem{{}, "an empty script command", "name a program"};
  return line.words;
}

std::optional<base::Problem> why_not_runnable(const std::string& command) {
  const auto words = split_command(command);
  if (!words) return words.error();
  const std::string& program = words->front();
  if (::access(program.c_str(), X_OK) == 0) return std::nullopt;
  const int error = errno;
  const std::string what = "cannot run script '" + program + "'";
  if (!program.starts_with('/')) {
    return base::Problem{{}, base::errno_text(what, error), "write its full path"};
  }
  if (error == ENOENT) {
    return base::Problem{{}, what + ": it does not exist", "put it there, or take the line out"};
  }
  if (error == EACCES) return why_not_permitted(program);
  return base::Problem{{}, base::errno_text(what, error), {}};
}

std::optional<base::Problem> run_script(const std::string& command,
                                        const std::vector<std::string>& arguments,
                                        const Environment& environment,
                                        const WhileRunning& meanwhile) {
  auto words = split_command(command);
  if (!words) return words.error();
  words->insert(words->end(), arguments.begin(), arguments.end());
  const std::string program = words->front();
  const ChildEnd end = run_child(std::move(*words), environment, meanwhile);
  if (end.good()) return std::nullopt;
  if (may_not_have_started(end)) {
    if (auto reason = why_not_runnable(command)) return reason;
    if (const std::string missing = missing_interpreter(program); !missing.empty()) {
      return base::Problem{{},
                           "cannot run script '" + program +
                               "': what its first line names (#!) does not exist: " + missing,
                           "correct that line, or install it"};
    }
  }
  if (end.spawn_errno == 0) return base::Problem{{}, "script '" + command + "' " + end.text(), {}};
  return base::Problem{
      {}, base::errno_text("cannot run script '" + program + "'", end.spawn_errno), {}};
}

}  // namespace hostnet
