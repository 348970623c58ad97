// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/process_facts.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "base/cpu_list.h"
#include "base/file.h"
#include "base/text.h"
#include "supervisor/host/disk_file_store.h"

namespace host {
namespace {

constexpr std::string_view kDeleted = " (deleted)";

std::string read_or_empty(const std::string& path) {
  auto text = base::read_file(path);
  return text ? std::move(text).value() : std::string{};
}

void read_program(const std::string& folder, ProcessFacts& facts) {
  char target[4096];
  const ssize_t length = ::readlink((folder + "/exe").c_str(), target, sizeof target);
  if (length <= 0) return;
  facts.program.assign(target, static_cast<std::size_t>(length));
  if (facts.program.ends_with(kDeleted)) {
    facts.program_deleted = true;
    facts.program.resize(facts.program.size() - kDeleted.size());
    return;
  }
  // A unit's mount namespace may still show the old file under the path; the inode tells.
  struct stat running {
  }, installed{};
  if (::stat((folder + "/exe").c_str(), &running) == 0 &&
      ::stat(facts.program.c_str(), &installed) == 0) {
    facts.program_deleted =
        running.st_ino != installed.st_ino || running.st_dev != installed.st_dev;
  }
}

}  // namespace

ProcessFacts read_process(int pid) {
  ProcessFacts facts;
  const std::string folder = fmt::format("/proc/{}", pid);
  DiskFileStore disk;
  facts.exists = pid > 0 && disk.status(folder).has_value();
  if (!facts.exists) return facts;
  read_program(folder, facts);
  for (const auto& task : disk.list(folder + "/task")) {
    const auto tid = base::parse_number<int>(task);
    if (!tid) continue;
    const std::string thread = folder + "/task/" + task;
    facts.threads.push_back(
        {*tid, std::string(base::trim(read_or_empty(thread + "/comm"))), base::affinity_of(*tid)});
    // Named: the words point into it.
    const std::string children = read_or_empty(thread + "/children");
    for (const auto child : base::split_words(children)) {
      facts.children.push_back(base::parse_number<int>(child).value_or(0));
    }
  }
  return facts;
}

std::vector<int> online_cpus() {
  const std::string text = read_or_empty("/sys/devices/system/cpu/online");
  const auto cpus = base::parse_cpu_list(base::trim(text), base::kCpusMax);
  if (cpus && !cpus->empty()) return *cpus;
  // No /sys, as in a bare chroot: the C library asks /proc and the scheduler as well, for a number.
  std::vector<int> counted(static_cast<std::size_t>(std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L)));
  std::iota(counted.begin(), counted.end(), 0);
  return counted;
}

}  // namespace host
