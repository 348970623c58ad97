// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/ip.h"
#include "base/log.h"
#include "base/time.h"
#include "fastpath/io/event_loop.h"
#include "fastpath/io/packet_port.h"
#include "fastpath/packet/packet_batch.h"
#include "fastpath/peer/peer.h"

namespace engine {

// What the main thread may know of a worker: a copy, at most one batch old.
struct WorkerReport {
  peer::PeerCounters counters;  // with the ports' drops
  std::optional<base::Endpoint> remote;
  bool heard = false;
  std::optional<base::TimePoint> last_heard;
  // The peer needs a later packet time: put it on disk, then say use_packet_time().
  std::optional<base::UnixSeconds> wanted_packet_time;
  bool tun_gone = false;   // the interface was deleted behind our back
  bool link_gone = false;  // the connection is over, if the link is one
};

// A drop that a person should hear about, told at most once a minute per reason.
struct DropNotice {
  packet::DropReason reason = packet::DropReason::kNone;
  base::Endpoint source;
};

// All of these must outlive the worker and are used by nobody else while it runs.
struct WorkerParts {
  peer::Peer* peer = nullptr;
  io::PacketPort* tun = nullptr;
  io::PacketPort* link = nullptr;
  std::size_t tun_bytes_max = 0;
  std::size_t link_bytes_max = 0;
  std::optional<int> cpu;           // where to pin the thread
  io::WakeUp* wake_main = nullptr;  // notified when events or notices wait
};

// The data thread: reads a batch, seals or opens it in place, writes it, and goes on until nothing
// is waiting; then it parks in epoll. Made, asked and destroyed by the main thread.
class Worker {
 public:
  explicit Worker(const WorkerParts& parts);
  ~Worker();  // stops the thread and waits for it
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  WorkerReport report() const;
  std::vector<peer::PeerEvent> take_events();
  std::vector<DropNotice> take_notices();
  std::string pin_problem() const;         // empty: pinned, or not asked to
  std::string options_difference() const;  // as the peer told it last; empty: none known
  void set_remotes(std::vector<base::Endpoint> remotes);
  void send_exit_notify();
  void use_packet_time(base::UnixSeconds time);

  // What ended the thread, if anything did; the worker does nothing more then.
  std::exception_ptr failure() const;

  // The watchdog's question. True if the thread has turned since the last call, or is parked: a
  // thread that waits for work is healthy, and is not woken to prove it.
  bool answered_probe();

 private:
  struct Orders {
    std::optional<std::vector<base::Endpoint>> remotes;
    int exit_notifies = 0;
    std::optional<base::UnixSeconds> packet_time;
    bool any() const { return remotes || exit_notifies > 0 || packet_time; }
  };

  void run();
  void pin();
  void turn();
  bool pump_tun(base::TimePoint now);
  void send_tunnel_packets(base::TimePoint now);
  bool pump_link(base::TimePoint now);
  void heed_back_pressure();
  void follow_orders(base::TimePoint now);
  void send_own_packets(base::TimePoint now);
  void notice_drops(base::TimePoint now);
  void publish();
  void park();

  const WorkerParts parts_;
  // Of the worker's thread.
  io::EventLoop loop_;
  packet::PacketBatch tun_batch_;
  packet::PacketBatch link_batch_;
  packet::PacketBatch own_batch_;
  std::optional<packet::PacketBatch> pieces_;  // with `fragment`
  std::array<std::optional<base::TimePoint>, packet::kDropReasons> noticed_{};
  bool tun_ready_ = true;
  bool link_ready_ = true;
  bool tun_gone_ = false;
  bool link_gone_ = false;
  bool held_back_ = false;  // the tun is not read, because the link is backed up
  // Shared.
  io::WakeUp wake_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> parked_{false};
  std::atomic<bool> turned_{true};
  mutable std::mutex mutex_;  // guards the seven below
  WorkerReport report_;
  std::vector<peer::PeerEvent> events_;
  std::vector<DropNotice> notices_;
  Orders orders_;
  std::string pin_problem_;
  std::string options_difference_;
  std::exception_ptr failure_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace engine
