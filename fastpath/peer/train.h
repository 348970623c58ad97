// SPDX-License-Identifier: Apache-2.0
// What a Peer notes about a batch while the batch is on its way through it: see Peer::begin_seal().
// Nobody else looks inside.
#pragma once

#include <array>
#include <span>

#include "fastpath/data/key_ring.h"
#include "fastpath/data/packet_jobs.h"
#include "fastpath/packet/packet_batch.h"

namespace peer {

// Belongs to whoever hands it in, and used by whoever has the batch; the batch must not change
// between the steps. Holds its memory for good.
class Train {
 public:
  enum class Way { kSeal, kOpen };

  // A packet from the link. What may be the peer's is decrypted with its neighbours; then each is
  // judged in turn, when what came before has had its effect.
  struct Arrival {
    packet::Packet* packet = nullptr;
    bool control = false;
    bool names_this_peer = false;
    bool decrypted = false;
    std::size_t opening = 0;  // its place in openings(), if it is in there
  };

  void clear(Way way) {
    way_ = way;
    sealings_used_ = openings_used_ = arrived_ = 0;
  }
  Way way() const { return way_; }

  // `tunnel_bytes`: of the tunnel packet that is whole with this one; 0: none is.
  void add_sealing(packet::Packet& packet, std::size_t tunnel_bytes) {
    tunnel_bytes_[sealings_used_] = tunnel_bytes;
    sealings_[sealings_used_++].packet = &packet;
  }
  std::span<data::Sealing> sealings() { return std::span(sealings_).first(sealings_used_); }
  std::size_t tunnel_bytes(std::size_t i) const { return tunnel_bytes_[i]; }

  Arrival& add_arrival(packet::Packet& packet) {
    Arrival& arrival = arrivals_[arrived_++];
    arrival = {&packet};
    return arrival;
  }
  std::span<Arrival> arrivals() { return std::span(arrivals_).first(arrived_); }

  data::Opening& add_opening(Arrival& arrival) {
    arrival.decrypted = true;
    arrival.opening = openings_used_++;
    data::Opening& opening = openings_[arrival.opening];
    opening = {};
    opening.packet = arrival.packet;
    return opening;
  }
  std::span<data::Opening> openings() { return std::span(openings_).first(openings_used_); }

  data::KeyHold keys;  // TLS mode: from the first step to the last

 private:
  Way way_ = Way::kSeal;
  std::array<data::Sealing, data::kTrainPackets> sealings_{};
  std::array<std::size_t, data::kTrainPackets> tunnel_bytes_{};
  std::size_t sealings_used_ = 0;
  std::array<Arrival, data::kTrainPackets> arrivals_{};
  std::size_t arrived_ = 0;
  std::array<data::Opening, data::kTrainPackets> openings_{};
  std::size_t openings_used_ = 0;
};

}  // namespace peer
