// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fastpath/data/epoch_key.h"
#include "fastpath/data/key_slot.h"

namespace data {

// OpenVPN protocol: epoch data format of 2.7. Each direction's key evolves under one key id:
//
//   sending     the next epoch begins when the key's usage limit is reached or its count is full,
//               and whenever the peer is seen to be ahead
//   receiving   the current epoch, the one before it that was in use, and the next kFutureKeys are
//               known; a packet that authenticates under a future one makes it the current one, and
//               what was skipped is lost
//
// Future keys are made ahead, so that a forged packet costs no more than one decryption.
class EpochSlot final : public KeySlot {
 public:
  static constexpr std::size_t kFutureKeys = 4;
  static constexpr std::uint32_t kEpochMax = 0xFFFF;
  static constexpr std::uint32_t kEpochsShort = 0xF000;  // ask for another key

  EpochSlot(crypto::Library& library, const crypto::DataKeys& keys, const KeySlotParts& parts,
            base::TimePoint now);

  std::optional<std::uint64_t> next_number() override;
  void seal_train(std::span<const Sealing> train) override;
  void decrypt_train(std::span<Opening> train) override;
  ReplayVerdict accept(std::uint64_t number, base::TimePoint now) override;
  KeyOverhead overhead() const override;
  bool wants_renegotiation() const override;

  std::uint32_t send_epoch() const { return send_epoch_; }
  std::uint32_t receive_epoch() const { return current_->key.epoch(); }

 private:
  struct Receiver {
    EpochKey key;
    ReplayWindow window;
  };
  using ReceiverHandle = std::unique_ptr<Receiver>;

  void seal_one(std::uint64_t number, packet::Packet& packet);
  void decrypt_one(Opening& opening);
  bool start_epoch(std::uint32_t epoch);
  void make_send_key();
  Receiver* receiver(std::uint32_t epoch);
  ReceiverHandle make_receiver(base::TimePoint now) const;
  void make_future(base::TimePoint now);
  void move_to(std::uint32_t epoch, base::TimePoint now);

  crypto::Library& library_;
  const wire::DataHeader header_;
  const std::string cipher_;
  const std::uint64_t limit_;
  const ReplaySettings replay_;
  // Sending: the numbers run ahead of the key, which follows when a packet is sealed.
  EpochSchedule send_schedule_;
  std::uint32_t send_epoch_;
  std::uint64_t send_count_ = 0;
  std::unique_ptr<EpochKey> send_key_;
  // Receiving.
  EpochSchedule receive_schedule_;  // at the newest key made
  ReceiverHandle retiring_, current_;
  std::vector<ReceiverHandle> future_;  // the epochs behind the current one, in order
};

}  // namespace data
