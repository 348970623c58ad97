// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/worker.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "base/cpu_list.h"

namespace engine {
namespace {

constexpr std::uint32_t kTunTag = 0;
constexpr std::uint32_t kLinkTag = 1;
constexpr std::uint32_t kWakeTag = 2;
constexpr std::size_t kOwnPackets = 8;  // pings leave by twos, a handshake by fours
// How soon what is due of our own is tried again that found no room. It is data that waits there.
constexpr auto kOwnRetry = std::chrono::milliseconds(50);
constexpr auto kNoticeInterval = std::chrono::seconds(60);
constexpr std::array kNoticed{packet::DropReason::kAuthFailed,     packet::DropReason::kStranger,
                              packet::DropReason::kTimeBackwards,  packet::DropReason::kBadFraming,
                              packet::DropReason::kBadCompression, packet::DropReason::kOwnPacket};

void add(packet::DropCounters& to, const packet::DropCounters& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

bool worth_notice(packet::DropReason reason) {
  return std::find(kNoticed.begin(), kNoticed.end(), reason) != kNoticed.end();
}

}  // namespace

Worker::Worker(const WorkerParts& parts)
    : parts_(parts),
      tun_(Way::kSeal, *parts.tun, parts.tun_bytes_max),
      link_(Way::kOpen, *parts.link, parts.link_bytes_max),
      own_batch_(parts.link_bytes_max, kOwnPackets),
      heartbeats_(std::make_unique<Heartbeat[]>(parts.threads)) {
  if (parts.peer->fragments()) pieces_.emplace(parts.link_bytes_max);
  loop_.watch(parts.tun->readable_fd(), kTunTag);
  loop_.watch(parts.link->readable_fd(), kLinkTag);
  loop_.watch(wake_.fd(), kWakeTag);
  publish();
  heartbeat_.unpark();
  thread_ = std::thread([this] { run(); });
}

Worker::~Worker() {
  stop_ = true;
  wake_.notify();
  thread_.join();
}

void Worker::run() {
  // `tunctl status` and top(1) tell it from the main thread by this.
  ::pthread_setname_np(::pthread_self(), "data");
  try {
    pin();
    while (!stop_) turn();
    finish_all();
    // What was asked for before the end still counts: a datagram may be on its way to the peer.
    follow_orders(base::monotonic_now());
  } catch (...) {
    // It belongs to main, which undoes what was set up and says why.
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    parts_.wake_main->notify();
  }
}

void Worker::pin() {
  if (parts_.cpus.empty()) return;
  std::string problem = base::set_affinity(0, {parts_.cpus.front()});
  if (!problem.empty()) complain(std::move(problem));
}

void Worker::complain(std::string thread_problem) {
  const std::lock_guard lock(mutex_);
  thread_problem_ = std::move(thread_problem);
}

void Worker::turn() {
  heartbeat_.turn();
  const base::TimePoint now = base::monotonic_now();
  follow_orders(now);
  heed_back_pressure();
  finish_trains(now);
  if (can_read(tun_)) pump(now, tun_);
  if (can_read(link_)) pump(now, link_);
  const auto timeout = parts_.peer->next_timeout();
  if (timeout && *timeout <= now) parts_.peer->handle_timeout(now);
  send_own_packets(now);
  heed_back_pressure();
  join_or_leave(now);
  if (crew_) help();
  publish();
  park();
}

// What the link cannot take yet is left in the tun's queue, where the kernel drops the oldest
// flows' packets by its own rules; nothing that was sealed is ever dropped here.
void Worker::heed_back_pressure() {
  parts_.link->flush();
  const bool backed_up = parts_.link->backed_up();
  if (backed_up == held_back_) return;
  held_back_ = backed_up;
  if (!link_.gone) loop_.watch_writable(parts_.link->readable_fd(), kLinkTag, backed_up);
  if (tun_.gone) return;
  if (backed_up) return loop_.unwatch(parts_.tun->readable_fd());
  loop_.watch(parts_.tun->readable_fd(), kTunTag);
  tun_.ready = true;
}

void Worker::follow_orders(base::TimePoint now) {
  Orders orders;
  {
    const std::lock_guard lock(mutex_);
    if (orders_.empty()) return;
    orders = std::exchange(orders_, {});
  }
  for (const Order& step : orders.steps) step(*parts_.peer, now);
  send_datagrams(orders.datagrams);
}

void Worker::send_datagrams(const std::vector<peer::ControlPacket>& datagrams) {
  own_batch_.clear();
  const auto flush = [this] {
    if (!own_batch_.packets().empty()) parts_.link->write(own_batch_);
    own_batch_.clear();
  };
  for (const peer::ControlPacket& datagram : datagrams) {
    packet::Packet* packet = own_batch_.append();
    if (packet == nullptr) {
      flush();
      packet = own_batch_.append();
    }
    packet->reset();
    const base::MutableByteSpan space = packet->fill_space();
    if (datagram.bytes.size() > space.size()) {
      own_batch_.take_back();
      continue;
    }
    std::ranges::copy(datagram.bytes, space.begin());
    packet->set_size(datagram.bytes.size());
    packet->peer = datagram.source;
  }
  flush();
}

void Worker::hand_over_control_packets() {
  std::vector<peer::ControlPacket> packets = parts_.peer->take_control_packets();
  if (packets.empty() || parts_.mailbox == nullptr) return;
  control_overflow_ += parts_.mailbox->put(std::move(packets));
  parts_.wake_main->notify();
}

// Behind the trains that are on their way: what is sealed now has a later number than they.
void Worker::send_own_packets(base::TimePoint now) {
  TrainRing* const ring = ring_of(Way::kSeal);
  own_waits_ = ring != nullptr && ring->order.full();
  if (own_waits_) return;
  if (ring != nullptr && !ring->order.empty()) {
    Job& job = ring->job(ring->order.next());
    job.batch.clear();
    if (parts_.peer->begin_own(now, job.batch, job.train)) crew_->push(Way::kSeal);
    return;
  }
  own_batch_.clear();
  while (packet::Packet* packet = own_batch_.append()) {
    if (parts_.peer->next_packet(now, *packet)) continue;
    own_batch_.take_back();
    break;
  }
  if (!own_batch_.packets().empty()) parts_.link->write(own_batch_);
}

void Worker::notice_drops(base::TimePoint now, const packet::PacketBatch& batch) {
  for (const packet::Packet& packet : batch.packets()) {
    if (!packet.dropped() || !worth_notice(packet.verdict)) continue;
    auto& last = noticed_[static_cast<std::size_t>(packet.verdict)];
    if (last && now - *last < kNoticeInterval) continue;
    last = now;
    const std::lock_guard lock(mutex_);
    notices_.push_back({packet.verdict, packet.peer});
    parts_.wake_main->notify();
  }
}

void Worker::publish() {
  WorkerReport report;
  report.counters = parts_.peer->counters();
  add(report.counters.drops, parts_.tun->drops());
  add(report.counters.drops, parts_.link->drops());
  report.counters.drops[static_cast<std::size_t>(packet::DropReason::kControlOverflow)] +=
      control_overflow_;
  report.remote = parts_.peer->remote();
  report.heard = parts_.peer->heard();
  report.last_heard = parts_.peer->last_heard();
  report.wanted_packet_time = parts_.peer->wanted_packet_time();
  report.tun_gone = tun_.gone;
  report.link_gone = link_.gone;
  report.helpers = crew_ ? crew_->helpers() : 0;
  bool news = false;
  {
    const std::lock_guard lock(mutex_);
    news = report.wanted_packet_time != report_.wanted_packet_time ||
           report.tun_gone != report_.tun_gone || report.link_gone != report_.link_gone;
    report_ = report;
    while (const auto event = parts_.peer->next_event()) {
      events_.push_back(*event);
      if (*event == peer::PeerEvent::kOptionsDiffer) {
        options_difference_ = parts_.peer->options_difference();
      }
      news = true;
    }
  }
  if (news) parts_.wake_main->notify();
}

void Worker::park() {
  std::optional<base::TimePoint> until = parts_.peer->next_timeout();
  if (own_waits_ && until) until = std::max(*until, base::monotonic_now() + kOwnRetry);
  if (crew_) until = std::min(until.value_or(rule_.leave_at()), rule_.leave_at());
  // Where something is to be done the next turn comes at once; this only looks what else is ready.
  const bool busy = !idle();
  if (busy) until = base::TimePoint();
  if (!busy) heartbeat_.park();
  const auto ready = loop_.wait(until);
  heartbeat_.unpark();
  if (crew_) {
    for (const Way way : {Way::kSeal, Way::kOpen}) crew_->ring(way).order.forget_front();
  }
  for (const std::uint32_t tag : ready) {
    if (tag == kTunTag) tun_.ready = true;
    if (tag == kLinkTag) link_.ready = true;
    if (tag == kWakeTag) wake_.clear();
  }
}

WorkerReport Worker::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

std::vector<peer::PeerEvent> Worker::take_events() {
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

std::vector<DropNotice> Worker::take_notices() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notices_, {});
}

std::string Worker::thread_problem() const {
  const std::lock_guard lock(mutex_);
  return thread_problem_;
}

std::string Worker::options_difference() const {
  const std::lock_guard lock(mutex_);
  return options_difference_;
}

void Worker::order(Order step) {
  {
    const std::lock_guard lock(mutex_);
    orders_.steps.push_back(std::move(step));
  }
  wake_.notify();
}

void Worker::set_remotes(std::vector<base::Endpoint> remotes) {
  order([remotes = std::move(remotes)](peer::Peer& peer, base::TimePoint now) {
    peer.set_remotes(remotes, now);
  });
}

void Worker::send_exit_notify() {
  order([](peer::Peer& peer, base::TimePoint) { peer.send_exit_notify(); });
}

void Worker::send_control(std::vector<peer::ControlPacket> datagrams) {
  {
    const std::lock_guard lock(mutex_);
    orders_.datagrams.insert(orders_.datagrams.end(), std::make_move_iterator(datagrams.begin()),
                             std::make_move_iterator(datagrams.end()));
  }
  wake_.notify();
}

void Worker::use_packet_time(base::UnixSeconds time) {
  order([time](peer::Peer& peer, base::TimePoint) { peer.use_packet_time(time); });
}

std::exception_ptr Worker::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void Worker::install_keys(crypto::DataKeys keys, bool first) {
  // Shared only because a std::function has to be copyable; there is one copy.
  auto held = std::make_shared<crypto::DataKeys>(std::move(keys));
  order([this, held, first](peer::Peer& peer, base::TimePoint now) {
    std::string problem = peer.install_keys(*held, first, now);
    if (problem.empty()) return;
    const std::lock_guard lock(mutex_);
    key_problem_ = std::move(problem);
    parts_.wake_main->notify();
  });
}

void Worker::retire_key(std::uint8_t key_id) {
  order([key_id](peer::Peer& peer, base::TimePoint) { peer.retire_key(key_id); });
}

void Worker::set_negotiated(const peer::Negotiated& negotiated) {
  order([negotiated](peer::Peer& peer, base::TimePoint now) {
    peer.set_negotiated(negotiated, now);
  });
}

void Worker::set_session_peer(const base::Endpoint& endpoint) {
  order(
      [endpoint](peer::Peer& peer, base::TimePoint now) { peer.set_session_peer(endpoint, now); });
}

void Worker::control_packet_authenticated() {
  order([](peer::Peer& peer, base::TimePoint now) { peer.control_packet_authenticated(now); });
}

std::string Worker::take_key_problem() {
  const std::lock_guard lock(mutex_);
  return std::exchange(key_problem_, {});
}

bool Worker::answered_probe() {
  bool answered = heartbeat_.answered();
  for (std::size_t i = 0; i + 1 < parts_.threads; ++i) answered &= heartbeats_[i].answered();
  return answered;
}

}  // namespace engine
