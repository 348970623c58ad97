// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/disk_file_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"
#include "supervisor/host/folder_handle.h"

namespace host {
namespace {

// Makes one folder with exactly `mode`. One that is there already keeps the mode its owner gave it.
std::string make_one(const std::string& path, mode_t mode) {
  if (::mkdir(path.c_str(), mode & 0700) != 0) {
    if (errno != EEXIST) return base::errno_text("cannot make folder " + path, errno);
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return {};
    return "cannot make folder " + path + ": a file of that name is in the way";
  }
  // The umask may have taken bits; widening comes after, so it is never too open.
  if (::chmod(path.c_str(), mode) != 0) {
    return base::errno_text("cannot set the mode of " + path, errno);
  }
  return {};
}

}  // namespace

DiskFileStore::DiskFileStore(std::string root) : root_(std::move(root)) {
  while (!root_.empty() && root_.back() == '/') root_.pop_back();
}

base::Result<std::string> DiskFileStore::read(const std::string& path) {
  return base::read_file(below_root(path));
}

std::optional<FileStatus> DiskFileStore::status(const std::string& path) {
  struct stat found {};
  const std::string whole = below_root(path);
  if (::stat(whole.c_str(), &found) != 0) return std::nullopt;
  struct stat itself {};
  const bool link = ::lstat(whole.c_str(), &itself) == 0 && S_ISLNK(itself.st_mode);
  return FileStatus{S_ISDIR(found.st_mode), found.st_mode & 07777u, found.st_uid, found.st_gid,
                    link};
}

std::vector<std::string> DiskFileStore::list(const std::string& folder) {
  std::vector<std::string> names;
  const FolderHandle open(::opendir(below_root(folder).c_str()));
  if (!open) return names;
  while (const dirent* entry = ::readdir(open.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string DiskFileStore::write(const std::string& path, std::string_view bytes, mode_t mode) {
  return base::write_file_atomically(below_root(path), bytes, mode);
}

std::string DiskFileStore::make_folder(const std::string& path, mode_t mode) {
  const std::string whole = below_root(path);
  for (std::size_t slash = whole.find('/', 1); slash != std::string::npos;
       slash = whole.find('/', slash + 1)) {
    std::string failure = make_one(whole.substr(0, slash), 0755);
    if (!failure.empty()) return failure;
  }
  return make_one(whole, mode);
}

std::string DiskFileStore::set_owner(const std::string& path, uid_t owner, gid_t group) {
  const std::string whole = below_root(path);
  if (::lchown(whole.c_str(), owner, group) == 0) return {};
  return base::errno_text("cannot change the owner of " + whole, errno);
}

std::string DiskFileStore::remove(const std::string& path) {
  const std::string whole = below_root(path);
  if (::unlink(whole.c_str()) == 0 || errno == ENOENT) return {};
  if (errno == EISDIR || errno == EPERM) {
    if (::rmdir(whole.c_str()) == 0 || errno == ENOENT) return {};
  }
  return base::errno_text("cannot remove " + whole, errno);
}

bool DiskFileStore::writable(const std::string& folder) {
  return ::access(below_root(folder).c_str(), W_OK | X_OK) == 0;
}

}  // namespace host
