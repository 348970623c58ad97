// SPDX-License-Identifier: Apache-2.0
// Root's hand in a folder that belongs to an unprivileged engine.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/unique_fd.h"

namespace host {

// A folder whose owner may do in it what he likes while root writes files for him there. So every
// name is opened relative to the folder, no link is followed, and a file has its owner and mode
// before its first byte: no path is looked up twice. Used by one thread.
class OwnedFolder {
 public:
  // The folder itself must not be a link.
  static base::Result<OwnedFolder> open(const std::string& path);

  const std::string& path() const { return path_; }
  uid_t owner() const { return owner_; }
  gid_t group() const { return group_; }

  // Replaces `name` (no slash) in one step; the file belongs to the folder's owner. Empty: done.
  [[nodiscard]] std::string write(const std::string& name, std::string_view bytes, mode_t mode);
  std::optional<std::string> read(const std::string& name);  // nothing: absent or not a plain file
  void remove(const std::string& name);                      // absent is fine

 private:
  OwnedFolder(std::string path, base::UniqueFd fd, uid_t owner, gid_t group)
      : path_(std::move(path)), fd_(std::move(fd)), owner_(owner), group_(group) {}

  std::string path_;
  base::UniqueFd fd_;
  uid_t owner_;
  gid_t group_;
};

// Makes `parent`/`name` (parent 0755, folder 0700) and gives it and the plain files in it to
// `owner`; links and files with a second name elsewhere are left alone. A dynamic user has another
// number after each boot, which is why this is done at every start. Returns what failed, or empty.
[[nodiscard]] std::string give_folder(const std::string& parent, const std::string& name,
                                      uid_t owner, gid_t group);

}  // namespace host
