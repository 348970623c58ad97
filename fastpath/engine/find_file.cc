// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/find_file.h"

#include <unistd.h>

#include <cerrno>

namespace engine {

crypto::FileFound find_file(const std::string& path) {
  using crypto::FileFound;
  if (::access(path.c_str(), F_OK) == 0) return FileFound::kThere;
  if (errno != ENOENT) return FileFound::kCannotTell;
  // After `chroot` it may be the folder that is missing.
  const auto slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  return ::access(folder.c_str(), X_OK) == 0 ? FileFound::kNotThere : FileFound::kCannotTell;
}

}  // namespace engine
