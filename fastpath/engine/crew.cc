// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/crew.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "base/cpu_list.h"

namespace engine {
namespace {

// Of both directions together. With packets of 1500 bytes sixteen batches each way are 4 MiB.
constexpr std::size_t kRingBytesMax = std::size_t{12} << 20;
constexpr std::size_t kPlacesPerThread = 4, kPlacesMin = 4, kPlacesMax = 16;
constexpr std::size_t kSlotsMin = 8;

}  // namespace

RingSize ring_size(std::size_t threads, std::size_t payload_max) {
  const std::size_t slot = packet::kHeadroomBytes + payload_max + packet::kTailroomBytes;
  const std::size_t slots_each_way = kRingBytesMax / 2 / slot;
  RingSize size;
  size.places = std::clamp(slots_each_way / packet::kBatchPackets, kPlacesMin,
                           std::clamp(kPlacesPerThread * threads, kPlacesMin, kPlacesMax));
  size.slots = std::clamp(slots_each_way / size.places, kSlotsMin, packet::kBatchPackets);
  return size;
}

TrainRing::TrainRing(const RingSize& size, std::size_t payload_max) : order(size.places) {
  for (std::size_t i = 0; i < size.places; ++i) {
    jobs_.push_back(std::make_unique<Job>(payload_max, size.slots));
  }
}

Crew::Crew(CrewParts parts)
    : parts_(std::move(parts)),
      rings_{TrainRing(ring_size(parts_.heartbeats.size() + 1, parts_.tun_bytes_max),
                       parts_.tun_bytes_max),
             TrainRing(ring_size(parts_.heartbeats.size() + 1, parts_.link_bytes_max),
                       parts_.link_bytes_max)} {
  static_assert(kPlacesMax <= TrainOrder::kPlacesMax);
  threads_.reserve(parts_.heartbeats.size());
  try {
    for (std::size_t i = 0; i < parts_.heartbeats.size(); ++i) {
      threads_.emplace_back([this, i] { run(i); });
    }
  } catch (...) {
    stop();
    throw;
  }
}

Crew::~Crew() { stop(); }

void Crew::stop() {
  stop_ = true;
  ++pushes_;
  pushes_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Crew::push(Way way) {
  ring(way).order.push();
  ++pushes_;
  pushes_.notify_one();
}

std::optional<Crew::Taken> Crew::take(std::size_t& turn) {
  for (std::size_t tried = 0; tried < rings_.size(); ++tried) {
    const std::size_t index = turn++ % rings_.size();
    if (const auto place = rings_[index].order.take()) {
      return Taken{static_cast<Way>(index), *place};
    }
  }
  return std::nullopt;
}

bool Crew::waiting() const {
  return std::ranges::any_of(rings_, [](const TrainRing& ring) { return ring.order.waiting(); });
}

void Crew::run(std::size_t helper) {
  // As the data thread is "data": tunctl status and top(1) tell them apart.
  const std::string name = "data-" + std::to_string(helper + 1);
  ::pthread_setname_np(::pthread_self(), name.c_str());
  if (!parts_.cpus.empty()) {
    std::string problem = base::set_affinity(0, {parts_.cpus[helper % parts_.cpus.size()]});
    if (!problem.empty()) parts_.complain(std::move(problem));
  }
  parts_.heartbeats[helper].unpark();
  work(helper);
  parts_.heartbeats[helper].park();
}

void Crew::work(std::size_t helper) {
  Heartbeat& heartbeat = parts_.heartbeats[helper];
  std::size_t turn = 0;
  for (;;) {
    heartbeat.turn();
    // Before looking: what is pushed after this makes the wait below end at once.
    const std::uint32_t seen = pushes_.load();
    if (const auto taken = take(turn)) {
      Job& train = job(*taken);
      try {
        parts_.peer->do_bytes(helper + 1, train.train);
      } catch (...) {
        train.failure = std::current_exception();  // the lead's, when its turn comes
      }
      if (done(*taken)) parts_.wake_lead->notify();
    } else if (stop_) {
      return;
    } else {
      heartbeat.park();
      pushes_.wait(seen);
      heartbeat.unpark();
    }
  }
}

}  // namespace engine
