// SPDX-License-Identifier: Apache-2.0
// Two peers over a noisy wire on a virtual clock, watched by an oracle that knows what was sent.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fastpath/peer/peer.h"
#include "tests/support/noisy_wire.h"
#include "tests/support/peer_parts.h"

namespace sim {

// Which datagrams of one sender a receiver must take, and which it must not.
class Oracle {
 public:
  struct Sent {
    base::UnixSeconds time = 0;  // packet-id time it was sent under
    std::uint64_t id = 0;        // counted by the oracle, per time
    base::Bytes ip;              // empty: a ping or OCC message
  };
  enum class Due { kMust, kMay, kMustNot };

  explicit Oracle(std::uint32_t window) : window_(window) {}

  std::uint64_t sent(base::UnixSeconds time, base::Bytes ip);
  // An intact datagram arrives: what its receiver owes, before it was opened.
  Due arrives(std::uint64_t number);
  const Sent& operator[](std::uint64_t number) const { return sent_[number]; }
  void link_restarted();      // the receiver's set_remotes
  void receiver_restarted();  // the receiver is another process: it knows nothing

 private:
  const std::uint32_t window_;
  std::vector<Sent> sent_;
  std::map<base::UnixSeconds, std::uint64_t> ids_;
  std::set<std::uint64_t> taken_;
  base::UnixSeconds newest_time_ = 0;
  std::uint64_t newest_id_ = 0;
  bool restarted_ = false;
};

struct Host {
  Host(const base::Endpoint& endpoint, std::uint32_t window)
      : address(endpoint), incoming(window) {}

  base::Endpoint address;
  std::unique_ptr<peer::Peer> peer;
  base::UnixSeconds last_packet_time = 0;
  Oracle incoming;  // of what comes to this host
  std::vector<std::pair<base::TimePoint, peer::PeerEvent>> events;
  std::set<base::Bytes> sent;  // datagrams
  std::uint64_t delivered = 0;
};

struct TunnelSetup {
  support::Layout layout;
  bool float_allowed = false;
  bool responder = false;  // b has no remote
  bool same_second = false;
  int ping_seconds = 2, ping_restart_seconds = 20;
};

class World {
 public:
  World(std::uint64_t seed, const TunnelSetup& setup);

  void start(Host& host);  // also: restart as another process, within the same second
  void send_ip(Host& from, std::size_t bytes);
  void run_until(base::TimePoint end);
  base::TimePoint now() const { return now_; }

  support::NoisyWire wire;
  Host a, b;
  std::vector<std::string> complaints;
  bool reflecting = false;  // every datagram also comes back to its sender, from its receiver

 private:
  base::UnixSeconds unix_now() const;
  Host& other(Host& host) { return &host == &a ? b : a; }
  void put_on_wire(Host& from, const packet::Packet& packet, base::Bytes ip);
  void deliver(const support::Datagram& datagram);
  void reflect(const support::Datagram& datagram);
  void turn(Host& host);  // timers, messages, events, as an engine's loop does
  std::optional<base::TimePoint> next_moment() const;

  const std::uint64_t seed_;
  const TunnelSetup setup_;
  base::TimePoint now_{std::chrono::seconds(5000)};
  packet::PacketBatch batch_{2048, 1};
  std::uint32_t mark_ = 0;
  std::uint64_t starts_ = 0;
};

}  // namespace sim
