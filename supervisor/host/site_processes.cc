// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/site_processes.h"

#include <signal.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "supervisor/host/disk_file_store.h"

namespace host {
namespace {

constexpr mode_t kRuntimeMode = 0711;  // as RuntimeDirectoryMode= in the unit
constexpr int kCommandAfterLimitMs = 15000;
constexpr std::size_t kStoredMax = 8;  // as FileDescriptorStoreMax= in the unit

}  // namespace

SiteProcesses::SiteProcesses(const LocalSettings& settings, std::string runtime_folder,
                             std::string site, std::string notify_address, int output)
    : settings_(settings),
      folder_(std::move(runtime_folder)),
      site_(std::move(site)),
      notify_address_(std::move(notify_address)),
      output_(output) {}

base::Result<int> SiteProcesses::start_prepare() {
  remove_folder();
  // What a `tunctl run` that was killed left has nobody to take it over.
  if (stored_.empty()) run_command_after({});
  DiskFileStore files;
  const std::string above = std::filesystem::path(folder_).parent_path().string();
  std::string failure = files.make_folder(above, kRuntimeMode);
  if (failure.empty()) failure = files.make_folder(folder_, kRuntimeMode);
  if (!failure.empty()) return base::Problem{{}, failure, {}};
  return start({"prepare", "--foreground"}, false, 0);
}

base::Result<int> SiteProcesses::start_main() { return start({"exec"}, true, 0); }

base::Result<int> SiteProcesses::start_reload(int main_pid) {
  return start({"prepare", "--foreground", "--reload"}, false, main_pid);
}

void SiteProcesses::send_signal(int pid, int number) {
  if (pid > 0) ::kill(pid, number);
}

void SiteProcesses::kill_group(int pid) {
  if (pid > 0) ::kill(-pid, SIGKILL);
}

void SiteProcesses::clean_up(const EndWords& end) {
  remove_folder();
  if (end.result.empty()) stored_.clear();
  run_command_after(end);
}

void SiteProcesses::store(const Notification& said, std::vector<base::UniqueFd> descriptors) {
  if (said.forget) {
    std::erase_if(stored_, [&](const auto& each) { return each.first == said.name; });
  }
  if (!said.store) return;
  for (base::UniqueFd& each : descriptors) {
    if (stored_.size() < kStoredMax) stored_.emplace_back(said.name, std::move(each));
  }
}

void SiteProcesses::remove_folder() {
  // What cannot be removed is named by the start that then cannot make it anew.
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
  forget_interfaces();
}

void SiteProcesses::run_command_after(const EndWords& end) {
  if (!settings_.command_after) return;
  auto words = settings_.command_after(site_);
  if (words.empty()) return;
  ChildOptions options;
  options.program = words.front();
  options.arguments.assign(words.begin() + 1, words.end());
  options.output = output_;
  options.environment = current_environment();
  options.environment["SERVICE_RESULT"] = end.result;
  options.environment["EXIT_CODE"] = end.code;
  options.environment["EXIT_STATUS"] = end.status;
  static_cast<void>(run_to_end(options, kCommandAfterLimitMs));  // it says itself what went wrong
}

// launch/prepare.cc marks the interface for network managers, in a file that holds the site's name.
void SiteProcesses::forget_interfaces() {
  const auto run_folder = std::filesystem::path(folder_).parent_path().parent_path();
  const std::string marks = run_folder.string() + "/.interfaces";
  for (const std::string& name : DiskFileStore().list(marks)) {
    const std::string path = marks + "/" + name;
    const auto owner = base::read_file(path);
    if (owner && base::split(*owner, '\n').front() == site_) ::unlink(path.c_str());
  }
}

base::Result<int> SiteProcesses::start(const std::vector<std::string>& words, bool main,
                                       int main_pid) {
  ChildOptions options;
  options.program = settings_.program;
  options.output = output_;
  options.arguments = settings_.options;
  options.arguments.insert(options.arguments.end(), words.begin(), words.end());
  options.arguments.push_back(site_);
  options.environment = current_environment();
  for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS",
                           "LISTEN_FDNAMES", "LISTEN_PID"}) {
    options.environment.erase(name);
  }
  options.environment["RUNTIME_DIRECTORY"] = folder_;
  if (main_pid > 0) options.environment["MAINPID"] = std::to_string(main_pid);
  if (main) {
    options.environment["NOTIFY_SOCKET"] = notify_address_;
    const auto watchdog =
        std::chrono::duration_cast<std::chrono::microseconds>(settings_.rules.watchdog).count();
    if (watchdog > 0) options.environment["WATCHDOG_USEC"] = std::to_string(watchdog);
    give_stored(options);
  }
  return start_child(options);
}

// LISTEN_PID is not known before there is a process; `tunctl exec` adds it.
void SiteProcesses::give_stored(ChildOptions& options) const {
  if (stored_.empty()) return;
  std::string names;
  for (const auto& [name, fd] : stored_) {
    names += (names.empty() ? "" : ":") + name;
    options.descriptors.push_back(fd.get());
  }
  options.environment["LISTEN_FDS"] = std::to_string(stored_.size());
  options.environment["LISTEN_FDNAMES"] = names;
}

}  // namespace host
