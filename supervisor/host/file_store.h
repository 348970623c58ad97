// SPDX-License-Identifier: Apache-2.0
// The disk as the supervisor sees it: an interface, so that plans and verbs are tested in memory.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace host {

struct FileStatus {
  bool is_directory = false;
  mode_t mode = 0;  // permission bits only
  uid_t owner = 0;
  gid_t group = 0;
  bool is_link = false;  // the path itself; the rest is said of what it leads to
};

// Absolute paths. Failures are Problems whose message names the path and the kernel's reason.
// Used by one thread.
class FileStore {
 public:
  virtual ~FileStore() = default;

  virtual base::Result<std::string> read(const std::string& path) = 0;
  virtual std::optional<FileStatus> status(const std::string& path) = 0;  // nothing: not there
  virtual std::vector<std::string> list(
      const std::string& folder) = 0;  // names, sorted; empty if absent
  // Atomic replace (base/file.h). Empty string: done; else what failed. Same for the rest.
  virtual std::string write(const std::string& path, std::string_view bytes, mode_t mode) = 0;
  virtual std::string make_folder(const std::string& path, mode_t mode) = 0;  // with parents (0755)
  virtual std::string set_owner(const std::string& path, uid_t owner,
                                gid_t group) = 0;  // never follows a link
  virtual std::string remove(
      const std::string& path) = 0;  // a file, or an empty folder; absent is fine
  virtual bool writable(const std::string& folder) = 0;  // a file could be made there now
};

}  // namespace host
