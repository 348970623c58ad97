// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/planned_files.h"

#include <algorithm>

namespace cli {

const render::Artifact* PlannedFiles::find(const std::string& path) const {
  const auto found =
      std::find_if(planned_.begin(), planned_.end(),
                   [&path](const render::Artifact& file) { return file.path == path; });
  return found == planned_.end() ? nullptr : &*found;
}

base::Result<std::string> PlannedFiles::read(const std::string& path) {
  const render::Artifact* file = find(path);
  if (file != nullptr) return file->bytes;
  return below_.read(path);
}

std::optional<host::FileStatus> PlannedFiles::status(const std::string& path) {
  const render::Artifact* file = find(path);
  if (file != nullptr) return host::FileStatus{false, file->mode, 0, 0};
  return below_.status(path);
}

}  // namespace cli
