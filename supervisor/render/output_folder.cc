// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/output_folder.h"

#include <utility>

#include "supervisor/site/paths.h"

namespace render {
namespace {

constexpr mode_t kConfigMode = 0644;
constexpr mode_t kFileMode = 0600;

}  // namespace

OutputFolder::OutputFolder(std::string folder, std::string config_name)
    : folder_(std::move(folder)) {
  names_.insert(config_name);
  artifacts_.push_back({std::move(config_name), "", kConfigMode, false});
}

std::string OutputFolder::add(const std::string& written, const std::string& bytes, bool secret) {
  if (const auto known = placed_.find(written); known != placed_.end()) return known->second;
  std::string name = site::file_name_of(written);
  while (!names_.insert(name).second) name.insert(0, "other-");
  artifacts_.push_back({name, bytes, kFileMode, secret});
  return placed_[written] = folder_.empty() ? name : folder_ + "/" + name;
}

}  // namespace render
