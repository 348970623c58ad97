// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>

#include "fastpath/crypto/packet_cipher.h"
#include "fastpath/packet/packet_batch.h"

namespace data {

// How many packets are sealed or opened in one go, at most.
inline constexpr std::size_t kTrainPackets = packet::kBatchPackets;

// The packets of one train on their way through a cipher: laid out one by one, then done at once.
// Holds its memory for good, so that a lone packet costs no more than itself. Used by one worker.
class PacketJobs {
 public:
  // Not when kTrainPackets are in.
  crypto::PacketJob& add(packet::Packet& packet) {
    packets_[count_] = &packet;
    return jobs_[count_++];
  }
  std::size_t size() const { return count_; }
  packet::Packet& packet(std::size_t i) { return *packets_[i]; }
  bool ok(std::size_t i) const { return jobs_[i].ok; }

  void run(crypto::PacketCipher& cipher) { cipher.run(std::span(jobs_).first(count_)); }
  void clear() { count_ = 0; }

 private:
  std::array<crypto::PacketJob, kTrainPackets> jobs_;
  std::array<packet::Packet*, kTrainPackets> packets_{};
  std::size_t count_ = 0;
};

}  // namespace data
