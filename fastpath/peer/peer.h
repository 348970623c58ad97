// SPDX-License-Identifier: Apache-2.0
// One static-key or null peer as a pure machine: packets and time in, packets, timers and events
// out. Endpoints are never IPv4-mapped (base::IpAddress::unmapped) on either way.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ip.h"
#include "base/time.h"
#include "fastpath/config/tunnel_config.h"
#include "fastpath/packet/packet_batch.h"
#include "ovpn/static_key.h"

namespace peer {

// What happened to the peer that the shell must act on. Told once each, in order.
enum class PeerEvent {
  kHeard,          // first authenticated packet since the start or the last restart: CONNECTED
  kFloated,        // the peer's address changed to an authenticated source; see remote()
  kPingRestart,    // ping-restart ran out: SIGUSR1 restart, next remote
  kPingExit,       // ping-exit ran out
  kInactive,       // `inactive` ran out
  kRemoteExit,     // the peer sent OCC EXIT
  kOptionsDiffer,  // the peer's options string differs; see options_difference()
};

struct PeerCounters {  // payload bytes are tunnel packets; link bytes are UDP payloads
  std::uint64_t tun_read_bytes = 0, tun_write_bytes = 0;
  std::uint64_t link_read_bytes = 0, link_write_bytes = 0;
  std::uint64_t auth_read_bytes = 0;
  std::uint64_t packets_sealed = 0, packets_opened = 0;
  packet::DropCounters drops{};
};

struct PeerParts {
  config::TunnelConfig config;
  std::optional<ovpn::StaticKey> key;  // nothing in null mode
  // The long-form packet id's time: max(now, last used + 1), chosen and already on disk before
  // this.
  base::UnixSeconds packet_time = 0;
  // The link's family, for the options string and mssfix.
  base::IpFamily link_family = base::IpFamily::kIpv4;
  // Fills with unpredictable bytes (IVs are made from it); the simulation hands in a seeded one.
  std::function<void(base::MutableByteSpan)> random = {};
  std::function<base::UnixSeconds()> wall_clock = {};  // asked only when the packet id wraps
};

// Used by one worker. Holds no fd and asks no clock. Construction throws base::FatalError if a
// cipher or digest cannot be had from the crypto library.
class Peer {
 public:
  Peer(PeerParts parts, base::TimePoint now);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  // The addresses `remote` resolved to, the current one first: where to send until the peer floats,
  // and (without float) the only sources accepted. Empty: a responder. Restarts OCC and ping
  // timers.
  void set_remotes(std::vector<base::Endpoint> resolved, base::TimePoint now);
  // After set_remotes({}): where the peer was last heard, by an earlier run. Packets go there until
  // the first authenticated one comes, which says where the peer is. No effect where nothing is
  // authenticated.
  void suggest_remote(const base::Endpoint& last_known);
  // Where packets go, if anywhere.
  std::optional<base::Endpoint> remote() const;

  // tun -> link, in place: mssfix, framing, packet id, seal; sets each packet's peer. Packets that
  // are already dropped are left alone here and below, and are the caller's to count.
  void seal_batch(base::TimePoint now, packet::PacketBatch& batch);
  // link -> tun, in place: source check, authenticate, replay, then everything else. What is left
  // undropped and not swallowed is an IP packet for the tun.
  void open_batch(base::TimePoint now, packet::PacketBatch& batch);

  void handle_timeout(base::TimePoint now);             // spurious calls are harmless
  std::optional<base::TimePoint> next_timeout() const;  // may change after every call above
  // Pings and OCC messages that are due, sealed and addressed, one a call; false when none is left.
  bool next_packet(base::TimePoint now, packet::Packet& out);
  void send_exit_notify();  // queues one OCC EXIT
  std::optional<PeerEvent> next_event();

  bool heard() const;  // something authenticated came since the last set_remotes
  std::optional<base::TimePoint> last_heard() const;
  const PeerCounters& counters() const;
  std::string options_difference() const;  // "cipher: here AES-256-CBC, there BF-CBC"
  // The time of the packet ids in use; 0 in null mode. It has to grow when ids run out (2^32-1
  // packets) or, with auth but no cipher and no key-direction, when the peer turns out to use the
  // same one: then a later one is wanted. The next run must begin above every time that was used,
  // so it is used only once use_packet_time() says that it is on disk.
  base::UnixSeconds packet_time() const;
  std::optional<base::UnixSeconds> wanted_packet_time() const;
  void use_packet_time(base::UnixSeconds time);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The largest UDP payload that a tunnel packet of `mtu` bytes can become; sizes slots and buffers.
std::size_t link_bytes_max(const config::TunnelConfig& config);

}  // namespace peer
