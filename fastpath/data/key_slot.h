// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "base/time.h"
#include "fastpath/crypto/data_keys.h"
#include "fastpath/crypto/library.h"
#include "fastpath/data/aead_usage.h"
#include "fastpath/data/replay_window.h"
#include "fastpath/packet/packet_batch.h"
#include "fastpath/wire/data_header.h"

namespace data {

struct ReplaySettings {
  bool on = true;  // false: no-replay; AEAD numbers and judges its packets nevertheless
  int window_packets = 64;
  int window_seconds = 15;
};

struct KeySlotParts {
  ReplaySettings replay = {};
  // Fills with unpredictable bytes; asked once per key with CBC, for its IVs.
  std::function<void(base::MutableByteSpan)> random = {};
  // Where counting begins and ends, for tests that cannot wait.
  std::uint64_t gcm_limit = AeadUsage::kGcmLimit;
  std::uint32_t packet_ids_used = 0;
  std::uint16_t first_epoch = 1;
};

// What a packet under a key carries besides its payload, in bytes; 0: not there.
struct KeyOverhead {
  std::size_t header = 0, hmac = 0, packet_id = 0, tag = 0;
  std::size_t block = 0;  // of a CBC cipher: its IV, and what the payload is padded to

  friend bool operator==(const KeyOverhead&, const KeyOverhead&) = default;
};

class KeySlot;

// A packet with the number it is sealed under.
struct Sealing {
  packet::Packet* packet = nullptr;
  std::uint64_t number = 0;
};

// A packet on its way from the link, between decrypting and being judged.
struct Opening {
  packet::Packet* packet = nullptr;
  wire::DataHeader header = {};         // as it stands in the packet
  std::optional<std::uint64_t> number;  // what decrypting found: it is authentic
  KeySlot* slot = nullptr;              // the key ring's: whose packet it is
  std::size_t link_bytes = 0;           // likewise: as it came
};

// The data channel under one pair of keys, in place, from the opcode byte on. Numbers are handed
// out apart from sealing, and a packet is judged apart from decrypting, so that packets are sealed
// and opened in trains while their order is kept in one place. Trains are of kTrainPackets at most.
// Allocates nothing per packet. Used by one worker.
class KeySlot {
 public:
  virtual ~KeySlot() = default;

  // The number of the next packet to be sealed; nothing: they are used up. Never the same twice.
  // 32 bits, or with the epoch format 16 bits of epoch and 48 of count.
  virtual std::optional<std::uint64_t> next_number() = 0;
  // Each packet: a framed payload of at least one byte; on failure its verdict is set. Numbers come
  // in order.
  virtual void seal_train(std::span<const Sealing> train) = 0;
  void seal_with(std::uint64_t number, packet::Packet& packet);

  // Authenticates and decrypts each: what is left is the framed payload, and its number. On failure
  // sets that packet's verdict, and nothing changes but the packet's bytes and the count of
  // failures.
  virtual void decrypt_train(std::span<Opening> train) = 0;
  std::optional<std::uint64_t> decrypt(const wire::DataHeader& header, packet::Packet& packet);
  // Judges the number of a packet that was decrypted and, if it accepts, remembers it.
  virtual ReplayVerdict accept(std::uint64_t number, base::TimePoint now) = 0;

  virtual KeyOverhead overhead() const = 0;
  // A limit is near: AEAD usage, packet ids, epochs.
  virtual bool wants_renegotiation() const = 0;
};

// `keys` is read during the call only. Throws base::FatalError if a cipher or digest cannot be had
// or the keys do not fit their format.
std::unique_ptr<KeySlot> make_key_slot(crypto::Library& library, const crypto::DataKeys& keys,
                                       const KeySlotParts& parts, base::TimePoint now);

// How often an AEAD key of this cipher may be used in one direction.
std::uint64_t usage_limit(const crypto::DataKeys& keys, const KeySlotParts& parts);

// From here on packet ids run short: ask for another key (OpenVPN protocol: packet id of a key).
inline constexpr std::uint32_t kPacketIdsShort = 0xFF000000;

}  // namespace data
