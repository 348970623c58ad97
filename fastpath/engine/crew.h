// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "fastpath/engine/heartbeat.h"
#include "fastpath/engine/train_order.h"
#include "fastpath/io/event_loop.h"
#include "fastpath/peer/peer.h"

namespace engine {

// A batch, and what its peer notes about it.
struct Job {
  Job(std::size_t payload_max, std::size_t slots) : batch(payload_max, slots) {}

  packet::PacketBatch batch;
  peer::Train train;
  std::exception_ptr failure;  // what doing its bytes ended with
};

// How many batches of how many packets may be on their way in one direction. Bounded by memory:
// large packets get fewer, and shorter, batches.
struct RingSize {
  std::size_t places = 0, slots = 0;
  friend bool operator==(const RingSize&, const RingSize&) = default;
};
RingSize ring_size(std::size_t threads, std::size_t payload_max);

// The batches of one direction that are on their way. The order says whose each is.
class TrainRing {
 public:
  TrainRing(const RingSize& size, std::size_t payload_max);

  TrainOrder order;
  Job& job(std::size_t place) { return *jobs_[place]; }

 private:
  std::vector<std::unique_ptr<Job>> jobs_;
};

// Everything here must outlive the crew.
struct CrewParts {
  const peer::Peer* peer = nullptr;  // of which helpers do nothing but bytes
  std::size_t tun_bytes_max = 0;
  std::size_t link_bytes_max = 0;
  std::span<Heartbeat> heartbeats;  // as many as there are to be helpers
  std::vector<int> cpus;            // one for each, over and over; empty: the kernel chooses
  io::WakeUp* wake_lead = nullptr;  // notified when a front is done that the lead expects
  std::function<void(std::string)> complain;  // called by a helper that could not be pinned
};

// The threads that do bytes for the data thread, the lead, while it has more than it can do alone,
// and the trains that they share. Made and destroyed by the lead, which alone pushes and finishes.
// Its threads wait where there is nothing to take.
class Crew {
 public:
  using Way = peer::Train::Way;
  struct Taken {
    Way way;
    std::size_t place;
  };

  // Throws std::system_error if a thread cannot be had.
  explicit Crew(CrewParts parts);
  ~Crew();  // its threads do what is ready, and end
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  TrainRing& ring(Way way) { return rings_[static_cast<std::size_t>(way)]; }
  void push(Way way);  // the next of this ring is ready
  // The oldest of the one direction, the next time of the other: `turn` keeps which, one for each
  // who calls. Who takes a train owes done().
  std::optional<Taken> take(std::size_t& turn);
  bool waiting() const;  // there is something to take
  Job& job(const Taken& taken) { return ring(taken.way).job(taken.place); }
  // True: the lead is to be woken.
  [[nodiscard]] bool done(const Taken& taken) { return ring(taken.way).order.done(taken.place); }
  std::size_t helpers() const { return threads_.size(); }

 private:
  void run(std::size_t helper);
  void work(std::size_t helper);
  void stop();

  const CrewParts parts_;
  std::array<TrainRing, 2> rings_;  // by Way
  std::atomic<bool> stop_{false};
  std::atomic<std::uint32_t> pushes_{0};  // what helpers wait for to change
  std::vector<std::thread> threads_;      // last: they use all of the above
};

}  // namespace engine
