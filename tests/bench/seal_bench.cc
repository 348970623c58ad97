// SPDX-License-Identifier: Apache-2.0
// Nanoseconds per packet through seal_batch and open_batch, per layout, for 64 and 1400 bytes. A
// program to be looked at, not a test: build with the release preset, run on a quiet machine.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "tests/support/peer_parts.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr base::TimePoint kStart{std::chrono::seconds(1000)};
constexpr int kRounds = 7;
constexpr int kBatches = 200;
const base::Endpoint kHere = support::endpoint("192.0.2.1", 2011);
const base::Endpoint kThere = support::endpoint("192.0.2.2", 2011);

struct Cost {
  double seal = 1e9, open = 1e9;  // nanoseconds per packet, the best of kRounds
};

double per_packet(Clock::duration spent) {
  const auto packets = static_cast<double>(kBatches * packet::kBatchPackets);
  return std::chrono::duration<double, std::nano>(spent).count() / packets;
}

void fill_batch(packet::PacketBatch& batch, const base::Bytes& ip) {
  batch.clear();
  while (packet::Packet* packet = batch.append()) support::fill(*packet, ip);
}

Cost measure(const support::Layout& layout, std::size_t bytes) {
  peer::Peer sender(support::peer_parts(layout, 1), kStart);
  peer::Peer receiver(support::peer_parts(layout, 2, 1700000100), kStart);
  sender.set_remotes({kThere}, kStart);
  receiver.set_remotes({kHere}, kStart);
  const base::Bytes ip = support::ip_packet(bytes);
  packet::PacketBatch batch(2048);
  Cost best;
  for (int round = 0; round < kRounds; ++round) {
    Clock::duration sealing{}, opening{};
    for (int i = 0; i < kBatches; ++i) {
      fill_batch(batch, ip);
      const auto before = Clock::now();
      sender.seal_batch(kStart, batch);
      const auto sealed = Clock::now();
      for (packet::Packet& packet : batch.packets()) packet.peer = kHere;
      const auto ready = Clock::now();
      receiver.open_batch(kStart, batch);
      opening += Clock::now() - ready;
      sealing += sealed - before;
    }
    best.seal = std::min(best.seal, per_packet(sealing));
    best.open = std::min(best.open, per_packet(opening));
  }
  return best;
}

}  // namespace

int main() {
  std::vector<support::Layout> layouts = support::all_layouts();
  layouts.push_back({.cipher = "BF-CBC", .auth = "SHA1"});
  layouts.push_back({.cipher = "AES-128-CBC", .auth = "SHA1"});
  layouts.push_back({.cipher = "AES-256-CBC", .auth = "SHA512"});
  fmt::print("{:32} {:>12} {:>12} {:>12} {:>12}\n", "ns/packet", "seal 64", "open 64", "seal 1400",
             "open 1400");
  for (const support::Layout& layout : layouts) {
    const Cost small = measure(layout, 64), large = measure(layout, 1400);
    fmt::print("{:32} {:12.0f} {:12.0f} {:12.0f} {:12.0f}\n", layout.name(), small.seal, small.open,
               large.seal, large.open);
  }
}
