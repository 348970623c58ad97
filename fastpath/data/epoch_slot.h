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
// Future keys are made ahead, so that a forged packet costs no more than one decryption. A key that
// was left lives until the last packet that was begun under it is finished.
class EpochSlot final : public KeySlot {
 public:
  static constexpr std::size_t kFutureKeys = 4;
  static constexpr std::uint32_t kEpochMax = 0xFFFF;
  static constexpr std::uint32_t kEpochsShort = 0xF000;  // ask for another key

  EpochSlot(crypto::Library& library, const crypto::DataKeys& keys, const KeySlotParts& parts,
            base::TimePoint now);

  std::optional<std::uint64_t> next_number() override;
  void begin_sealing(Sealing& sealing) override;
  void seal_train(crypto::WorkerIndex worker, std::span<const Sealing> train) override;
  void begin_opening(Opening& opening) override;
  void decrypt_train(crypto::WorkerIndex worker, std::span<Opening> train) override;
  void finish_opening(Opening& opening) override;
  ReplayVerdict accept(std::uint64_t number, base::TimePoint now) override;
  KeyOverhead overhead() const override;
  bool wants_renegotiation() const override;

  std::uint32_t send_epoch() const { return send_epoch_; }
  std::uint32_t receive_epoch() const { return current_->key->epoch(); }

 private:
  using KeyHandle = std::shared_ptr<EpochKey>;
  struct Receiver {
    KeyHandle key;
    ReplayWindow window;
  };
  using ReceiverHandle = std::unique_ptr<Receiver>;

  void seal_one(crypto::WorkerIndex worker, const Sealing& sealing) const;
  static void decrypt_one(crypto::WorkerIndex worker, Opening& opening);
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
  // Sending: the numbers run ahead of the key, which follows when a packet is begun.
  EpochSchedule send_schedule_;
  std::uint32_t send_epoch_;
  std::uint64_t send_count_ = 0;
  KeyHandle send_key_;
  // Receiving.
  EpochSchedule receive_schedule_;  // at the newest key made
  ReceiverHandle retiring_, current_;
  std::vector<ReceiverHandle> future_;  // the epochs behind the current one, in order
};

}  // namespace data
