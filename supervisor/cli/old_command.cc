// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/old_command.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "base/cpu_list.h"
#include "ovpn/lexer.h"
#include "supervisor/render/unit_overlay.h"
#include "supervisor/site/paths.h"

namespace cli {
namespace {

using Words = std::span<const std::string>;

constexpr std::string_view kProgram = "openvpn";

bool is_program(const std::string& word) { return site::file_name_of(word) == kProgram; }

bool is_shell(const std::string& word) {
  constexpr std::array<std::string_view, 5> kShells{"sh", "bash", "dash", "zsh", "busybox"};
  return std::find(kShells.begin(), kShells.end(), site::file_name_of(word)) != kShells.end();
}

// `taskset -c 2-5`, `taskset -ac 2-5`, `taskset --cpu-list 2-5`, `taskset 0x3c`. Gives the number
// of its words.
std::size_t read_taskset(Words words, int cpu_count, std::vector<int>& cpus) {
  bool list = false;
  std::size_t at = 1;
  for (; at < words.size() && words[at].starts_with('-'); ++at) {
    const bool bundle = !words[at].starts_with("--");
    list |= words[at] == "--cpu-list" || (bundle && words[at].find('c') != std::string::npos);
  }
  if (at == words.size()) return at;
  if (list) {
    const auto parsed = base::parse_cpu_list(words[at], cpu_count);
    if (parsed) cpus = *parsed;
  } else {
    cpus = base::parse_cpu_mask(words[at]).value_or(std::vector<int>{});
  }
  return at + 1;
}

std::string joined(const std::string& folder, const std::string& path) {
  if (path.starts_with('/')) return path;
  return (folder == "/" ? "" : folder) + "/" + path;
}

// What tunctl's unit does itself, or has its own of.
bool is_for_the_process(const ovpn::Directive& line) {
  constexpr std::array<std::string_view, 3> kOwn{"status", "status-version", "suppress-timestamps"};
  return render::dropped_in_unit(line.name).has_value() ||
         std::find(kOwn.begin(), kOwn.end(), line.name) != kOwn.end();
}

base::Problem problem(std::string message, std::string remedy) {
  return {{}, std::move(message), std::move(remedy)};
}

}  // namespace

base::Result<OldCommand> read_old_command(const std::vector<std::string>& command,
                                          const std::string& folder, int cpu_count) {
  const auto program = std::find_if(command.begin(), command.end(), is_program);
  if (!command.empty() && is_shell(command[0])) {
    return problem("it runs a shell (" + command[0] + "), which may do anything",
                   "write ExecStart= without one, or `tunctl import` the config");
  }
  if (program == command.end()) {
    return problem(
        "it runs " + (command.empty() ? "nothing" : command[0]) + ", which is no openvpn",
        "name a unit of OpenVPN: openvpn-client@NAME, openvpn-server@NAME, openvpn@NAME");
  }
  OldCommand old;
  const Words words(command);
  const auto own = static_cast<std::size_t>(program - command.begin());
  for (std::size_t at = 0; at < own;) {
    if (site::file_name_of(words[at]) == "taskset") {
      at += read_taskset(words.subspan(at, own - at), cpu_count, old.cpus);
      continue;
    }
    if (words[at].starts_with('/')) old.left_behind.push_back(words[at]);
    ++at;
  }
  const auto lexed = ovpn::lex_arguments(words.subspan(own + 1));
  if (!lexed.problems.empty()) return lexed.problems.front();
  old.folder = folder.empty() ? "/" : folder;
  for (const ovpn::Directive& line : lexed.profile.directives) {
    if (line.name == "cd" && !line.args.empty()) {
      old.folder = joined(old.folder, line.args[0]);
    } else if (line.name == "config" && !line.args.empty()) {
      if (!old.config.empty()) return problem("it reads two configs", "make one of them");
      old.config = joined(old.folder, line.args[0]);
    } else if (!is_for_the_process(line)) {
      (old.config.empty() ? old.before : old.behind).push_back(line);
    }
  }
  if (!old.config.empty()) return old;
  return problem("its command line names no config", "write a config, and --config in ExecStart=");
}

}  // namespace cli
