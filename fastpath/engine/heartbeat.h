// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace engine {

// Whether a thread still turns, for another to ask. One that waits for work is healthy, and is not
// woken to prove it; neither is one that was not started.
class Heartbeat {
 public:
  // The thread's own.
  void turn() { turned_.store(true, std::memory_order_relaxed); }
  void park() { parked_.store(true, std::memory_order_release); }
  void unpark() { parked_.store(false, std::memory_order_release); }

  // Since the last call, or parked.
  bool answered() {
    // Parked first: a thread that leaves its park between the two questions has turned since.
    const bool parked = parked_.load(std::memory_order_acquire);
    return turned_.exchange(false) || parked;
  }

 private:
  std::atomic<bool> parked_{true};
  std::atomic<bool> turned_{true};
};

}  // namespace engine
