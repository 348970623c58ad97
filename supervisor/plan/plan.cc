// SPDX-License-Identifier: Apache-2.0
#include "supervisor/plan/plan.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace plan {
namespace {

constexpr std::string_view kUnitFolder = "/systemd/system/";

const FileState* find_file(const Present& present, const std::string& path) {
  const auto found = present.files.find(path);
  return found == present.files.end() ? nullptr : &found->second;
}

UnitState unit_state(const Present& present, const std::string& unit) {
  const auto found = present.units.find(unit);
  return found == present.units.end() ? UnitState{} : found->second;
}

class Planner {
 public:
  Planner(const Desired& desired, const Present& present) : desired_(desired), present_(present) {}

  std::vector<Action> plan() {
    for (const Folder& folder : desired_.folders) make_folder(folder);
    for (const render::Artifact& file : desired_.files) write(file);
    // A stop comes behind what a read-only /etc refuses.
    for (const std::string& unit : desired_.disabled) {
      if (unit_state(present_, unit).enabled) add({ActionKind::kDisable, unit, {}, 0});
    }
    for (const std::string& unit : desired_.masked) {
      if (!unit_state(present_, unit).masked) add({ActionKind::kMask, unit, {}, 0});
    }
    for (const std::string& unit : desired_.stopped) {
      if (unit_state(present_, unit).active) add({ActionKind::kStop, unit, {}, 0});
    }
    for (const std::string& path : desired_.absent) {
      if (find_file(present_, path) != nullptr) add({ActionKind::kRemove, path, {}, 0});
    }
    if (units_changed_) add({ActionKind::kDaemonReload, {}, {}, 0});
    for (const std::string& unit : desired_.unmasked) {
      if (unit_state(present_, unit).masked) add({ActionKind::kUnmask, unit, {}, 0});
    }
    for (const std::string& unit : desired_.enabled) {
      if (!unit_state(present_, unit).enabled) add({ActionKind::kEnable, unit, {}, 0});
    }
    return std::move(actions_);
  }

 private:
  void add(Action action) {
    const bool file = action.kind == ActionKind::kWriteFile || action.kind == ActionKind::kRemove;
    if (file && action.target.find(kUnitFolder) != std::string::npos) units_changed_ = true;
    actions_.push_back(std::move(action));
  }

  void make_folder(const Folder& folder) {
    if (find_file(present_, folder.path) == nullptr) {
      add({ActionKind::kMakeFolder, folder.path, {}, folder.mode});
    }
  }

  void write(const render::Artifact& file) {
    const FileState* there = find_file(present_, file.path);
    if (there != nullptr && there->bytes == file.bytes && there->mode == file.mode) return;
    add({ActionKind::kWriteFile, file.path, file.bytes, file.mode});
  }

  const Desired& desired_;
  const Present& present_;
  std::vector<Action> actions_;
  bool units_changed_ = desired_.reload;
};

}  // namespace

std::vector<Action> plan(const Desired& desired, const Present& present) {
  return Planner(desired, present).plan();
}

std::string describe(const Action& action) {
  switch (action.kind) {
    case ActionKind::kMakeFolder:
      return fmt::format("make folder {} ({:04o})", action.target, action.mode);
    case ActionKind::kWriteFile:
      return fmt::format("write {} ({:04o}, {} bytes)", action.target, action.mode,
                         action.bytes.size());
    case ActionKind::kStop:
      return "stop " + action.target;
    case ActionKind::kDisable:
      return "disable " + action.target;
    case ActionKind::kMask:
      return "mask " + action.target;
    case ActionKind::kUnmask:
      return "unmask " + action.target;
    case ActionKind::kRemove:
      return "remove " + action.target;
    case ActionKind::kDaemonReload:
      return "reload systemd's unit files";
    case ActionKind::kEnable:
      return "enable " + action.target;
  }
  return {};
}

}  // namespace plan
