// SPDX-License-Identifier: Apache-2.0
#include "fastpath/root_helper/caller.h"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace root_helper {
namespace {

constexpr std::size_t kMarkBytesMax = 256;

bool is_folder_of(const std::string& path, uid_t user) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == user;
}

// The site, and what its dns.use says.
std::vector<std::string> mark_of(const std::string& device, const std::string& run_folder) {
  const auto mark = base::read_file(run_folder + "/.interfaces/" + device, kMarkBytesMax);
  if (!mark) return {};
  const auto lines = base::split(*mark, '\n');
  return {lines.begin(), lines.end()};
}

}  // namespace

std::optional<Caller> caller_of(uid_t user, const std::string& run_folder) {
  if (user == 0) return Caller{};
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(run_folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.') && is_folder_of(entry.path().string(), user)) return Caller{name};
  }
  return std::nullopt;
}

std::string owner_of(const std::string& device, const std::string& run_folder) {
  const auto lines = mark_of(device, run_folder);
  return lines.empty() ? std::string() : lines[0];
}

NameServerRight right_to(const Caller& caller, const std::string& device,
                         const std::string& run_folder) {
  if (caller.site.empty()) return NameServerRight::kWholeMachine;
  const auto lines = mark_of(device, run_folder);
  if (lines.size() < 2 || lines[0] != caller.site) return NameServerRight::kNone;
  if (lines[1] == "name-servers machine") return NameServerRight::kWholeMachine;
  return lines[1] == "name-servers link" ? NameServerRight::kLink : NameServerRight::kNone;
}

}  // namespace root_helper
