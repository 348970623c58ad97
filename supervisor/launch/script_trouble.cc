// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/script_trouble.h"

#include <string_view>
#include <utility>

namespace launch {
namespace {

constexpr mode_t kAnyMayRun = 0111;
constexpr mode_t kOthersMayEnter = 0001;  // the unit's user owns nothing here and is in no group
constexpr const char* kElsewhere = "put it where everyone gets, such as below /usr/local";

base::Problem problem(std::string message, std::string remedy) {
  return {{}, std::move(message), std::move(remedy)};
}

std::optional<base::Problem> hidden_in_a_unit(const std::string& path) {
  for (const std::string_view folder : {"/root", "/home", "/run/user"}) {
    if (!path.starts_with(std::string(folder) + "/")) continue;
    return problem("a unit may not enter " + std::string(folder) + ", where " + path + " lies",
                   kElsewhere);
  }
  for (const std::string_view folder : {"/tmp", "/var/tmp"}) {
    if (!path.starts_with(std::string(folder) + "/")) continue;
    return problem("a unit has a " + std::string(folder) + " of its own, without " + path,
                   kElsewhere);
  }
  return std::nullopt;
}

// The first folder on the way that the unit's user cannot pass.
std::optional<base::Problem> closed_folder(host::FileStore& files, const std::string& path) {
  for (auto slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    const auto status = files.status(folder);
    if (!status || (status->mode & kOthersMayEnter) != 0) continue;
    return problem("the unit's user may not enter " + folder + ", where " + path + " lies",
                   std::string(kElsewhere) + ", or: chmod o+x " + folder);
  }
  return std::nullopt;
}

}  // namespace

std::optional<base::Problem> script_trouble(host::FileStore& files, const std::string& path,
                                            bool is_program) {
  const auto status = files.status(path);
  if (!status) return problem("there is no " + path, "put it there, or take the line out");
  if (auto hidden = hidden_in_a_unit(path)) return hidden;
  if (auto closed = closed_folder(files, path)) return closed;
  if (!is_program) return std::nullopt;
  if ((status->mode & kAnyMayRun) == 0) {
    return problem(path + " is not executable", "chmod +x " + path);
  }
  if ((status->mode & kOthersMayEnter) == 0) {
    return problem("the unit's user may not run " + path, "chmod o+rx " + path);
  }
  return std::nullopt;
}

}  // namespace launch
