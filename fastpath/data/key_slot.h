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
class EpochKey;

// A packet with the number it is sealed under.
struct Sealing {
  packet::Packet* packet = nullptr;
  std::uint64_t number = 0;
  KeySlot* slot = nullptr;              // the key ring's: under whose key; nothing: under none
  std::shared_ptr<EpochKey> epoch_key;  // the epoch format's
};

// A packet on its way from the link, between decrypting and being judged.
struct Opening {
  packet::Packet* packet = nullptr;
  wire::DataHeader header = {};         // as it stands in the packet
  std::optional<std::uint64_t> number;  // what decrypting found: it is authentic
  KeySlot* slot = nullptr;              // the key ring's: whose packet it is
  std::size_t link_bytes = 0;           // likewise: as it came
  std::shared_ptr<EpochKey> epoch_key;  // the epoch format's
};

// The data channel under one pair of keys, in place, from the opcode byte on. The bytes of a train
// are apart from everything that has a state, so that any worker may do them while numbers and
// verdicts, and with them the order of packets, are kept in one place:
//
//   what changes the slot     next_number(), begin_…, finish_…, accept(): by the one who owns it
//   what only does bytes      seal_train(), decrypt_train(): by any worker of the library's, each
//                             under its own index, at the same time as everything else
//
// Trains are of kTrainPackets at most. Allocates nothing per packet.
class KeySlot {
 public:
  virtual ~KeySlot() = default;

  // The number of the next packet to be sealed; nothing: they are used up. Never the same twice.
  // 32 bits, or with the epoch format 16 bits of epoch and 48 of count.
  virtual std::optional<std::uint64_t> next_number() = 0;
  // What is to be known before the bytes. The packet is a framed payload of at least one byte;
  // numbers come in order.
  virtual void begin_sealing(Sealing&) {}
  // On failure sets a packet's verdict; what is dropped already is passed over.
  virtual void seal_train(crypto::WorkerIndex worker, std::span<const Sealing> train) = 0;
  void seal_with(std::uint64_t number, packet::Packet& packet);  // all steps

  // May drop it: what need not be tried. `header` and `link_bytes` are there.
  virtual void begin_opening(Opening& opening) = 0;
  // Authenticates and decrypts each that is not dropped: what is left is the framed payload, and
  // its number. On failure sets that packet's verdict and changes nothing but the packet's bytes.
  virtual void decrypt_train(crypto::WorkerIndex worker, std::span<Opening> train) = 0;
  // Counts it, in the order of arrival, and lets go of what it holds.
  virtual void finish_opening(Opening&) {}
  std::optional<std::uint64_t> decrypt(const wire::DataHeader& header,
                                       packet::Packet& packet);  // all steps
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

// What decrypting made of a packet under an AEAD key, against what the key may bear: the forgeries
// in front of it count, though they came in the same train.
void count_opened(Opening& opening, AeadUsage& usage);

// How often an AEAD key of this cipher may be used in one direction.
std::uint64_t usage_limit(const crypto::DataKeys& keys, const KeySlotParts& parts);

// From here on packet ids run short: ask for another key (OpenVPN protocol: packet id of a key).
inline constexpr std::uint32_t kPacketIdsShort = 0xFF000000;

}  // namespace data
