// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>

#include "base/unique_fd.h"

namespace base {
namespace {

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string temporary_prefix(std::string_view name) { return "." + std::string(name) + ".tmp."; }

std::string temporary_path(const std::string& path) {
  return folder_of(path) + "/" + temporary_name(name_of(path));
}

// Empty, or what failed. errno is read right after the call that set it.
std::string fill(int fd, const std::string& path, std::string_view bytes, mode_t mode) {
  // fchmod: the umask may have taken bits that `mode` asks for.
  if (::fchmod(fd, mode) != 0) return errno_text("cannot set the mode of " + path, errno);
  if (!write_all(fd, bytes)) return errno_text("cannot write " + path, errno);
  if (::fsync(fd) != 0) return errno_text("cannot write " + path + " to disk", errno);
  return {};
}

std::string write_named(const std::string& path, std::string_view bytes, mode_t mode) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!fd) return errno_text("cannot create " + path, errno);
  return fill(fd.get(), path, bytes, mode);
}

std::string replace_with(const std::string& temporary, const std::string& path) {
  if (::rename(temporary.c_str(), path.c_str()) == 0) return {};
  return errno_text("cannot replace " + path, errno);
}

// A file without a name until it is whole: a writer that is killed leaves nothing, so no key under
// a name that nobody looks for. Nothing is returned where the file system or a missing /proc does
// not allow it.
std::optional<std::string> write_unnamed(const std::string& path, std::string_view bytes,
                                         mode_t mode) {
  const UniqueFd fd(::open(folder_of(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode));
  if (!fd) return std::nullopt;
  if (std::string failure = fill(fd.get(), path, bytes, mode); !failure.empty()) return failure;
  const std::string unnamed = "/proc/self/fd/" + std::to_string(fd.get());
  const auto link = [&unnamed](const std::string& name) {
    return ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (link(path)) return std::string();
  if (errno != EEXIST) return std::nullopt;
  const std::string temporary = temporary_path(path);
  if (!link(temporary)) return std::nullopt;
  std::string failure = replace_with(temporary, path);
  if (!failure.empty()) ::unlink(temporary.c_str());
  return failure;
}

std::string write_by_name(const std::string& path, std::string_view bytes, mode_t mode) {
  const std::string temporary = temporary_path(path);
  std::string failure = write_named(temporary, bytes, mode);
  if (failure.empty()) failure = replace_with(temporary, path);
  if (!failure.empty()) ::unlink(temporary.c_str());
  return failure;
}

// A pipe without a writer would be waited for for ever; one that has a writer is read as any file.
UniqueFd open_to_read(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (fd && ::fcntl(fd.get(), F_SETFL, O_RDONLY) != 0) fd.reset();
  return fd;
}

// O_NONBLOCK: to a pipe without a reader it is ENXIO instead of waiting.
std::string write_through(const std::string& path, std::string_view bytes, mode_t mode) {
  const int how = O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  const UniqueFd fd(::open(path.c_str(), how, mode));
  if (!fd && errno == ENXIO) return "cannot write " + path + ": it is a pipe that nobody reads";
  if (!fd || !write_all(fd.get(), bytes)) return errno_text("cannot write " + path, errno);
  return {};
}

bool is_pipe(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t size_max) {
  const UniqueFd fd = open_to_read(path);
  if (!fd) return Problem{{}, errno_text("cannot read " + path, errno), {}};
  std::string bytes;
  char buffer[16384];
  for (;;) {
    const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Problem{{}, errno_text("cannot read " + path, errno), {}};
    if (got == 0) break;
    bytes.append(buffer, static_cast<std::size_t>(got));
    if (bytes.size() > size_max) {
      return Problem{{}, path + " is larger than " + std::to_string(size_max) + " bytes", {}};
    }
  }
  if (bytes.empty() && is_pipe(fd.get())) {
    return Problem{{}, "cannot read " + path + ": it is a pipe that nothing comes out of", {}};
  }
  ::explicit_bzero(buffer, sizeof buffer);  // keys are read through here too
  return bytes;
}

std::string write_file_atomically(const std::string& path, std::string_view bytes, mode_t mode) {
  const auto unnamed = write_unnamed(path, bytes, mode);
  const std::string failure = unnamed ? *unnamed : write_by_name(path, bytes, mode);
  if (!failure.empty()) return failure;
  const UniqueFd folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems refuse fsync on a folder; the rename itself stands all the same.
  if (folder) static_cast<void>(::fsync(folder.get()));
  return {};
}

std::string write_named_file(const std::string& path, std::string_view bytes, mode_t mode) {
  struct stat status {};
  const bool special = ::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  return special ? write_through(path, bytes, mode) : write_file_atomically(path, bytes, mode);
}

std::string temporary_name(std::string_view name) {
  std::uint8_t tail[6];
  random_bytes(tail);
  return temporary_prefix(name) + to_hex(tail);
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool is_leftover_of(std::string_view name, std::string_view entry) {
  return entry.starts_with(temporary_prefix(name));
}

void random_bytes(MutableByteSpan to) {
  while (!to.empty()) {
    const ssize_t got = ::getrandom(to.data(), to.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw FatalError(errno_text("getrandom", errno));
    to = to.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace base
