// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/tree_reader.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

#include "base/cpu_list.h"
#include "base/file.h"
#include "base/text.h"
#include "supervisor/host/folder_handle.h"

namespace host {
namespace {

constexpr std::size_t kTextMax = std::size_t{4} << 20;  // /proc/cpuinfo of some thousand CPUs

std::string real_path(const std::string& path) {
  char real[PATH_MAX];
  return ::realpath(path.c_str(), real) == nullptr ? "" : real;
}

}  // namespace

std::string TreeReader::text(const std::string& path) const {
  const auto read = base::read_file(root_ + path, kTextMax);
  if (!read) return "";
  std::string_view text = *read;
  while (text.ends_with('\0')) text.remove_suffix(1);  // device trees end their texts so
  return std::string(base::trim(text));
}

std::optional<std::int64_t> TreeReader::number(const std::string& path, std::int64_t min,
                                               std::int64_t max) const {
  const auto value = base::parse_number<std::int64_t>(text(path));
  return value && *value >= min && *value <= max ? value : std::nullopt;
}

std::vector<int> TreeReader::cpus(const std::string& path) const {
  const auto list = base::parse_cpu_list(text(path), base::kCpusMax);
  return list ? *list : std::vector<int>{};
}

std::vector<int> TreeReader::mask(const std::string& path) const {
  return base::parse_cpu_mask(text(path)).value_or(std::vector<int>{});
}

std::vector<std::string> TreeReader::names(const std::string& folder) const {
  std::vector<std::string> names;
  const FolderHandle open(::opendir((root_ + folder).c_str()));
  if (!open) return names;
  while (const dirent* entry = ::readdir(open.get())) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool TreeReader::exists(const std::string& path) const {
  return ::access((root_ + path).c_str(), F_OK) == 0;
}

std::string TreeReader::real(const std::string& path) const {
  const std::string top = root_.empty() ? "" : real_path(root_);
  const std::string whole = real_path(root_ + path);
  return whole.starts_with(top + "/") ? whole.substr(top.size()) : "";
}

}  // namespace host
