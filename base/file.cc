// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/unique_fd.h"

namespace base {
namespace {

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string temporary_name(const std::string& path) {
  std::uint8_t tail[6];
  random_bytes(tail);
  const auto slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return folder_of(path) + "/." + name + ".tmp." + to_hex(tail);
}

// Empty, or what failed. errno is read right after the call that set it.
std::string write_temporary(const std::string& path, std::string_view bytes, mode_t mode) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!fd) return errno_text("cannot create " + path, errno);
  // fchmod: the umask may have taken bits that `mode` asks for.
  if (::fchmod(fd.get(), mode) != 0) return errno_text("cannot set the mode of " + path, errno);
  if (!write_all(fd.get(), bytes)) return errno_text("cannot write " + path, errno);
  if (::fsync(fd.get()) != 0) return errno_text("cannot write " + path + " to disk", errno);
  return {};
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t size_max) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return Problem{{}, errno_text("cannot read " + path, errno), {}};
  std::string bytes;
  char buffer[16384];
  for (;;) {
    const ssize_t got = ::read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Problem{{}, errno_text("cannot read " + path, errno), {}};
    if (got == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(got));
    if (bytes.size() > size_max) {
      return Problem{{}, path + " is larger than " + std::to_string(size_max) + " bytes", {}};
    }
  }
}

std::string write_file_atomically(const std::string& path, std::string_view bytes, mode_t mode) {
  const std::string temporary = temporary_name(path);
  std::string failure = write_temporary(temporary, bytes, mode);
  if (failure.empty() && ::rename(temporary.c_str(), path.c_str()) != 0) {
    failure = errno_text("cannot replace " + path, errno);
  }
  if (!failure.empty()) {
    ::unlink(temporary.c_str());
    return failure;
  }
  const UniqueFd folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems refuse fsync on a folder; the rename itself stands all the same.
  if (folder) static_cast<void>(::fsync(folder.get()));
  return {};
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
