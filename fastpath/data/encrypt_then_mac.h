// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "fastpath/crypto/cbc_cipher.h"
#include "fastpath/crypto/hmac_digest.h"
#include "fastpath/crypto/library.h"
#include "fastpath/packet/packet_batch.h"
#include "fastpath/wire/static_layout.h"

namespace data {

struct DirectionKeys {  // views of 64 bytes each, read during construction only
  base::ByteSpan cipher, hmac;
};

// The four layouts of CBC and HMAC (OpenVPN protocol: static-key layout, which TLS mode uses behind
// its header), in place: everything but packet ids, IVs and replay, which differ by mode. Allocates
// nothing per packet. Used by one worker.
class EncryptThenMac {
 public:
  // `cipher`: a CBC cipher or "none"; `auth`: a digest or "none". Throws base::FatalError if one
  // cannot be had. `packet_id_bytes`: what its owner puts in front of the payload.
  EncryptThenMac(crypto::Library& library, const std::string& cipher, const std::string& auth,
                 const DirectionKeys& send, const DirectionKeys& receive,
                 std::size_t packet_id_bytes);

  const wire::StaticLayout& layout() const { return layout_; }

  // `packet`: a framed payload, which gets packet id, padding, IV and HMAC; on failure sets the
  // verdict. `packet_id`: layout().packet_id_bytes; `iv`: layout().iv_bytes.
  void seal(base::ByteSpan packet_id, base::ByteSpan iv, packet::Packet& packet);

  // Views into the packet's slot, in front of what is left of it.
  struct Opened {
    base::ByteSpan hmac, iv;
  };
  // Authenticates, then decrypts: what is left begins with the packet id, which is whole. Nothing,
  // and the verdict set, if that fails.
  std::optional<Opened> open(packet::Packet& packet);

 private:
  bool decrypt(packet::Packet& packet);

  std::optional<crypto::CbcCipher> encrypt_, decrypt_;
  std::optional<crypto::HmacDigest> sign_, verify_;
  wire::StaticLayout layout_;
};

}  // namespace data
