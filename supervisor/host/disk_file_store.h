// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "supervisor/host/file_store.h"

namespace host {

// The real disk. Every path is taken below `root` (the option --root; empty: the machine's own
// root). Links in `root` itself are followed, as with any prefix a person gives.
class DiskFileStore : public FileStore {
 public:
  explicit DiskFileStore(std::string root = {});

  base::Result<std::string> read(const std::string& path) override;
  std::optional<FileStatus> status(const std::string& path) override;
  std::vector<std::string> list(const std::string& folder) override;
  std::string write(const std::string& path, std::string_view bytes, mode_t mode) override;
  std::string make_folder(const std::string& path, mode_t mode) override;
  std::string set_owner(const std::string& path, uid_t owner, gid_t group) override;
  std::string remove(const std::string& path) override;
  bool writable(const std::string& folder) override;

 private:
  std::string below_root(const std::string& path) const { return root_ + path; }

  std::string root_;
};

}  // namespace host
