// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/time.h"
#include "fastpath/crypto/data_keys.h"
#include "fastpath/packet/packet_batch.h"

namespace data {

class KeySlot;

struct ReplaySettings {
  bool on = true;
  int window_packets = 64;
  int window_seconds = 15;
};

// The data channel of one TLS peer: the keys in use, by key-id (OpenVPN protocol: key lifetime and
// key choice for sending). Seals and opens in place, allocates nothing per packet. Used by one
// worker.
class KeyRing {
 public:
  explicit KeyRing(const ReplaySettings& replay);
  ~KeyRing();

  // From now on packets under this key open; they are sealed under it as the protocol says. `first`:
  // a new session, everything before is void. Throws base::FatalError if a cipher cannot be had.
  void install(crypto::DataKeys keys, bool first, base::TimePoint now);
  void retire(std::uint8_t key_id);
  void clear();  // no keys: everything is dropped, counted as kNoKey

  // `packet`: a framed payload; on failure sets the verdict.
  void seal_packet(base::TimePoint now, packet::Packet& packet);
  // `packet`: from the opcode byte on, P_DATA_V1 or P_DATA_V2. What is left is the framed payload.
  void open_packet(base::TimePoint now, packet::Packet& packet);

  // Bytes that sealing puts in front of the payload and behind it, at most, for any key that may
  // come; sizes buffers.
  static std::size_t headroom_max();
  static std::size_t tailroom_max();

  // A limit of the current key was reached (AEAD usage, packet ids, reneg-bytes/-pkts are the
  // caller's): ask for a renegotiation. True once per key.
  bool take_renegotiation_wish();
  std::uint64_t bytes_under_key() const;    // both directions, of the key that is sent under
  std::uint64_t packets_under_key() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace data
