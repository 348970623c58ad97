// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fastpath/crypto/packet_cipher.h"
#include "fastpath/data/packet_jobs.h"
#include "fastpath/packet/packet_batch.h"
#include "fastpath/wire/static_layout.h"

namespace data {

using DirectionKeys = crypto::PacketKeys;  // views of 64 bytes each, read during construction only

// The four layouts of CBC and HMAC (OpenVPN protocol: static-key layout, which TLS mode uses behind
// its header), in place: everything but packet ids, IVs and replay, which differ by mode. Packets
// are added one by one, kTrainPackets at most, and then sealed or opened at once, by any worker of
// the library's, each on its own. Allocates nothing per packet.
class EncryptThenMac {
 public:
  // `cipher`: a CBC cipher or "none"; `auth`: a digest or "none". Throws base::FatalError if one
  // cannot be had. `packet_id_bytes`: what its owner puts in front of the payload.
  EncryptThenMac(crypto::Library& library, const std::string& cipher, const std::string& auth,
                 const DirectionKeys& send, const DirectionKeys& receive,
                 std::size_t packet_id_bytes);

  const wire::StaticLayout& layout() const { return layout_; }

  // `packet`: a framed payload, which gets packet id, padding, IV and HMAC; on failure, here or in
  // seal(), sets the verdict. `packet_id`: layout().packet_id_bytes; `iv`: layout().iv_bytes.
  void add_to_seal(crypto::WorkerIndex worker, base::ByteSpan packet_id, base::ByteSpan iv,
                   packet::Packet& packet);
  void seal(crypto::WorkerIndex worker);

  // Authenticates, then takes the padding off: what is left begins with the packet id, which is
  // whole. On failure, here or in open(), sets the verdict.
  void add_to_open(crypto::WorkerIndex worker, packet::Packet& packet);
  void open(crypto::WorkerIndex worker);

  // Of a packet that open() left undropped, as nothing was done to it since: they are still in its
  // slot, in front of it.
  base::ByteSpan iv_of(const packet::Packet& packet) const;
  base::ByteSpan hmac_of(const packet::Packet& packet) const;

 private:
  // What a worker touches, and no other.
  struct Hands {
    crypto::PacketCipherHandle seal, open;
    PacketJobs sealing, opening;
  };

  void finish_opening(packet::Packet& packet, bool authentic) const;

  std::vector<Hands> hands_;  // by worker
  wire::StaticLayout layout_;
};

}  // namespace data
