// SPDX-License-Identifier: Apache-2.0
// Any bytes as datagrams to a peer in TLS mode, under every format of keys, with and without
// `fragment`: forged, made by a holder of the keys, damaged on the way, repeated. Whatever reaches
// the tun is an IP packet, a forged one changes nothing, every one is accounted for.
#include <algorithm>
#include <numeric>

#include "fastpath/packet/ip_header.h"
#include "fastpath/peer/peer.h"
#include "fastpath/wire/fragment_header.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/support/data_keys.h"
#include "tests/support/peer_parts.h"

namespace {

constexpr base::TimePoint kStart{std::chrono::seconds(1000)};
constexpr std::size_t kDatagramMax = 2048;

// Input: format, flags (1 fragment, 2 float, framing above), then records of
// { kind, length high, length low, bytes }.
enum class Kind { kForged, kWithKey, kDamaged, kRepeated, kFromElsewhere, kLater, kTunnelPacket };
constexpr int kKinds = 7;

struct Record {
  Kind kind;
  base::ByteSpan bytes;
};

std::optional<Record> next_record(base::ByteReader& reader) {
  const auto kind = reader.u8();
  const auto length = reader.be16();
  if (!kind || !length) return std::nullopt;
  const std::size_t size = std::min({std::size_t{*length}, reader.rest().size(), kDatagramMax});
  return Record{static_cast<Kind>(*kind % kKinds), *reader.bytes(size)};
}

peer::PeerParts parts_of(std::uint8_t flags) {
  support::Layout layout;
  layout.framing = static_cast<config::Framing>((flags >> 2) % config::kFramings);
  peer::PeerParts parts = support::peer_parts(layout, 1);
  parts.key.reset();
  parts.tls.emplace();
  if ((flags & 1) != 0) parts.config.fragment.bytes = 300;
  parts.config.link.float_allowed = (flags & 2) != 0;
  parts.config.keepalive.ping_restart_seconds = 60;
  return parts;
}

class Run {
 public:
  Run(const support::DataChannel& channel, std::uint8_t flags)
      : channel_(channel), peer_(parts_of(flags), kStart) {
    peer_.set_remotes({home_}, kStart);
    FUZZ_CHECK(peer_.install_keys(support::data_keys(channel, true), true, kStart).empty());
    data::KeySlotParts parts;
    parts.random = support::seeded_random(2);
    holder_ = data::make_key_slot(library_, support::data_keys(channel, false), parts, kStart);
  }

  void take(const Record& record) {
    now_ += std::chrono::milliseconds(100);
    batch_.clear();
    packet::Packet& packet = *batch_.append();
    support::fill(packet, record.bytes);
    if (record.kind == Kind::kTunnelPacket) return seal();
    if (record.kind == Kind::kLater) now_ += std::chrono::seconds(record.bytes.size() % 64);
    if (record.kind != Kind::kForged) make(record, packet);
    packet.peer = record.kind == Kind::kFromElsewhere ? elsewhere_ : home_;
    open(packet, record.kind == Kind::kForged || record.kind == Kind::kDamaged);
    drain();
  }

 private:
  void seal() {
    if (!peer_.fragments()) return peer_.seal_batch(now_, batch_);
    out_.clear();
    FUZZ_CHECK(peer_.seal_fragments(now_, batch_, 0, out_) == 1);
  }

  // As the peer would: the bytes are a payload, with framing and fragment header in it.
  void make(const Record& record, packet::Packet& packet) {
    if (record.kind == Kind::kRepeated && !last_.empty()) return support::fill(packet, last_);
    if (packet.size() == 0) packet.push_back(1);
    holder_->seal_with(holder_->next_number().value(), packet);
    FUZZ_CHECK(!packet.dropped());
    last_ = support::copy_of(packet);
    // The header in front is not covered in every format.
    if (record.kind == Kind::kDamaged) packet.bytes()[packet.size() - 1] ^= 1;
  }

  std::uint64_t dropped() const {
    const packet::DropCounters& drops = peer_.counters().drops;
    return std::accumulate(drops.begin(), drops.end(), std::uint64_t{0}) -
           drops[static_cast<std::size_t>(packet::DropReason::kIncomplete)];
  }

  void open(packet::Packet& packet, bool forged) {
    const bool heard = peer_.heard();
    const auto timeout = peer_.next_timeout();
    const auto remote = peer_.remote();
    const std::uint64_t used = peer_.bytes_under_key(), before = dropped();
    const bool control = packet.size() > 0 && !wire::is_data(wire::opcode_of(packet.bytes()[0]));
    peer_.open_batch(now_, batch_);
    FUZZ_CHECK(dropped() == before + (packet.dropped() ? 1 : 0));
    FUZZ_CHECK(packet.dropped() || packet.swallowed || packet::ip_family(packet.bytes()));
    if (!control && !(forged && channel_.authenticated())) return;
    FUZZ_CHECK(packet.dropped() || (control && packet.swallowed));
    FUZZ_CHECK(peer_.heard() == heard && peer_.next_timeout() == timeout);
    FUZZ_CHECK(peer_.remote() == remote && peer_.bytes_under_key() == used);
  }

  void drain() {
    FUZZ_CHECK(peer_.take_control_packets().size() <= 1);
    peer_.handle_timeout(now_);
    batch_.clear();
    packet::Packet& out = *batch_.append();
    for (int sent = 0; peer_.next_packet(now_, out); ++sent) FUZZ_CHECK(sent < 8);
    for (int told = 0; peer_.next_event(); ++told) FUZZ_CHECK(told < 8);
  }

  const support::DataChannel channel_;
  crypto::Library library_;
  std::unique_ptr<data::KeySlot> holder_;
  peer::Peer peer_;
  base::TimePoint now_ = kStart;
  base::Bytes last_;
  packet::PacketBatch batch_{kDatagramMax, 1}, out_{kDatagramMax, wire::kFragmentsMax};
  const base::Endpoint home_ = support::endpoint("192.0.2.2", 1194);
  const base::Endpoint elsewhere_ = support::endpoint("198.51.100.9", 4000);
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  base::ByteReader reader({bytes, size});
  const auto which = reader.u8();
  const auto flags = reader.u8();
  if (!which || !flags) return 0;
  const std::vector<support::DataChannel> channels = support::all_data_channels();
  Run run(channels[*which % channels.size()], *flags);
  while (const auto record = next_record(reader)) run.take(*record);
  return 0;
}
