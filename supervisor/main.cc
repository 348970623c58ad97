// SPDX-License-Identifier: Apache-2.0
// Builds the world a verb works with, and runs one.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/cpu_list.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/unique_fd.h"
#include "supervisor/cli/command_line.h"
#include "supervisor/host/child_process.h"
#include "supervisor/host/conflicts.h"
#include "supervisor/host/disk_file_store.h"
#include "supervisor/host/journal.h"
#include "supervisor/host/path_mtu.h"
#include "supervisor/host/process_facts.h"
#include "supervisor/host/read_machine.h"
#include "supervisor/host/read_network.h"
#include "supervisor/host/systemd_manager.h"
#include "supervisor/host/terminal.h"
#include "supervisor/host/unit_record.h"
#include "supervisor/host/way_in.h"
#include "supervisor/pki/cipher_speed.h"

namespace {

constexpr base::Duration kHoldLimit = std::chrono::seconds(30);
constexpr base::Duration kLook = std::chrono::milliseconds(100);
// A hundredth of a second is the least that the kernel counts of a CPU's time.
constexpr base::Duration kLongLook = std::chrono::milliseconds(500);
constexpr base::Duration kHoldPace = std::chrono::milliseconds(20);

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// https://no-color.org and https://bixense.com/clicolors, then the terminal.
bool wants_colour(bool terminal) {
  if (!environment("NO_COLOR").empty()) return false;
  const std::string forced = environment("CLICOLOR_FORCE");
  if (!forced.empty() && forced != "0") return true;
  return terminal && environment("TERM") != "dumb";
}

int columns() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const int wide = std::atoi(environment("COLUMNS").c_str());
  return wide > 0 ? wide : 80;
}

std::string own_path() {
  char path[PATH_MAX];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : "tunctl";
}

std::string working_folder() {
  char path[PATH_MAX];
  return ::getcwd(path, sizeof path) == nullptr ? "/" : path;
}

void sleep_for(base::Duration duration) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  timespec rest{static_cast<time_t>(seconds.count()),
                static_cast<long>((duration - seconds).count())};
  ::nanosleep(&rest, nullptr);
}

volatile sig_atomic_t end_asked_for = 0;

// Without SA_RESTART: what waits shall wake up and ask.
bool interrupted() {
  static const bool caught = [] {
    struct sigaction action {};
    action.sa_handler = [](int) { end_asked_for = 1; };
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
    return true;
  }();
  return caught && end_asked_for != 0;
}

std::string become(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::cout.flush();
  ::execvp(argv[0], argv.data());
  return base::errno_text("cannot run " + words[0], errno);
}

void run_program(const std::vector<std::string>& words) {
  constexpr int kLimitMs = 15000;
  host::ChildOptions options;
  options.program = words[0];
  options.environment = host::current_environment();
  options.arguments.assign(words.begin() + 1, words.end());
  static_cast<void>(host::run_to_end(options, kLimitMs));  // it says itself what went wrong
}

std::unique_ptr<host::ServiceManager> recorded_in(const std::string& run_folder) {
  return std::make_unique<host::RecordedManager>(run_folder);
}

// A lock on a folder, which the kernel lets go of with the process. Whoever may not take it has no
// right to change anything either, and is told so by the first step.
std::shared_ptr<void> hold(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    auto fd = std::make_shared<base::UniqueFd>(
        ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!*fd && errno == ENOENT) continue;
    if (!*fd) return fd;
    const base::TimePoint end = base::monotonic_now() + kHoldLimit;
    while (::flock(fd->get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) return fd;
      if (base::monotonic_now() > end) return nullptr;
      sleep_for(kHoldPace);
    }
    return fd;
  }
  return std::make_shared<base::UniqueFd>();
}

// As systemd's tools choose it; "cat" and an empty word mean none. Text that fits is not paged.
bool page(const std::string& text) {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return false;
  if (std::count(text.begin(), text.end(), '\n') < size.ws_row) return false;
  std::string pager = "less -FRSXMK";
  for (const char* name : {"PAGER", "SYSTEMD_PAGER"}) {
    if (std::getenv(name) != nullptr) pager = environment(name);
  }
  if (pager.empty() || pager == "cat") return false;
  std::cout.flush();
  ::signal(SIGPIPE, SIG_IGN);  // the reader may have seen enough
  FILE* pipe = ::popen(pager.c_str(), "w");
  if (pipe == nullptr) return false;
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), pipe));
  return ::pclose(pipe) != 127 << 8;  // the shell's "not found"
}

int run(int argc, char** argv) {
  host::DiskFileStore files;
  std::unique_ptr<host::SystemdManager> systemd;
  cli::World world{.files = files,
                   .services = {},
                   .in = std::cin,
                   .out = std::cout,
                   .err = std::cerr,
                   .machine = [] { return host::watch_machine(kLook); },
                   .cipher_speeds = pki::measure_ciphers,
                   .network = [] { return host::watch_network(kLongLook); },
                   .udp_drops = host::udp_drops_of,
                   .path_mtu = host::measure_path_mtu,
                   .now = base::unix_now,
                   .monotonic = base::monotonic_now,
                   .sleep = sleep_for,
                   .process = host::read_process,
                   .last_error = host::last_error_line,
                   .may_read_log = host::may_read_journal,
                   .foreign_interface = host::is_foreign_interface,
                   .way_in = [] { return host::interfaces_of(host::ssh_connection()); },
                   .tunnels = host::tunnels_of,
                   .interrupted = interrupted,
                   .recorded = recorded_in,
                   .runner = host::site_holder,
                   .hold = hold,
                   .ask = host::ask_on_terminal,
                   .question = host::open_question,
                   .page = page,
                   .become = become,
                   .run = run_program,
                   .folder = working_folder(),
                   .program = own_path(),
                   .environment = host::current_environment()};
  world.services = [&systemd]() -> base::Result<host::ServiceManager*> {
    if (systemd == nullptr) {
      auto connected = host::SystemdManager::connect();
      if (!connected) return connected.error();
      systemd = std::move(connected).value();
    }
    return systemd.get();
  };
  world.in_is_terminal = ::isatty(STDIN_FILENO) == 1;
  world.out_is_terminal = ::isatty(STDOUT_FILENO) == 1;
  world.err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  world.colour_by_default = wants_colour(world.out_is_terminal);
  world.columns = columns();
  world.cpu_count = base::configured_cpu_count();
  const int status = cli::run_command(world, {argv + 1, argv + argc});
  std::cout.flush();
  if (!std::cout) throw base::FatalError("cannot write to standard output");
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const base::FatalError& error) {
    std::cerr << "tunctl: " << base::printable(error.what()) << '\n';
    return error.exit_status();
  }
}
