// SPDX-License-Identifier: Apache-2.0
// Any bytes as datagrams, in every layout and in null mode, both as a stranger sends them and as a
// peer would that has the key: whatever reaches the tun is an IP packet, a forged one changes
// nothing, every one is accounted for.
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "fastpath/data/static_channel.h"
#include "fastpath/packet/ip_header.h"
#include "fastpath/peer/peer.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/support/peer_parts.h"

namespace {

constexpr base::TimePoint kStart{std::chrono::seconds(1000)};
constexpr std::size_t kDatagramMax = 2048;

// Input: layout, framing, then records of { kind, length high, length low, bytes }.
enum class Kind { kForged, kWithKey, kWithKeyFromElsewhere, kTunnelPacket };

struct Record {
  Kind kind;
  base::ByteSpan bytes;
};

std::optional<Record> next_record(base::ByteReader& reader) {
  const auto kind = reader.u8();
  const auto length = reader.be16();
  if (!kind || !length) return std::nullopt;
  const std::size_t size = std::min({std::size_t{*length}, reader.rest().size(), kDatagramMax});
  return Record{static_cast<Kind>(*kind % 4), *reader.bytes(size)};
}

// Seals as the peer would. Made once per layout, because fetching ciphers is slow; it keeps nothing
// between runs, as ids and IVs are handed in.
data::StaticChannel& key_holder(std::size_t which, const support::Layout& layout) {
  static std::map<std::size_t, std::unique_ptr<data::StaticChannel>> holders;
  std::unique_ptr<data::StaticChannel>& holder = holders[which];
  if (holder) return *holder;
  const ovpn::StaticKey key = support::counting_key();
  const data::DirectionKeys keys{key.cipher_block(0), key.hmac_block(0)};
  data::StaticChannelParts parts{.cipher = layout.cipher,
                                 .auth = layout.auth,
                                 .send = keys,
                                 .receive = keys,
                                 .replay = layout.replay,
                                 .random = support::seeded_random(2)};
  holder = std::make_unique<data::StaticChannel>(parts, kStart);
  return *holder;
}

std::uint64_t dropped(const peer::Peer& peer) {
  const packet::DropCounters& drops = peer.counters().drops;
  return std::accumulate(drops.begin(), drops.end(), std::uint64_t{0});
}

class Run {
 public:
  Run(const support::Layout& layout, data::StaticChannel& holder)
      : layout_(layout), holder_(holder), peer_(support::peer_parts(layout, 1), kStart) {
    peer_.set_remotes({home_}, kStart);
  }

  void take(const Record& record) {
    now_ += std::chrono::milliseconds(100);
    batch_.clear();
    packet::Packet& packet = *batch_.append();
    support::fill(packet, record.bytes);
    if (record.kind == Kind::kTunnelPacket) return seal(packet);
    if (record.kind != Kind::kForged && !layout_.null_mode) seal_with_key(packet);
    packet.peer = record.kind == Kind::kWithKeyFromElsewhere ? elsewhere_ : home_;
    open(packet, record.kind == Kind::kForged && layout_.auth != "none");
    drain();
  }

 private:
  void seal(packet::Packet& packet) {
    peer_.seal_batch(now_, batch_);
    FUZZ_CHECK(packet.dropped() || packet.peer == home_);
  }

  void seal_with_key(packet::Packet& packet) {
    const wire::LongPacketId packet_id{wire::PacketId{++sealed_}, wire::PacketTime{1800000000}};
    const base::Bytes iv(holder_.layout().iv_bytes, static_cast<std::uint8_t>(sealed_));
    holder_.seal_packet_with(packet_id, iv, packet);
  }

  void open(packet::Packet& packet, bool forged) {
    const bool heard = peer_.heard();
    const auto timeout = peer_.next_timeout();
    const std::uint64_t before = dropped(peer_);
    peer_.open_batch(now_, batch_);
    FUZZ_CHECK(dropped(peer_) == before + (packet.dropped() ? 1 : 0));
    FUZZ_CHECK(packet.dropped() || packet.swallowed || packet::ip_family(packet.bytes()));
    FUZZ_CHECK(peer_.remote() == home_);
    if (!forged) return;
    FUZZ_CHECK(packet.dropped());
    FUZZ_CHECK(peer_.heard() == heard && peer_.next_timeout() == timeout);
  }

  void drain() {
    peer_.handle_timeout(now_);
    batch_.clear();
    packet::Packet& out = *batch_.append();
    for (int sent = 0; peer_.next_packet(now_, out); ++sent) FUZZ_CHECK(sent < 8);
    for (int told = 0; peer_.next_event(); ++told) FUZZ_CHECK(told < 8);
  }

  const support::Layout layout_;
  data::StaticChannel& holder_;
  std::uint32_t sealed_ = 0;
  peer::Peer peer_;
  base::TimePoint now_ = kStart;
  packet::PacketBatch batch_{kDatagramMax, 1};
  const base::Endpoint home_ = support::endpoint("192.0.2.2", 2011);
  const base::Endpoint elsewhere_ = support::endpoint("198.51.100.9", 4000);
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  base::ByteReader reader({bytes, size});
  const auto which = reader.u8();
  const auto framing = reader.u8();
  if (!which || !framing) return 0;
  std::vector<support::Layout> layouts = support::all_layouts();
  const std::size_t index = *which % layouts.size();
  support::Layout layout = layouts[index];
  layout.framing = static_cast<config::Framing>(*framing % config::kFramings);
  Run run(layout, key_holder(index, layout));
  while (const auto record = next_record(reader)) run.take(*record);
  return 0;
}
