// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/ip.h"
#include "base/log.h"
#include "base/time.h"
#include "fastpath/engine/control_mailbox.h"
#include "fastpath/engine/crew.h"
#include "fastpath/engine/heartbeat.h"
#include "fastpath/engine/helper_rule.h"
#include "fastpath/engine/kept_memory.h"
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
  bool tun_gone = false;    // the interface was deleted behind our back
  bool link_gone = false;   // the connection is over, if the link is one
  std::size_t helpers = 0;  // threads that work beside the data thread at the moment
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
  // How many may carry packets: the data thread and its helpers. The peer was made for as many.
  std::size_t threads = 1;
  // Where to pin them: the data thread to the first, helpers to the others in turn. Empty: nowhere.
  std::vector<int> cpus = {};
  io::WakeUp* wake_main = nullptr;  // notified when events, notices or control packets wait
  // Where Peer::received() and barred() are kept; nothing: nowhere.
  KeptWord* received = nullptr;
  KeptWord* barred = nullptr;
  ControlMailbox* mailbox = nullptr;  // for control packets of TLS mode
};

// The data thread: reads a batch, seals or opens it in place, writes it, and goes on until nothing
// is waiting; then it parks in epoll. It owns every state that a packet meets. While it has more to
// do than one thread can, helpers do the bytes of batches, which it begins and finishes in order
// (worker_trains.cc). Made, asked and destroyed by the main thread.
class Worker {
 public:
  explicit Worker(const WorkerParts& parts);
  ~Worker();  // stops the thread and waits for it
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  WorkerReport report() const;
  std::vector<peer::PeerEvent> take_events();
  std::vector<DropNotice> take_notices();
  // What is wrong with the threads: one could not be pinned, or not be had. Empty: nothing.
  std::string thread_problem() const;
  std::string options_difference() const;  // as the peer told it last; empty: none known
  void set_remotes(std::vector<base::Endpoint> remotes);
  void send_exit_notify();
  void use_packet_time(base::UnixSeconds time);

  // What ended the thread, if anything did; the worker does nothing more then.
  std::exception_ptr failure() const;

  // TLS mode. What these ask for happens on the worker's thread, in the order of the calls.
  void send_control(std::vector<peer::ControlPacket> datagrams);  // to their `source`
  void install_keys(crypto::DataKeys keys, bool first);
  void retire_key(std::uint8_t key_id);
  void set_negotiated(const peer::Negotiated& negotiated);
  void set_session_peer(const base::Endpoint& peer);
  void control_packet_authenticated();
  std::string take_key_problem();  // why keys could not be installed; empty: they were

  // The watchdog's question: has every thread turned since the last call, or is parked?
  bool answered_probe();

 private:
  using Order = std::function<void(peer::Peer&, base::TimePoint)>;
  struct Orders {
    std::vector<Order> steps;
    std::vector<peer::ControlPacket> datagrams;
    bool empty() const { return steps.empty() && datagrams.empty(); }
  };
  using Way = peer::Train::Way;
  // One of the two ways: where its batches come from.
  struct Side {
    Side(Way of, io::PacketPort& from, std::size_t payload_max)
        : way(of), port(from), alone(payload_max, packet::kBatchPackets) {}

    const Way way;
    io::PacketPort& port;
    bool ready = true;  // it may hold more
    bool gone = false;  // nothing will ever come
    Job alone;          // for what this thread does from end to end
  };

  void run();
  void pin();
  void turn();
  void heed_back_pressure();

  // worker_trains.cc
  void pump(base::TimePoint now, Side& side);
  void carry(base::TimePoint now, Side& side, Job& job);
  void send_in_pieces(base::TimePoint now);
  void do_bytes(Job& job);
  void finish(base::TimePoint now, Way way, Job& job);
  void finish_trains(base::TimePoint now, bool regardless = false);
  bool may_finish(Way way);
  TrainRing* ring_of(Way way);
  bool can_read(const Side& side);
  void join_or_leave(base::TimePoint now);
  void help();
  bool idle();
  void finish_all();

  void order(Order step);
  void follow_orders(base::TimePoint now);
  void send_datagrams(const std::vector<peer::ControlPacket>& datagrams);
  void hand_over_control_packets();
  void send_own_packets(base::TimePoint now);
  void notice_drops(base::TimePoint now, const packet::PacketBatch& batch);
  void complain(std::string thread_problem);
  void publish();
  void park();

  const WorkerParts parts_;
  // Of the worker's thread.
  io::EventLoop loop_;
  Side tun_, link_;
  packet::PacketBatch own_batch_;
  std::optional<packet::PacketBatch> pieces_;  // with `fragment`
  std::array<std::optional<base::TimePoint>, packet::kDropReasons> noticed_{};
  std::uint64_t control_overflow_ = 0;  // packets that the mailbox had no room for
  bool held_back_ = false;              // the tun is not read, because the link is backed up
  bool own_waits_ = false;  // what is due of our own, because the ring of its way is full
  HelperRule rule_;
  bool helpers_failed_ = false;  // they could not be had, and are not asked for again
  std::size_t turn_ = 0;         // see Crew::take()
  // Shared.
  io::WakeUp wake_;
  std::atomic<bool> stop_{false};
  Heartbeat heartbeat_;
  const std::unique_ptr<Heartbeat[]> heartbeats_;  // of helpers
  mutable std::mutex mutex_;                       // guards the eight below
  WorkerReport report_;
  std::vector<peer::PeerEvent> events_;
  std::vector<DropNotice> notices_;
  Orders orders_;
  std::string thread_problem_;
  std::string options_difference_;
  std::exception_ptr failure_;
  std::string key_problem_;
  // They use all of the above. The crew is the data thread's while that runs.
  std::unique_ptr<Crew> crew_;
  std::thread thread_;
};

}  // namespace engine
