// SPDX-License-Identifier: Apache-2.0
#include "supervisor/plan/apply.h"

#include <chrono>
#include <optional>
#include <utility>

namespace plan {
namespace {

constexpr base::Duration kStopLimit = std::chrono::seconds(90);

std::optional<FileState> look(host::FileStore& files, const std::string& path) {
  const auto status = files.status(path);
  if (!status) return std::nullopt;
  FileState state{status->is_directory, status->mode, {}};
  if (!state.is_folder) {
    // A file that cannot be read counts as different; writing it will say why it cannot be.
    const auto bytes = files.read(path);
    if (bytes) state.bytes = *bytes;
  }
  return state;
}

void look_at(Present& present, host::FileStore& files, const std::string& path) {
  if (auto state = look(files, path)) present.files.emplace(path, *std::move(state));
}

class Applier {
 public:
  Applier(host::FileStore& files, host::ServiceManager* services)
      : files_(files), services_(services) {}

  std::optional<base::Problem> apply(const std::vector<Action>& actions) {
    for (const Action& action : actions) {
      if (auto problem = run(action)) {
        undo();
        return problem;
      }
    }
    return std::nullopt;
  }

 private:
  struct Before {
    std::string path;
    std::optional<FileState> state;
  };

  static std::optional<base::Problem> failure(std::string message) {
    if (message.empty()) return std::nullopt;
    return base::Problem{{}, std::move(message), {}};
  }

  static std::optional<base::Problem> failure(const Action& action,
                                              const base::Result<host::JobOutcome>& outcome) {
    if (!outcome) return outcome.error();
    if (outcome->result == host::JobResult::kDone) return std::nullopt;
    return base::Problem{{}, "cannot " + describe(action) + ": " + outcome->message, {}};
  }

  std::optional<base::Problem> run(const Action& action) {
    switch (action.kind) {
      case ActionKind::kMakeFolder:
        remember(action.target);
        return failure(files_.make_folder(action.target, action.mode));
      case ActionKind::kWriteFile:
        remember(action.target);
        return failure(files_.write(action.target, action.bytes, action.mode));
      case ActionKind::kRemove:
        remember(action.target);
        return failure(files_.remove(action.target));
      case ActionKind::kStop:
        return failure(action, services_->stop(action.target, kStopLimit));
      case ActionKind::kDisable:
        return failure(action, services_->disable({action.target}));
      case ActionKind::kEnable:
        return failure(action, services_->enable({action.target}));
      case ActionKind::kDaemonReload:
        return failure(action, services_->daemon_reload());
    }
    return std::nullopt;
  }

  void remember(const std::string& path) { done_.push_back({path, look(files_, path)}); }

  // Best effort, backwards: the disk that refused the step may refuse this as well.
  void undo() {
    for (auto before = done_.rbegin(); before != done_.rend(); ++before) {
      const auto& state = before->state;
      if (!state) {
        static_cast<void>(files_.remove(before->path));
      } else if (state->is_folder) {
        static_cast<void>(files_.make_folder(before->path, state->mode));
      } else {
        static_cast<void>(files_.write(before->path, state->bytes, state->mode));
      }
    }
  }

  host::FileStore& files_;
  host::ServiceManager* services_;
  std::vector<Before> done_;
};

}  // namespace

base::Result<Present> observe(const Desired& desired, host::FileStore& files,
                              host::ServiceManager* services) {
  Present present;
  for (const Folder& folder : desired.folders) look_at(present, files, folder.path);
  for (const render::Artifact& file : desired.files) look_at(present, files, file.path);
  for (const std::string& path : desired.absent) look_at(present, files, path);
  for (const auto* units : {&desired.stopped, &desired.disabled, &desired.enabled}) {
    for (const std::string& unit : *units) {
      if (present.units.contains(unit)) continue;
      const auto status = services->status(unit);
      if (!status) return status.error();
      present.units[unit] = {status->unit_file_state == "enabled",
                             status->active_state != "inactive" &&
                                 status->active_state != "failed" && !status->active_state.empty()};
    }
  }
  return present;
}

std::optional<base::Problem> apply(const std::vector<Action>& actions, host::FileStore& files,
                                   host::ServiceManager* services) {
  return Applier(files, services).apply(actions);
}

}  // namespace plan
