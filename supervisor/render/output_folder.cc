// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/output_folder.h"

#include <iterator>
#include <utility>

#include "supervisor/site/paths.h"

namespace render {
namespace {

constexpr mode_t kConfigMode = 0644;
constexpr mode_t kFileMode = 0600;
// What lies beside the config in a runtime folder: launch/launch_plan.h, launch/failure_note.h, the
// launch/start_digest.h, the guard's socket, the native engine's state. A key of such a name must
// not take its place.
constexpr const char* kOurs[] = {"launch.json", "failure", "management.sock", "ask",
                                 "start.sha256"};

}  // namespace

OutputFolder::OutputFolder(std::string folder, std::string config_name)
    : folder_(std::move(folder)) {
  names_.insert(config_name);
  if (!folder_.empty()) names_.insert(std::begin(kOurs), std::end(kOurs));
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
