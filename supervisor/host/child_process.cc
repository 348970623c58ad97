// SPDX-License-Identifier: Apache-2.0
// All of tunctl's use of Boost.Process (1.74: its v1 interface) is in this file.
#include "supervisor/host/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/process.hpp>
#include <boost/process/extend.hpp>
#include <cerrno>

#include "base/time.h"
#include "base/unique_fd.h"

extern char** environ;

namespace host {
namespace {

namespace bp = boost::process;

constexpr int kFirstPrivateFd = 3;
constexpr int kOldKernelFds = 1024;

// Boost's own error pipe must live until exec, so descriptors are marked and not closed.
void close_ours_at_exec() {
  if (::close_range(kFirstPrivateFd, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
  for (int fd = kFirstPrivateFd; fd < kOldKernelFds; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

// In the child, before exec.
void become_child_of(pid_t parent) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before the request above was made.
  if (::getppid() != parent) ::_exit(1);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (const int number : {SIGPIPE, SIGHUP, SIGUSR1, SIGUSR2, SIGTERM, SIGINT, SIGCHLD}) {
    ::signal(number, SIG_DFL);
  }
  close_ours_at_exec();
}

// Not boost's own environment: 1.74 compares each name with as many bytes of each entry, and reads
// behind the end of a shorter one.
std::vector<std::string> settings_of(const ChildOptions& options) {
  std::vector<std::string> settings;
  for (const auto& [name, value] : options.environment) settings.push_back(name + "=" + value);
  return settings;
}

std::vector<char*> pointers_to(std::vector<std::string>& settings) {
  std::vector<char*> pointers;
  for (std::string& setting : settings) pointers.push_back(setting.data());
  pointers.push_back(nullptr);
  return pointers;
}

// So that what Boost opens between fork and exec lies behind what the child is to find there.
std::vector<base::UniqueFd> take_places(std::size_t count) {
  std::vector<base::UniqueFd> places;
  for (int fd = kFirstPrivateFd; fd < kFirstPrivateFd + static_cast<int>(count); ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    places.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
  return places;
}

// In the child, before exec, behind close_ours_at_exec(): what is moved is not marked.
void put_in_place(const std::vector<int>& descriptors) {
  const int end = kFirstPrivateFd + static_cast<int>(descriptors.size());
  std::vector<int> copies;
  for (const int fd : descriptors) copies.push_back(::fcntl(fd, F_DUPFD_CLOEXEC, end));
  for (std::size_t i = 0; i < copies.size(); ++i) {
    ::dup2(copies[i], kFirstPrivateFd + static_cast<int>(i));
  }
}

template <typename... More>
base::Result<int> start(const ChildOptions& options, More&&... more) {
  const pid_t parent = ::getpid();
  std::error_code error;
  auto settings = settings_of(options);
  const auto environment = pointers_to(settings);
  const std::string folder = options.folder.empty() ? "." : options.folder;
  const auto places = take_places(options.descriptors.size());
  bp::child child(
      bp::exe = options.program, bp::args = options.arguments, bp::std_in < bp::null,
      bp::start_dir = folder, error,
      // First what others do with descriptors of ours: those that are put in place may have been
      // theirs.
      std::forward<More>(more)...,
      bp::extend::on_exec_setup = [parent, &environment, &options](auto& executor) {
        executor.env = const_cast<char**>(environment.data());
        become_child_of(parent);
        put_in_place(options.descriptors);
      });
  if (error) {
    return base::Problem{{}, "cannot start " + options.program + ": " + error.message(), {}};
  }
  const int pid = child.id();
  child.detach();
  return pid;
}

// Reads until the writer closes, `limit_ms` pass, or the bytes are too many.
std::optional<std::string> read_all(int fd, int limit_ms, std::size_t bytes_max) {
  const base::TimePoint end = base::monotonic_now() + std::chrono::milliseconds(limit_ms);
  std::string text;
  while (text.size() < bytes_max) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - base::monotonic_now()).count();
    pollfd ready{fd, POLLIN, 0};
    if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) == 0) return std::nullopt;
    char buffer[4096];
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

base::Result<int> start_child(const ChildOptions& options) {
  if (options.output < 0) return start(options);
  return start(
      options, bp::extend::on_exec_setup = [output = options.output](auto&) {
        ::dup2(output, STDOUT_FILENO);
        ::dup2(output, STDERR_FILENO);
      });
}

std::optional<ChildExit> exit_of(int pid) {
  int status = 0;
  pid_t ended = 0;
  do {
    ended = ::waitpid(pid, &status, WNOHANG);
  } while (ended < 0 && errno == EINTR);
  if (ended == 0) return std::nullopt;
  if (ended < 0) return ChildExit{CLD_KILLED, SIGKILL};
  if (WIFEXITED(status)) return ChildExit{CLD_EXITED, WEXITSTATUS(status)};
  return ChildExit{WCOREDUMP(status) ? CLD_DUMPED : CLD_KILLED, WTERMSIG(status)};
}

std::optional<std::string> output_of(const ChildOptions& options, int limit_ms,
                                     std::size_t bytes_max) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  const base::UniqueFd reader(ends[0]);
  base::UniqueFd writer(ends[1]);
  const int writer_number = writer.get();
  const auto pid = start(
      options, bp::extend::on_exec_setup = [writer_number](auto&) {
        ::dup2(writer_number, STDOUT_FILENO);
        ::dup2(writer_number, STDERR_FILENO);
      });
  writer.reset();
  if (!pid) return std::nullopt;
  auto text = read_all(reader.get(), limit_ms, bytes_max);
  ::kill(-*pid, SIGKILL);
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  return text;
}

std::optional<ChildExit> run_to_end(const ChildOptions& options, int limit_ms) {
  const auto pid = start_child(options);
  if (!pid) return std::nullopt;
  const base::TimePoint end = base::monotonic_now() + std::chrono::milliseconds(limit_ms);
  for (;;) {
    if (const auto exit = exit_of(*pid)) return exit;
    if (base::monotonic_now() >= end) ::kill(-*pid, SIGKILL);
    ::usleep(5000);
  }
}

std::string find_tool(const std::string& name) {
  for (const char* folder :
       {"/usr/local/sbin/", "/usr/local/bin/", "/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"}) {
    std::string path = folder + name;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

std::map<std::string, std::string> current_environment() {
  std::map<std::string, std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto equals = text.find('=');
    if (equals != std::string::npos) result[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return result;
}

}  // namespace host
