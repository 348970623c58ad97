// SPDX-License-Identifier: Apache-2.0
#include "fastpath/io/event_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "base/error.h"

namespace io {
namespace {

int milliseconds_until(std::optional<base::TimePoint> until) {
  if (!until) return -1;
  const auto left = *until - base::monotonic_now();
  if (left <= base::Duration::zero()) return 0;
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::min<std::int64_t>(ms, std::numeric_limits<int>::max()));
}

}  // namespace

EventLoop::EventLoop() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) throw base::FatalError(base::errno_text("epoll_create1", errno));
}

void EventLoop::watch(int fd, std::uint32_t tag, bool writable) {
  control(EPOLL_CTL_ADD, fd, tag, writable);
}

void EventLoop::watch_writable(int fd, std::uint32_t tag, bool writable) {
  control(EPOLL_CTL_MOD, fd, tag, writable);
}

void EventLoop::control(int operation, int fd, std::uint32_t tag, bool writable) {
  if (fd < 0) return;
  epoll_event event{};
  event.events = writable ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.u32 = tag;
  if (::epoll_ctl(epoll_.get(), operation, fd, &event) != 0) {
    throw base::FatalError(base::errno_text("epoll_ctl", errno));
  }
}

void EventLoop::unwatch(int fd) {
  if (fd < 0) return;
  // A descriptor that is already gone has left the set by itself.
  static_cast<void>(::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr));
}

std::span<const std::uint32_t> EventLoop::wait(std::optional<base::TimePoint> until) {
  std::array<epoll_event, 16> events{};
  const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                                 milliseconds_until(until));
  if (count < 0 && errno != EINTR) throw base::FatalError(base::errno_text("epoll_wait", errno));
  const std::size_t ready = count > 0 ? static_cast<std::size_t>(count) : 0;
  for (std::size_t i = 0; i < ready; ++i) ready_[i] = events[i].data.u32;
  return std::span(ready_).first(ready);
}

WakeUp::WakeUp() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!fd_) throw base::FatalError(base::errno_text("eventfd", errno));
}

void WakeUp::notify() {
  const std::uint64_t one = 1;
  // EAGAIN means the counter is full: the reader is awake anyway.
  if (::write(fd_.get(), &one, sizeof one) < 0) return;
}

void WakeUp::clear() {
  std::uint64_t count = 0;
  if (::read(fd_.get(), &count, sizeof count) < 0) return;
}

}  // namespace io
