// SPDX-License-Identifier: Apache-2.0
// One peer, under a static key, in null mode or in TLS mode, as a pure machine: packets and time
// in, packets, timers and events out. In TLS mode the handshake happens elsewhere: its packets are
// handed out, and its keys come in. Endpoints are never IPv4-mapped (base::IpAddress::unmapped) on
// either way.
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
#include "fastpath/data/key_ring.h"
#include "fastpath/packet/packet_batch.h"
#include "fastpath/peer/train.h"
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
  kOptionsDiffer,  // the peer's options string differs otherwise than before, or no longer; see
                   // options_difference()
  kRenegotiate,    // TLS mode: the newest key nears a limit; once per key
};

struct PeerCounters {  // payload bytes are tunnel packets; link bytes are UDP payloads
  std::uint64_t tun_read_bytes = 0, tun_write_bytes = 0;
  std::uint64_t link_read_bytes = 0, link_write_bytes = 0;
  std::uint64_t auth_read_bytes = 0;
  std::uint64_t packets_sealed = 0, packets_opened = 0;
  packet::DropCounters drops{};
};

// What one process may leave of a peer under a static key, and another go on with. There is no
// number of what was sent in it: the next one begins under a later packet time.
struct Carried {
  std::optional<base::Endpoint> remote;  // where packets went
  // The newest packet id that was accepted since the link began, as time << 32 | id, and up to
  // where those from before that are refused (data::ReplayWindow); 0: none.
  std::uint64_t received = 0, barred = 0;
};

// What only TLS mode has.
struct TlsParts {
  // What a REQUEST of OCC is answered with; empty: it is not answered.
  std::string options_string;
  // See data::KeyRingParts.
  base::Duration key_switch_after = std::chrono::seconds(60);
};

struct PeerParts {
  config::TunnelConfig config;
  std::optional<ovpn::StaticKey> key;  // nothing in null mode and in TLS mode
  std::optional<TlsParts> tls = {};    // set: TLS mode
  // The long-form packet id's time: max(now, last used + 1), chosen and already on disk before
  // this.
  base::UnixSeconds packet_time = 0;
  // The link's family, for the options string and mssfix.
  base::IpFamily link_family = base::IpFamily::kIpv4;
  // Fills with unpredictable bytes (IVs are made from it); the simulation hands in a seeded one.
  std::function<void(base::MutableByteSpan)> random = {};
  std::function<base::UnixSeconds()> wall_clock = {};  // asked only when the packet id wraps
  crypto::CipherChoice ciphers = {};                   // what does the work; EVP by default
  std::size_t workers = 1;                             // how many may do bytes at a time
};

// What the peer's push, or the handshake, changes of a tunnel in TLS mode; begin with the values of
// the config.
struct Negotiated {
  config::Framing framing = config::Framing::kNone;
  config::KeepaliveConfig keepalive = {};
  config::MssfixConfig mssfix = {};
  // Of one key, both ways; 0: no limit. Nothing: 64 MiB for ciphers with blocks of 8 bytes, which
  // birthdays make unsafe soon, and no limit else.
  std::optional<std::int64_t> reneg_bytes = {};
  std::int64_t reneg_packets = 0;
};

// TLS mode: a packet whose opcode is not of data, as it came.
struct ControlPacket {
  base::Endpoint source;
  base::Bytes bytes;
};
inline constexpr std::size_t kControlPacketsMax = 64;

// Used by one thread, but for do_bytes(). Holds no fd and asks no clock. Construction throws
// base::FatalError if a cipher or digest cannot be had from the crypto library.
class Peer {
 public:
  Peer(PeerParts parts, base::TimePoint now);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  // The addresses `remote` resolved to, the current one first: where to send until the peer floats,
  // and (without float) the only sources accepted; in TLS mode only the current one is. Empty: a
  // responder. Restarts OCC and ping timers; in TLS mode all keys are void.
  void set_remotes(std::vector<base::Endpoint> resolved, base::TimePoint now);
  // After set_remotes({}): where the peer was last heard, by an earlier run. Packets go there until
  // the first authenticated one comes, which says where the peer is. No effect where nothing is
  // authenticated.
  void suggest_remote(const base::Endpoint& last_known);
  // After set_remotes(), before the first packet: goes on where another process ended. Only packets
  // newer than those that it accepted are. No effect in TLS mode.
  void go_on(const Carried& carried);
  // See Carried. They move before a packet is handed on by finish_open().
  std::uint64_t received() const;
  std::uint64_t barred() const;
  // Where packets go, if anywhere.
  std::optional<base::Endpoint> remote() const;

  // tun -> link, in place: mssfix, framing, packet id, seal; sets each packet's peer. Packets that
  // are already dropped are left alone here and below, and are the caller's to count.
  void seal_batch(base::TimePoint now, packet::PacketBatch& batch);
  // With `fragment` a tunnel packet may leave as several: those of `in` from `at` on go to `out` as
  // seal_batch() would leave them, while there is room. Returns the first that had none. Call it
  // instead of seal_batch() until that is the size of `in`; `out` empty each time, with at least
  // wire::kFragmentsMax slots.
  bool fragments() const;
  std::size_t seal_fragments(base::TimePoint now, packet::PacketBatch& in, std::size_t at,
                             packet::PacketBatch& out);
  // link -> tun, in place: source check, authenticate, replay, then everything else. What is left
  // undropped and not swallowed is an IP packet for the tun.
  void open_batch(base::TimePoint now, packet::PacketBatch& batch);

  // The same in three steps, for batches of at most data::kTrainPackets. Everything that has a
  // state is in the first and the last, which are this thread's: numbers, in the order of begin_…,
  // and verdicts, counts and timers, in the order of finish_…, which must be the order of begin_…
  // for each way. Whatever else is called in between holds for what is begun after it.
  void begin_seal(base::TimePoint now, packet::PacketBatch& batch, Train& train);
  void begin_open(base::TimePoint now, packet::PacketBatch& batch, Train& train);
  // The bytes in between: on any thread, each worker under an index of its own, while this object
  // is used for anything else.
  void do_bytes(crypto::WorkerIndex worker, Train& train) const;
  void finish_seal(base::TimePoint now, Train& train);
  void finish_open(base::TimePoint now, Train& train);

  // TLS mode. Keys serve as data::KeyRing says. Returns what is wrong with them, and nothing has
  // changed then; empty: installed.
  [[nodiscard]] std::string install_keys(const crypto::DataKeys& keys, bool first,
                                         base::TimePoint now);
  void retire_key(std::uint8_t key_id);
  void clear_keys();
  bool has_keys() const;
  // Timers of the ping family begin again.
  void set_negotiated(const Negotiated& negotiated, base::TimePoint now);
  // Where the handshake's peer is: a responder knows no other way. Not while keys of another are
  // in use.
  void set_session_peer(const base::Endpoint& peer, base::TimePoint now);
  // The handshake took a packet for authentic: that is a sign of life as good as data.
  void control_packet_authenticated(base::TimePoint now);
  // What came since the last call, in order; at most kControlPacketsMax are kept.
  std::vector<ControlPacket> take_control_packets();
  std::uint64_t bytes_under_key() const;  // newest key, both ways
  std::uint64_t packets_under_key() const;

  void handle_timeout(base::TimePoint now);             // spurious calls are harmless
  std::optional<base::TimePoint> next_timeout() const;  // may change after every call above
  // Pings and OCC messages that are due, sealed and addressed, one a call; false when none is left.
  bool next_packet(base::TimePoint now, packet::Packet& out);
  // The same in three steps: what is due is appended to `batch` while there is room, begun, and
  // goes on as after begin_seal(). False: nothing was due.
  bool begin_own(base::TimePoint now, packet::PacketBatch& batch, Train& train);
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
