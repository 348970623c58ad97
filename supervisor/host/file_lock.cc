// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <thread>

namespace host {
namespace {

constexpr base::Duration kPace = std::chrono::milliseconds(5);

}  // namespace

base::UniqueFd lock_file(const std::string& path, base::Duration limit) {
  base::UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  const base::TimePoint end = base::monotonic_now() + limit;
  while (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if ((errno != EWOULDBLOCK && errno != EINTR) || base::monotonic_now() > end) return {};
    std::this_thread::sleep_for(kPace);
  }
  return fd;
}

}  // namespace host
