// SPDX-License-Identifier: Apache-2.0
// Whatever is done by whomever in whatever order: it is finished in the order it was pushed.
#include "fastpath/engine/train_order.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

#include "fastpath/engine/crew.h"

namespace {

using engine::TrainOrder;

TEST(TrainOrder, OneAfterTheOther) {
  TrainOrder order(2);
  EXPECT_TRUE(order.empty());
  EXPECT_FALSE(order.waiting());
  EXPECT_FALSE(order.take());
  EXPECT_FALSE(order.front_done());
  EXPECT_EQ(order.next(), 0u);
  order.push();
  EXPECT_EQ(order.next(), 1u);
  order.push();
  EXPECT_TRUE(order.full());
  EXPECT_TRUE(order.waiting());
  EXPECT_EQ(order.take(), 0u);
  EXPECT_EQ(order.take(), 1u);
  EXPECT_FALSE(order.take());
  EXPECT_FALSE(order.done(1));
  EXPECT_FALSE(order.front_done());
  EXPECT_FALSE(order.done(0));
  EXPECT_TRUE(order.front_done());
  EXPECT_EQ(order.front(), 0u);
  order.pop();
  EXPECT_FALSE(order.full());
  EXPECT_TRUE(order.front_done());
  order.pop();
  EXPECT_TRUE(order.empty());
}

TEST(TrainOrder, APlaceThatComesAgainIsNotDoneBefore) {
  TrainOrder order(1);
  for (int round = 0; round < 3; ++round) {
    order.push();
    EXPECT_FALSE(order.front_done());
    ASSERT_EQ(order.take(), 0u);
    EXPECT_FALSE(order.done(0));
    EXPECT_TRUE(order.front_done());
    order.pop();
  }
}

TEST(TrainOrder, TellsOfTheFrontThatIsExpectedAndOfNoOther) {
  TrainOrder order(3);
  for (int i = 0; i < 3; ++i) {
    order.push();
    order.take();
  }
  EXPECT_TRUE(order.expect_front());
  EXPECT_FALSE(order.done(1));
  EXPECT_TRUE(order.done(0));
  order.forget_front();
  order.pop();
  // It is done by now: waiting for it would be for ever.
  EXPECT_FALSE(order.expect_front());
  order.pop();
  EXPECT_TRUE(order.expect_front());
  order.forget_front();
  EXPECT_FALSE(order.done(2));
}

// A lead and helpers as one thread, every step of which is chosen by a seed.
TEST(TrainOrder, KeepsTheOrderWhateverTheInterleaving) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const std::size_t places = 1 + seed % 9;
    TrainOrder order(places);
    std::vector<int> number(places);
    std::vector<std::size_t> taken;
    int pushed = 0, taken_ever = 0, finished = 0;
    while (finished < 300) {
      switch (random() % 4) {
        case 0:
          if (order.full()) break;
          number[order.next()] = pushed++;
          order.push();
          break;
        case 1:
          if (const auto place = order.take()) {
            ASSERT_EQ(number[*place], taken_ever++) << "not the oldest; seed " << seed;
            taken.push_back(*place);
          }
          break;
        case 2:
          if (taken.empty()) break;
          std::swap(taken[random() % taken.size()], taken.back());
          static_cast<void>(order.done(taken.back()));
          taken.pop_back();
          break;
        default:
          if (!order.front_done()) break;
          ASSERT_EQ(number[order.front()], finished) << "seed " << seed;
          ++finished;
          order.pop();
      }
      ASSERT_LE(pushed - finished, static_cast<int>(places));
    }
  }
}

// The same with threads: each train is done once, and finished in order with what was done to it.
TEST(TrainOrder, KeepsTheOrderWithSevenHelpers) {
  constexpr int kTrains = 20'000;
  TrainOrder order(8);
  std::vector<int> number(8), made(8);
  std::atomic<bool> stop{false};
  const auto work = [&] {
    const auto place = order.take();
    if (!place) return false;
    made[*place] = number[*place] * 3;
    static_cast<void>(order.done(*place));
    return true;
  };
  std::vector<std::thread> helpers;
  for (int i = 0; i < 7; ++i) {
    helpers.emplace_back([&] {
      while (!stop) {
        if (!work()) std::this_thread::yield();
      }
    });
  }
  int pushed = 0, wrong = 0;
  for (int finished = 0; finished < kTrains;) {
    while (pushed < kTrains && !order.full()) {
      number[order.next()] = pushed++;
      order.push();
    }
    if (!work()) order.wait_for_front();
    while (order.front_done()) {
      if (made[order.front()] != 3 * finished++) ++wrong;
      order.pop();
    }
  }
  stop = true;
  for (std::thread& helper : helpers) helper.join();
  EXPECT_EQ(wrong, 0);
}

TEST(RingSize, IsBoundedByThreadsAndByMemory) {
  using engine::ring_size;
  using engine::RingSize;
  EXPECT_EQ(ring_size(2, 1700), (RingSize{8, 64}));
  EXPECT_EQ(ring_size(4, 1700), (RingSize{16, 64}));
  EXPECT_EQ(ring_size(16, 1700), (RingSize{16, 64}));
  for (const std::size_t payload : {100, 1500, 9200, 20'000, 65'700}) {
    for (const std::size_t threads : {2, 4, 16}) {
      const RingSize size = ring_size(threads, payload);
      EXPECT_GE(size.places, 4u);
      EXPECT_GE(size.slots, 8u);
      EXPECT_LE(size.places * size.slots * payload, std::size_t{6} << 20) << payload;
    }
  }
}

}  // namespace
