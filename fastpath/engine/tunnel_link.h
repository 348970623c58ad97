// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "fastpath/config/tunnel_config.h"
#include "fastpath/engine/keeper.h"
#include "fastpath/engine/packet_time.h"
#include "fastpath/engine/worker.h"
#include "fastpath/io/null_port.h"
#include "fastpath/io/tcp_port.h"
#include "fastpath/io/tcp_socket.h"
#include "fastpath/io/udp_port.h"
#include "fastpath/peer/peer.h"
#include "ovpn/static_key.h"

namespace engine {

// The tunnel's end towards the network: socket, peer, and the worker between it and the device.
// The peer outlives restarts, so that its replay window does too. Used by the main thread.
class TunnelLink {
 public:
  // `threads`: how many may carry packets; 0: as many as this process was given CPUs.
  TunnelLink(const config::TunnelConfig& config, const crypto::CipherChoice& ciphers,
             std::size_t threads, PacketTime& packet_time, io::WakeUp& wake_main,
             const base::Log& log);
  ~TunnelLink();

  // Who keeps the socket beyond this process; nobody, if not called. Outlives this object. The
  // first open() then goes on with the socket and the peer that another run left, if they fit.
  void keep_by(Keeper* keeper);
  void leave();  // to whoever takes it over

  // Takes effect when the next worker starts, in a new peer if it differs.
  void set_key(const std::optional<ovpn::StaticKey>& key);

  // Socket and peer for these targets (none: wait for whoever comes); the worker must not run. A
  // bound socket of the right family stays. Throws base::FatalError with what is in the way.
  void open(const std::vector<base::Endpoint>& targets);
  // The same over a connection that stands; `transport` tells who called whom.
  void open_stream(std::unique_ptr<io::TcpPort> stream, config::Transport transport);
  bool has_stream() const { return stream_ != nullptr; }
  // Lets go of the connection; returns why it ended, empty if it had not.
  std::string close_stream();
  // What sockets of streams are asked to be, for calling `target`, or for being called without one.
  io::TcpSettings stream_settings(const std::optional<base::Endpoint>& target) const;
  // After open() without targets: where the peer was last heard. False if it is not to be tried:
  // another family, or nothing authenticates.
  bool suggest(const base::Endpoint& last_known);
  // After open() or open_stream(). A `tun` of nothing: the device is not there yet.
  void start_worker(io::PacketPort* tun);
  // TLS mode: what came for the handshake since the last call.
  std::vector<peer::ControlPacket> take_control_packets() { return mailbox_.take(); }
  // TLS mode, while no worker runs: what the config says of what a server may change.
  void reset_negotiated();
  void stop_worker() { worker_.reset(); }
  // What a server wants of the socket's buffers, in bytes; 0: nothing.
  void set_buffers(int sndbuf_bytes, int rcvbuf_bytes);

  // True if open() would change nothing but whom to send to.
  bool can_retarget(const std::vector<base::Endpoint>& targets) const;

  Worker* worker() { return worker_.get(); }
  WorkerReport report() const;
  std::string describe_socket() const;
  std::string offloads() const;  // see io::PacketPort

  // What `config` says of what a server's push may change.
  static peer::Negotiated negotiable(const config::TunnelConfig& config);

 private:
  io::UdpSettings settings(base::IpFamily family, bool dual_stack) const;
  void open_socket(const std::vector<base::Endpoint>& targets);
  std::optional<base::IpAddress> local_address() const;
  std::unique_ptr<io::UdpPort> left_socket(const io::UdpSettings& wanted);
  void let_go_of_socket();
  void let_go_of_peer_unless(base::IpFamily family, config::Transport transport);
  void make_peer();

  const config::TunnelConfig& config_;
  const crypto::CipherChoice ciphers_;
  const std::size_t threads_;
  PacketTime& packet_time_;
  io::WakeUp& wake_main_;
  const base::Log& log_;
  Keeper* keeper_ = nullptr;
  std::optional<peer::Carried> carried_;  // of another run, until there is a peer
  std::optional<ovpn::StaticKey> key_;
  base::IpFamily family_ = base::IpFamily::kIpv4;          // of socket_ and peer_
  config::Transport transport_ = config::Transport::kUdp;  // likewise
  std::unique_ptr<io::UdpPort> socket_;                    // one of these two
  std::unique_ptr<io::TcpPort> stream_;
  io::NullPort no_tun_;
  ControlMailbox mailbox_;
  std::unique_ptr<peer::Peer> peer_;
  std::unique_ptr<Worker> worker_;  // last: it uses the two above
};

}  // namespace engine
