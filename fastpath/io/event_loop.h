// SPDX-License-Identifier: Apache-2.0
// Waiting for descriptors, for a moment, or for another thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "base/time.h"
#include "base/unique_fd.h"

namespace io {

// One thread waits in it. Throws base::FatalError where the kernel has no more descriptors.
class EventLoop {
 public:
  EventLoop();

  // Level-triggered: readable, and writable too if `writable`. `tag` is what wait() reports; fd -1
  // is ignored.
  void watch(int fd, std::uint32_t tag, bool writable = false);
  // Of a descriptor that is watched: whether it is to be reported when writable as well.
  void watch_writable(int fd, std::uint32_t tag, bool writable);
  void unwatch(int fd);
  // Tags that are ready; none if `until` came first. Without `until` it waits for ever; with one in
  // the past it only looks. Wakes late rather than early: by less than 1 ms.
  std::span<const std::uint32_t> wait(std::optional<base::TimePoint> until);

 private:
  void control(int operation, int fd, std::uint32_t tag, bool writable);

  base::UniqueFd epoll_;
  std::array<std::uint32_t, 16> ready_{};
};

// Wakes an EventLoop from another thread (eventfd). notify() may be called by any thread.
class WakeUp {
 public:
  WakeUp();
  int fd() const { return fd_.get(); }
  void notify();
  void clear();

 private:
  base::UniqueFd fd_;
};

}  // namespace io
