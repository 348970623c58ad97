// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/train_order.h"

namespace engine {

void TrainOrder::push() {
  done_[next()].store(0, std::memory_order_relaxed);
  pushed_.store(pushed_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

bool TrainOrder::front_done() const {
  return !empty() && done_[front()].load(std::memory_order_acquire) != 0;
}

void TrainOrder::wait_for_front() const { done_[front()].wait(0, std::memory_order_acquire); }

// The lead says what it expects and then looks; a helper says that it is done and then looks. Both
// in one order for all threads, so that one of them sees the other.
bool TrainOrder::expect_front() {
  expected_.store(front(), std::memory_order_seq_cst);
  if (done_[front()].load(std::memory_order_seq_cst) == 0) return true;
  forget_front();
  return false;
}

std::optional<std::size_t> TrainOrder::take() {
  std::uint64_t number = taken_.load(std::memory_order_relaxed);
  do {
    if (number >= pushed_.load(std::memory_order_acquire)) return std::nullopt;
  } while (!taken_.compare_exchange_weak(number, number + 1, std::memory_order_relaxed));
  return place_of(number);
}

bool TrainOrder::waiting() const {
  return taken_.load(std::memory_order_relaxed) < pushed_.load(std::memory_order_acquire);
}

bool TrainOrder::done(std::size_t place) {
  done_[place].store(1, std::memory_order_seq_cst);
  done_[place].notify_one();
  return expected_.load(std::memory_order_seq_cst) == place;
}

}  // namespace engine
