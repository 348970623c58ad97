// SPDX-License-Identifier: Apache-2.0
// How batches go through the data thread: from end to end on it alone, or with their bytes done by
// whoever has time.
//
//   read -> begin -> bytes -> finish, write               nothing else is on its way
//   read -> begin -> ring -> bytes, by any thread -> ring -> finish, write, in the order of begin
//
// Each way has a ring of its own, so that a link that takes nothing holds up only what it is for.
// Nothing is read while the ring of that way is full.
#include <algorithm>
#include <system_error>
#include <utility>

#include "fastpath/engine/worker.h"

namespace engine {
namespace {

// Messages of our own go through the tun's ring as well: an options string is the longest.
constexpr std::size_t kOwnBytesMax = 1024;

}  // namespace

// Nothing: everything of that way goes from end to end. With `fragment` a batch of the tun becomes
// several of the link's, which would need room in the ring before anybody knows how much; sealing
// stays here then.
TrainRing* Worker::ring_of(Way way) {
  if (!crew_ || (way == Way::kSeal && pieces_)) return nullptr;
  return &crew_->ring(way);
}

bool Worker::can_read(const Side& side) {
  if (!side.ready || (side.way == Way::kSeal && held_back_)) return false;
  const TrainRing* const ring = ring_of(side.way);
  return ring == nullptr || !ring->order.full();
}

void Worker::pump(base::TimePoint now, Side& side) {
  TrainRing* const ring = ring_of(side.way);
  Job& job = ring != nullptr ? ring->job(ring->order.next()) : side.alone;
  job.batch.clear();
  const io::ReadOutcome outcome = side.port.read(job.batch);
  side.ready = outcome == io::ReadOutcome::kMore;
  if (outcome == io::ReadOutcome::kGone) {
    // It stays ready to read for ever, and would keep this thread turning.
    loop_.unwatch(side.port.readable_fd());
    side.gone = true;
  }
  rule_.read(static_cast<std::size_t>(side.way), now, side.ready);
  if (job.batch.packets().empty()) return;
  if (side.way == Way::kSeal && pieces_) return send_in_pieces(now);
  carry(now, side, job);
}

void Worker::carry(base::TimePoint now, Side& side, Job& job) {
  if (side.way == Way::kSeal) {
    parts_.peer->begin_seal(now, job.batch, job.train);
  } else {
    parts_.peer->begin_open(now, job.batch, job.train);
  }
  const TrainRing* const ring = ring_of(side.way);
  // A batch that nothing waits behind, and that waits for nothing, is soonest done here.
  const bool alone = !side.ready && ring != nullptr && ring->order.empty() && may_finish(side.way);
  if (ring != nullptr && !alone) return crew_->push(side.way);
  do_bytes(job);
  finish(now, side.way, job);
}

void Worker::send_in_pieces(base::TimePoint now) {
  packet::PacketBatch& batch = tun_.alone.batch;
  for (std::size_t at = 0; at < batch.packets().size();) {
    pieces_->clear();
    at = parts_.peer->seal_fragments(now, batch, at, *pieces_);
    if (!pieces_->packets().empty()) parts_.link->write(*pieces_);
  }
  notice_drops(now, batch);
}

// Only full batches are measured: a lone packet pays for no clock.
void Worker::do_bytes(Job& job) {
  if (parts_.threads == 1 || !job.batch.full()) {
    return parts_.peer->do_bytes(crypto::kLead, job.train);
  }
  const base::TimePoint begun = base::monotonic_now();
  parts_.peer->do_bytes(crypto::kLead, job.train);
  rule_.measured(base::monotonic_now() - begun);
}

void Worker::finish(base::TimePoint now, Way way, Job& job) {
  if (job.failure) std::rethrow_exception(std::exchange(job.failure, nullptr));
  if (way == Way::kSeal) {
    parts_.peer->finish_seal(now, job.train);
    notice_drops(now, job.batch);
    return parts_.link->write(job.batch);
  }
  parts_.peer->finish_open(now, job.train);
  // Before anything of it is handed on: what was, will not be taken a second time.
  if (parts_.received != nullptr) {
    parts_.barred->set(parts_.peer->barred());
    parts_.received->set(parts_.peer->received());
  }
  notice_drops(now, job.batch);
  parts_.tun->write(job.batch);
  hand_over_control_packets();
}

// What a backed-up link would have to keep stays in its ring: the link keeps little.
bool Worker::may_finish(Way way) { return way == Way::kOpen || !parts_.link->backed_up(); }

void Worker::finish_trains(base::TimePoint now, bool regardless) {
  if (!crew_) return;
  for (const Way way : {Way::kSeal, Way::kOpen}) {
    TrainRing& ring = crew_->ring(way);
    while (ring.order.front_done() && (regardless || may_finish(way))) {
      finish(now, way, ring.job(ring.order.front()));
      ring.order.pop();
    }
  }
}

void Worker::join_or_leave(base::TimePoint now) {
  if (!crew_ && parts_.threads > 1 && !helpers_failed_ && rule_.join()) {
    CrewParts parts;
    parts.peer = parts_.peer;
    parts.tun_bytes_max = std::max(parts_.tun_bytes_max, kOwnBytesMax);
    parts.link_bytes_max = parts_.link_bytes_max;
    parts.heartbeats = {heartbeats_.get(), parts_.threads - 1};
    // The first is this thread's, unless it is the only one.
    const std::size_t taken = parts_.cpus.size() > 1 ? 1 : 0;
    parts.cpus.assign(parts_.cpus.begin() + static_cast<std::ptrdiff_t>(taken), parts_.cpus.end());
    parts.wake_lead = &wake_;
    parts.complain = [this](std::string problem) { complain(std::move(problem)); };
    try {
      crew_ = std::make_unique<Crew>(std::move(parts));
    } catch (const std::system_error& error) {
      helpers_failed_ = true;
      complain(std::string("no thread beside the data thread can be had: ") + error.what());
    }
    return;
  }
  if (crew_ && rule_.leave(now) && crew_->ring(Way::kSeal).order.empty() &&
      crew_->ring(Way::kOpen).order.empty()) {
    crew_.reset();
  }
}

// Reading comes first, for it is this thread's alone; then it is one of those who do bytes.
void Worker::help() {
  if (can_read(tun_) || can_read(link_)) return;
  if (const auto taken = crew_->take(turn_)) {
    do_bytes(crew_->job(*taken));
    static_cast<void>(crew_->done(*taken));
    return;
  }
  // All are with helpers. A port that may be read but for a full ring would not let epoll wait.
  for (const Side* const side : {&tun_, &link_}) {
    const bool blocked = side->ready && !(side->way == Way::kSeal && held_back_);
    if (blocked) return crew_->ring(side->way).order.wait_for_front();
  }
}

// Nothing is to be done before epoll, or a helper, tells: who finishes what goes out next does.
bool Worker::idle() {
  if (can_read(tun_) || can_read(link_)) return false;
  if (!crew_) return true;
  if (crew_->waiting()) return false;
  for (const Way way : {Way::kSeal, Way::kOpen}) {
    TrainOrder& order = crew_->ring(way).order;
    if (!order.empty() && may_finish(way) && !order.expect_front()) return false;
  }
  return true;
}

// The end: nothing that has a number is left behind. What a backed-up link does not take goes the
// way of what waits inside of it.
void Worker::finish_all() {
  if (!crew_) return;
  held_back_ = true;
  link_.ready = false;
  for (const Way way : {Way::kSeal, Way::kOpen}) {
    TrainOrder& order = crew_->ring(way).order;
    while (!order.empty()) {
      if (crew_->waiting()) {
        help();
      } else {
        order.wait_for_front();
      }
      finish_trains(base::monotonic_now(), true);
    }
  }
}

}  // namespace engine
