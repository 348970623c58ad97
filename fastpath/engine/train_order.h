// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace engine {

// The order of trains in one direction: places in a ring that one thread, the lead, fills and
// finishes strictly in turn, while any thread takes the oldest and says when its bytes are done, in
// whatever order.
//
//   free -- push() --> ready -- take() --> taken -- done() --> done -- pop() --> free
//
// What a place stands for belongs to the lead while it is free or done, to all for looking at while
// it is ready, and to who took it until done(). No locks; nothing is allocated after construction.
class TrainOrder {
 public:
  static constexpr std::size_t kPlacesMax = 64;

  explicit TrainOrder(std::size_t places) : places_(places) {}  // 1 to kPlacesMax

  // The lead's.
  bool empty() const { return finished_ == pushed_.load(std::memory_order_relaxed); }
  bool full() const { return pushed_.load(std::memory_order_relaxed) - finished_ == places_; }
  std::size_t next() const {  // the place that push() makes ready; not when full
    return place_of(pushed_.load(std::memory_order_relaxed));
  }
  void push();
  std::size_t front() const { return place_of(finished_); }  // the oldest; not when empty
  bool front_done() const;                                   // false when empty
  void pop() { ++finished_; }                                // the front, which is done
  // Blocks until it is: it must have been taken by another thread.
  void wait_for_front() const;
  // The lead is going to wait elsewhere: done() of the front place will tell that. False: there is
  // no need to wait. Until forget_front().
  [[nodiscard]] bool expect_front();
  void forget_front() { expected_.store(kNone, std::memory_order_relaxed); }

  // Any thread's.
  std::optional<std::size_t> take();
  bool waiting() const;  // something can be taken
  // True: the lead expects this one, and is to be woken.
  [[nodiscard]] bool done(std::size_t place);

 private:
  static constexpr std::size_t kNone = kPlacesMax;

  std::size_t place_of(std::uint64_t number) const {
    return static_cast<std::size_t>(number % places_);
  }

  const std::size_t places_;
  std::uint64_t finished_ = 0;  // how many, of the lead
  // Each on a cache line of its own: helpers write what the lead does not.
  alignas(64) std::atomic<std::uint64_t> pushed_{0};
  alignas(64) std::atomic<std::uint64_t> taken_{0};
  alignas(64) std::atomic<std::size_t> expected_{kNone};
  std::array<std::atomic<std::uint32_t>, kPlacesMax> done_{};
};

}  // namespace engine
