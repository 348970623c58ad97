// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "fastpath/crypto/iv_source.h"
#include "fastpath/crypto/library.h"
#include "fastpath/data/encrypt_then_mac.h"
#include "fastpath/data/key_slot.h"
#include "fastpath/data/packet_id_sender.h"
#include "fastpath/data/replay_window.h"
#include "fastpath/data/sent_tags.h"
#include "fastpath/packet/packet_batch.h"
#include "fastpath/wire/static_layout.h"

namespace data {

struct StaticChannelParts {
  std::string cipher = "none";  // a CBC cipher or "none"
  std::string auth = "none";    // a digest or "none"
  DirectionKeys send = {}, receive = {};
  bool shared_key = false;  // no key-direction: both ends send under the same keys
  bool replay = true;       // false: `no-replay`, packets carry no id
  int replay_window_packets = 64;
  int replay_window_seconds = 15;
  base::UnixSeconds packet_time = 0;
  std::function<void(base::MutableByteSpan)> random = {};  // asked for the IVs' key and little else
  std::function<base::UnixSeconds()> wall_clock = {};      // asked when a new packet time begins
  crypto::CipherChoice ciphers = {};
  std::size_t workers = 1;  // how many may do bytes at a time
};

// Seals and opens the datagrams of one static key (OpenVPN protocol: static-key layout), in place.
// Allocates nothing per packet. Used by one thread, but for the bytes of trains, which any worker
// does under its own index, at the same time as everything else.
//
// Our own packets that come back are refused, which matters only where both ends send under the
// same keys (no key-direction). With a cipher each IV tells whether it was made here, exactly and
// for ever. With auth alone the HMACs of the last packets tell, and as soon as the peer is seen to
// use the same packet time as we do, ours moves on, so that nothing stays ambiguous; only messages
// that both ends sent byte for byte alike in that second are lost. Without auth, and with
// `no-replay`, there is no such protection, as there is none against anything else.
class StaticChannel {
 public:
  // Throws base::FatalError if a cipher or digest cannot be had.
  StaticChannel(const StaticChannelParts& parts, base::TimePoint now);
  StaticChannel(const StaticChannel&) = delete;
  StaticChannel& operator=(const StaticChannel&) = delete;

  // Adds packet id, padding, IV and HMAC to framed payloads, at most kTrainPackets; on failure sets
  // a packet's verdict. Of a Sealing the caller sets `packet` and nothing else. Trains are finished
  // in the order they were begun.
  void begin_sealing(std::span<Sealing> train);
  void seal_bytes(crypto::WorkerIndex worker, std::span<const Sealing> train);
  void finish_sealing(std::span<const Sealing> train);
  void seal_packet(packet::Packet& packet);  // all steps
  // The same with everything chosen by the caller. `iv`: layout().iv_bytes.
  void seal_packet_with(const wire::LongPacketId& packet_id, base::ByteSpan iv,
                        packet::Packet& packet);
  // Authenticates and decrypts at most kTrainPackets; then asks the replay window about one, in the
  // order they came, and what is left is the framed payload. On failure sets the verdict, and a
  // packet that does not authenticate changes nothing else but its own bytes.
  void open_bytes(crypto::WorkerIndex worker, std::span<Opening> train);
  void accept(base::TimePoint now, packet::Packet& packet);       // not if it is dropped
  void open_packet(base::TimePoint now, packet::Packet& packet);  // all steps

  // The link starts anew; see ReplayWindow::restart.
  void restart_window() { window_.restart(); }
  // A new connection over TCP: the peer takes ids from 1 on, under a new time, and none but the
  // next (OpenVPN protocol: replay acceptance without a window). That time is wanted like any
  // other.
  void restart_ids() {
    if (value(ids_.last().id) != 0) want_new_time(0);
  }
  // What was accepted so far, and in a new channel: by an earlier one. See ReplayWindow.
  wire::LongPacketId newest_received() const { return window_.newest(); }
  wire::LongPacketId barred() const { return window_.barred(); }
  void go_on_behind(const wire::LongPacketId& received, const wire::LongPacketId& barred) {
    window_.go_on_behind(received, barred);
  }
  const wire::StaticLayout& layout() const { return layers_.layout(); }
  // The time that packets are sent under now.
  wire::PacketTime packet_time() const { return ids_.last().time; }
  // A later one that it should be: the ids run out, or the peer shares it. Nothing is sent under a
  // new time before use_time() says that it is on disk; until then the old one goes on.
  std::optional<wire::PacketTime> wanted_time() const { return wanted_; }
  // What is not later than the time in use is ignored.
  void use_time(wire::PacketTime time);

 private:
  // How often our time moves on before the peer was heard. Whoever sends our packets back to us
  // could push it far ahead of the clock otherwise.
  static constexpr int kMovesMax = 16;
  static constexpr std::size_t kOwnTimesMax = 4096;
  // When so few ids are left, a new time is asked for: seconds of traffic, and a disk is faster.
  static constexpr std::uint32_t kIdsAhead = 1 << 22;

  void add_to_seal(crypto::WorkerIndex worker, const wire::LongPacketId& packet_id,
                   base::ByteSpan iv, packet::Packet& packet);
  void remember_as_sent(const packet::Packet& packet);
  std::optional<wire::LongPacketId> next_packet_id();
  void want_new_time(base::UnixSeconds ahead);
  bool peer_may_share_time() const;
  bool came_back(const wire::LongPacketId& packet_id, base::ByteSpan iv, base::ByteSpan hmac);
  void leave_time_to_peer();

  crypto::Library library_;
  EncryptThenMac layers_;
  std::vector<crypto::IvSource> iv_sources_;  // by worker, all of one seed; none: no IVs
  const bool shared_key_;
  const std::function<void(base::MutableByteSpan)> random_;
  const std::function<base::UnixSeconds()> wall_clock_;

  PacketIdSender ids_;
  std::uint64_t unnumbered_ = 0;  // counts packets of `no-replay` for their IVs
  std::optional<wire::PacketTime> wanted_;
  std::vector<wire::PacketTime> own_times_;  // all that packets were sent under, newest last
  int moves_left_ = kMovesMax;
  std::optional<SentTags> sent_, sent_before_;  // layouts with auth and without cipher
  ReplayWindow window_;
};

}  // namespace data
