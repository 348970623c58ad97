// SPDX-License-Identifier: Apache-2.0
#include "fastpath/hostnet/script.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "ovpn/line_words.h"

namespace hostnet {

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
  std::string remedy = "make it executable: chmod +x " + program;
  if (error == ENOENT) remedy = "put the script there, or take the line out";
  if (!program.starts_with('/')) remedy = "write its full path";
  return base::Problem{
      {}, base::errno_text("cannot run script '" + program + "'", error), std::move(remedy)};
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
  if (end.spawn_errno == 0) return base::Problem{{}, "script '" + command + "' " + end.text(), {}};
  if (auto reason = why_not_runnable(command)) return reason;
  return base::Problem{
      {}, base::errno_text("cannot run script '" + program + "'", end.spawn_errno), {}};
}

}  // namespace hostnet
