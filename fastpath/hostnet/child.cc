// SPDX-License-Identifier: Apache-2.0
#include "fastpath/hostnet/child.h"

#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <thread>

#include "base/unique_fd.h"

namespace hostnet {
namespace {

using std::chrono::milliseconds;

constexpr const char* kPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr auto kLongestStep = milliseconds(50);

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

// The engine blocks signals to read them from a descriptor; a child must not inherit that.
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

class SpawnActions {
 public:
  SpawnActions() { ::posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  void read_from(int fd) { ::posix_spawn_file_actions_adddup2(&actions_, fd, STDIN_FILENO); }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

// The text in memory, to be read from its beginning.
base::UniqueFd file_of(const std::string& text) {
  base::UniqueFd file(::memfd_create("input", MFD_CLOEXEC));
  const auto size = static_cast<ssize_t>(text.size());
  if (file && ::write(file.get(), text.data(), text.size()) != size) file.reset();
  if (file) ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

// In steps that grow, so that a short script is hardly slowed down.
int wait_for(pid_t child, const WhileRunning& meanwhile) {
  const base::TimePoint begin = base::monotonic_now();
  int status = 0;
  for (auto step = milliseconds(1);; step = std::min(step * 2, kLongestStep)) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return status;
    std::this_thread::sleep_for(step);
    if (meanwhile) meanwhile(base::monotonic_now() - begin);
  }
}

}  // namespace

std::string ChildEnd::text() const {
  if (WIFEXITED(status)) return "ended with status " + std::to_string(WEXITSTATUS(status));
  return "was killed by signal " + std::to_string(WTERMSIG(status));
}

ChildEnd run_child(std::vector<std::string> words, const Environment& environment,
                   const WhileRunning& meanwhile, const std::optional<std::string>& input) {
  std::vector<std::string> variables = environment_strings(environment);
  const SpawnAttributes attributes;
  SpawnActions actions;
  base::UniqueFd text;
  if (input) {
    text = file_of(*input);
    if (!text) return {.spawn_errno = errno};
    actions.read_from(text.get());
  }
  pid_t child = 0;
  const int error = ::posix_spawn(&child, words.front().c_str(), actions.get(), attributes.get(),
                                  pointers(words).data(), pointers(variables).data());
  if (error != 0) return {.spawn_errno = error};
  return {.status = wait_for(child, meanwhile)};
}

}  // namespace hostnet
