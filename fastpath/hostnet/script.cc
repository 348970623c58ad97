// SPDX-License-Identifier: Apache-2.0
#include "fastpath/hostnet/script.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <utility>

#include "ovpn/line_words.h"

namespace hostnet {
namespace {

constexpr const char* kPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

std::vector<std::string> environment_strings(const Environment& environment) {
  std::map<std::string, std::string> last{{"PATH", kPath}};
  for (const auto& [name, value] : environment) last[name] = value;
  std::vector<std::string> strings;
  for (const auto& [name, value] : last) strings.push_back(name + "=" + value);
  return strings;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// The engine blocks signals to read them from a descriptor; a script must not inherit that.
class SpawnAttributes {
 public:
  SpawnAttributes() {
    ::posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnAttributes() { ::posix_spawnattr_destroy(&attributes_); }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

std::optional<base::Problem> wait_for(pid_t child, const std::string& command) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return base::Problem{{}, base::errno_text("waitpid", errno), {}};
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  const std::string how = WIFEXITED(status)
                              ? "ended with status " + std::to_string(WEXITSTATUS(status))
                              : "was killed by signal " + std::to_string(WTERMSIG(status));
  return base::Problem{{}, "script '" + command + "' " + how, {}};
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
  std::string remedy = "make it executable: chmod +x " + program;
  if (error == ENOENT) remedy = "put the script there, or take the line out";
  if (!program.starts_with('/')) remedy = "write its full path";
  return base::Problem{
      {}, base::errno_text("cannot run script '" + program + "'", error), std::move(remedy)};
}

std::optional<base::Problem> run_script(const std::string& command,
                                        const std::vector<std::string>& arguments,
                                        const Environment& environment) {
  auto words = split_command(command);
  if (!words) return words.error();
  words->insert(words->end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environment_strings(environment);
  const SpawnAttributes attributes;
  pid_t child = 0;
  const int error = ::posix_spawn(&child, words->front().c_str(), nullptr, attributes.get(),
                                  pointers(*words).data(), pointers(variables).data());
  if (error != 0) {
    if (auto reason = why_not_runnable(command)) return reason;
    return base::Problem{
        {}, base::errno_text("cannot run script '" + words->front() + "'", error), {}};
  }
  return wait_for(child, command);
}

}  // namespace hostnet
