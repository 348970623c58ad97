// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/owned_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/file.h"
#include "supervisor/host/disk_file_store.h"
#include "supervisor/host/folder_handle.h"

namespace host {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr std::size_t kReadBytesMax = std::size_t{1} << 20;

// The owner is changed only where it differs, so that a folder of one's own needs no privilege.
int give(int fd, const struct stat& now, uid_t owner, gid_t group) {
  if (now.st_uid == owner && now.st_gid == group) return 0;
  return ::fchown(fd, owner, group);
}

void give_plain_file(int folder, const char* name, uid_t owner, gid_t group) {
  const base::UniqueFd fd(
      ::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return;
  if (!S_ISREG(status.st_mode) || status.st_nlink != 1) return;
  // A file that cannot be given is one the engine will find unreadable and name itself.
  if (give(fd.get(), status, owner, group) != 0) return;
}

void give_plain_files(int folder, uid_t owner, gid_t group) {
  const FolderHandle listing(::fdopendir(::dup(folder)));
  if (!listing) return;
  while (const dirent* entry = ::readdir(listing.get())) {
    give_plain_file(folder, entry->d_name, owner, group);
  }
}

}  // namespace

base::Result<OwnedFolder> OwnedFolder::open(const std::string& path) {
  base::UniqueFd fd(::open(path.c_str(), kFolderFlags));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) {
    return base::Problem{{}, base::errno_text("cannot open folder " + path, errno), {}};
  }
  return OwnedFolder(path, std::move(fd), status.st_uid, status.st_gid);
}

std::string OwnedFolder::write(const std::string& name, std::string_view bytes, mode_t mode) {
  const std::string temporary = base::temporary_name(name);
  const std::string shown = path_ + "/" + name;
  const base::UniqueFd fd(::openat(fd_.get(), temporary.c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) {
    return base::errno_text("cannot create " + shown, errno);
  }
  std::string failure;
  if (give(fd.get(), status, owner_, group_) != 0) {
    failure = base::errno_text("cannot change the owner of " + shown, errno);
  } else if (!base::write_all(fd.get(), bytes)) {
    failure = base::errno_text("cannot write " + shown, errno);
  } else if (::fchmod(fd.get(), mode) != 0) {
    failure = base::errno_text("cannot set the mode of " + shown, errno);
  } else if (::renameat(fd_.get(), temporary.c_str(), fd_.get(), name.c_str()) != 0) {
    failure = base::errno_text("cannot replace " + shown, errno);
  }
  if (!failure.empty()) ::unlinkat(fd_.get(), temporary.c_str(), 0);
  return failure;
}

std::optional<std::string> OwnedFolder::read(const std::string& name) {
  const base::UniqueFd fd(
      ::openat(fd_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::string bytes;
  char buffer[4096];
  while (bytes.size() < kReadBytesMax) {
    const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(got));
  }
  return std::nullopt;
}

void OwnedFolder::remove(const std::string& name) { ::unlinkat(fd_.get(), name.c_str(), 0); }

std::string give_folder(const std::string& parent, const std::string& name, uid_t owner,
                        gid_t group) {
  std::string failure = DiskFileStore().make_folder(parent, 0755);
  if (!failure.empty()) return failure;
  const base::UniqueFd above(::open(parent.c_str(), kFolderFlags));
  if (!above) return base::errno_text("cannot open folder " + parent, errno);
  const std::string shown = parent + "/" + name;
  if (::mkdirat(above.get(), name.c_str(), 0700) != 0 && errno != EEXIST) {
    return base::errno_text("cannot make folder " + shown, errno);
  }
  const base::UniqueFd folder(::openat(above.get(), name.c_str(), kFolderFlags));
  struct stat status {};
  if (!folder || ::fstat(folder.get(), &status) != 0) {
    return base::errno_text("cannot open folder " + shown, errno);
  }
  if (::faccessat(above.get(), name.c_str(), W_OK | X_OK, 0) != 0 ||
      give(folder.get(), status, owner, group) != 0 || ::fchmod(folder.get(), 0700) != 0) {
    return base::errno_text("cannot give folder " + shown + " to the engine", errno);
  }
  give_plain_files(folder.get(), owner, group);
  return {};
}

}  // namespace host
