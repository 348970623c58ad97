// SPDX-License-Identifier: Apache-2.0
// Preloaded into an engine, it makes CLOCK_REALTIME show what the file that TEST_CLOCK names says:
// seconds since 1970. Without the file it is the machine's own clock.
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace {

long long seconds_in_file() {
  const char* path = std::getenv("TEST_CLOCK");
  const int fd = path == nullptr ? -1 : ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  std::array<char, 32> text{};
  const ssize_t size = ::read(fd, text.data(), text.size() - 1);
  ::close(fd);
  return size > 0 ? std::atoll(text.data()) : -1;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* to) noexcept {
  const long long shown = clock == CLOCK_REALTIME ? seconds_in_file() : -1;
  if (shown < 0) return static_cast<int>(::syscall(SYS_clock_gettime, clock, to));
  to->tv_sec = shown;
  to->tv_nsec = 0;
  return 0;
}
