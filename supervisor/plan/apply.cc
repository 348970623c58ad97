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
      case ActionKind::kDaemonReload:
        return failure(action, services_->daemon_reload());
      case ActionKind::kStop:
      case ActionKind::kDisable:
      case ActionKind::kMask:
      case ActionKind::kUnmask:
      case ActionKind::kEnable:
        break;
    }
    auto problem = failure(action, change_unit(action));
    // What failed half-way is put back as well: a stop that took too long has begun.
    if (!problem || action.kind == ActionKind::kStop) units_done_.push_back(action);
    return problem;
  }

  base::Result<host::JobOutcome> change_unit(const Action& action) {
    if (action.kind == ActionKind::kStop) return services_->stop(action.target, kStopLimit);
    if (action.kind == ActionKind::kMask) return services_->mask({action.target});
    if (action.kind == ActionKind::kUnmask) return services_->unmask({action.target});
    if (action.kind == ActionKind::kEnable) return services_->enable({action.target});
    return services_->disable({action.target});
  }

  void remember(const std::string& path) { done_.push_back({path, look(files_, path)}); }

  // Best effort, backwards: the disk that refused the step may refuse this as well. Units last, for
  // they need their files.
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
    if (units_done_.empty()) return;
    static_cast<void>(services_->daemon_reload());
    for (auto done = units_done_.rbegin(); done != units_done_.rend(); ++done) put_back(*done);
  }

  void put_back(const Action& done) {
    if (done.kind == ActionKind::kEnable) {
      static_cast<void>(services_->disable({done.target}));
    } else if (done.kind == ActionKind::kDisable) {
      static_cast<void>(services_->enable({done.target}));
    } else if (done.kind == ActionKind::kMask) {
      static_cast<void>(services_->unmask({done.target}));
    } else if (done.kind == ActionKind::kUnmask) {
      static_cast<void>(services_->mask({done.target}));
    } else {
      // Its way up is told by `status`; nobody waits for it here.
      static_cast<void>(services_->start(done.target, base::Duration::zero(), {}));
    }
  }

  host::FileStore& files_;
  host::ServiceManager* services_;
  std::vector<Before> done_;
  std::vector<Action> units_done_;
};

}  // namespace

base::Result<Present> observe(const Desired& desired, host::FileStore& files,
                              host::ServiceManager* services) {
  Present present;
  for (const Folder& folder : desired.folders) look_at(present, files, folder.path);
  for (const render::Artifact& file : desired.files) look_at(present, files, file.path);
  for (const std::string& path : desired.absent) look_at(present, files, path);
  for (const auto* units : {&desired.stopped, &desired.disabled, &desired.masked, &desired.unmasked,
                            &desired.enabled}) {
    for (const std::string& unit : *units) {
      if (present.units.contains(unit)) continue;
      const auto status = services->status(unit);
      if (!status) return status.error();
      present.units[unit] = {status->unit_file_state == "enabled",
                             status->active_state != "inactive" &&
                                 status->active_state != "failed" && !status->active_state.empty(),
                             status->unit_file_state == "masked"};
    }
  }
  return present;
}

std::optional<base::Problem> apply(const std::vector<Action>& actions, host::FileStore& files,
                                   host::ServiceManager* services) {
  return Applier(files, services).apply(actions);
}

}  // namespace plan
