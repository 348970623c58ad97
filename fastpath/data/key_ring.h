// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "base/time.h"
#include "fastpath/crypto/data_keys.h"
#include "fastpath/data/key_slot.h"
#include "fastpath/packet/packet_batch.h"
#include "fastpath/wire/static_layout.h"

namespace data {

struct KeyRingParts {
  KeySlotParts slot = {};
  // How long a new key waits before packets are sealed under it, unless the peer is seen to use it:
  // the smaller of hand-window and half of reneg-sec.
  base::Duration switch_after = std::chrono::seconds(60);
  crypto::CipherChoice ciphers = {};
  std::size_t workers = 1;  // how many may do bytes at a time
};

// Keeps the keys of a train until it is finished, whatever becomes of them in the ring meanwhile.
using KeyHold = std::array<std::shared_ptr<KeySlot>, 2>;

// The data channel of one TLS peer: the newest key and the one before it (OpenVPN protocol: key
// lifetime and key choice for sending). Seals and opens in place, allocates nothing per packet.
// Used by one thread, but for the bytes of trains, which any worker does. Whatever else is called
// between the steps of a train, its keys are there until it is finished, and wiped then.
//
//   receiving   either key, by its key id
//   sending     the newest key that the peer has for certain, because it was heard under it or had
//               it for `switch_after`; the newest of all while that is true of none. A key whose
//               packet ids are used up is passed over for good.
class KeyRing {
 public:
  explicit KeyRing(const KeyRingParts& parts);
  ~KeyRing();

  // From now on packets under this key open. `first`: a new session, everything before is void;
  // else the newest key becomes the old one, and the one before that is forgotten. Throws
  // base::FatalError if a cipher cannot be had; nothing has changed then.
  void install(const crypto::DataKeys& keys, bool first, base::TimePoint now);
  void retire(std::uint8_t key_id);
  void clear();  // no keys: everything is dropped, counted as kNoKey
  bool empty() const;

  // Each packet: a framed payload of at least one byte; on failure its verdict is set. At most
  // kTrainPackets. Of a Sealing the caller sets `packet` and nothing else. Trains are finished in
  // the order they were begun.
  void begin_sealing(base::TimePoint now, std::span<Sealing> train, KeyHold& hold);
  static void seal_bytes(crypto::WorkerIndex worker, std::span<const Sealing> train);
  void finish_sealing(std::span<Sealing> train, KeyHold& hold);
  void seal_packet(base::TimePoint now, packet::Packet& packet);  // all steps

  // Packets are decrypted together and judged in the order they came. Each `packet`: from the
  // opcode byte on, P_DATA_V1 or P_DATA_V2; what is left is the framed payload. On failure its
  // verdict is set, and what does not authenticate changes nothing but its own bytes and the count
  // of failures. Of an Opening the caller sets `packet` and nothing else.
  void begin_opening(std::span<Opening> train, KeyHold& hold);
  static void open_bytes(crypto::WorkerIndex worker, std::span<Opening> train);
  static void finish_opening(std::span<Opening> train);
  // Then, for each that is not dropped; the last may let go of the hold.
  void accept(base::TimePoint now, Opening& opening);
  void open_packet(base::TimePoint now, packet::Packet& packet);  // all steps

  // Bytes that sealing puts in front of the payload and behind it, at most, for any key that may
  // come; sizes buffers.
  static constexpr std::size_t headroom_max() {
    return wire::kDataV2HeaderBytes + wire::kHmacBytesMax + wire::kBlockBytesMax +
           wire::kShortPacketIdBytes;
  }
  static constexpr std::size_t tailroom_max() { return wire::kTagBytes; }

  KeyOverhead overhead() const;  // of the newest key; all 0 without one

  // A limit of the newest key is near (AEAD usage, packet ids; reneg-bytes and -pkts are the
  // caller's): ask for a renegotiation. True once per key.
  bool take_renegotiation_wish();
  // What went both ways under the newest key, opcode byte to end.
  std::uint64_t bytes_under_key() const;
  std::uint64_t packets_under_key() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace data
